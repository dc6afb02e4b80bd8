"""How a run screened turns and what that kept from the vote, as `report.v1` says it."""

from collections import Counter
from math import inf
from typing import Any

from chaperone_cli.codec.fields import Node
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.run import ScreenedOut
from chaperone_cli.domain.screening import Screening


def encode_screening(screening: Screening) -> dict[str, Any]:
    """Gives the `screen` of a run."""
    return {
        "name": screening.screen,
        "version": screening.version,
        "level": screening.level,
        "reach": screening.reach,
    }


def decode_screening(node: Node | None) -> Screening | None:
    """Reads the `screen` of a run, which is missing where it had none."""
    if node is None:
        return None
    node.only("name", "version", "level", "reach")
    return Screening(
        node.get("name").text(),
        node.get("version").text(),
        node.get("level").number(-inf),
        node.get("reach").integer(),
    )


def encode_screened_out(screened_out: ScreenedOut, passes: int) -> dict[str, Any]:
    """Gives the `screened_out` of a summary over `passes` votes a turn."""
    return {
        "conversations": screened_out.conversations,
        "turns": {side.value: screened_out.turns[side] for side in Side},
        "votes": screened_out.votes(passes),
    }


def decode_screened_out(node: Node | None, passes: int) -> ScreenedOut | None:
    """Reads the `screened_out` of a summary, which is missing where the run had no screen."""
    if node is None:
        return None
    node.only("conversations", "turns", "votes")
    turns = node.get("turns")
    turns.only(*Side)
    found = ScreenedOut(
        Counter({side: turns.get(side.value).integer() for side in Side}),
        node.get("conversations").integer(),
    )
    if node.get("votes").integer() != found.votes(passes):
        raise node.get("votes").error(f"{found.votes(passes)}, {passes} for each of the turns")
    return found
