"""What rewriting knows of words, read from the package's data."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from chaperone_cli.domain.bond import Bond, BondLexicon
from chaperone_cli.domain.concern import Concern, Distress, Help
from chaperone_cli.domain.rewrite_checks import Phrasebook

_GROUP = re.compile(r"\{([A-Z]+)\}")


@cache
def phrasebook() -> Phrasebook:
    """Loads the phrasebook that ships with the package."""
    common = frozenset(_read("common_words.txt").split())
    return Phrasebook(
        _bond(_table("bond")), _concerns(_table("concerns")), _help(_table("help")), common
    )


def probes() -> tuple[str, ...]:
    """Gives replies that carry no bond; where all are blocked, no response could pass."""
    replies: list[str] = _table("probes")["replies"]
    return tuple(replies)


def wording() -> Mapping[str, str]:
    """Gives what a model is told that rewrites."""
    return _table("wording")


def _bond(document: Mapping[str, Any]) -> BondLexicon:
    groups: dict[str, str] = {}
    for name, text in document["words"].items():
        groups[name] = _GROUP.sub(lambda found: groups[found[1]], text)

    def build(texts: Iterable[str]) -> re.Pattern[str]:
        whole = "|".join(
            f"(?:{_GROUP.sub(lambda found: groups[found[1]], text)})" for text in texts
        )
        return re.compile(whole, re.IGNORECASE)

    own = document["self"]
    return BondLexicon(
        {Bond(kind): build(texts) for kind, texts in document["patterns"].items()},
        build(own["plain"]),
        build(own["myself"]),
        build(own["limits"]),
        tuple((build([row["find"]]), row["put"]) for row in document["neutral"]),
    )


def _concerns(document: Mapping[str, Any]) -> tuple[Concern, ...]:
    return tuple(
        Concern(
            row["id"],
            tuple(row["words"]),
            row["acknowledge"],
            row["practical"],
            row["people"],
            row.get("weight", 1),
        )
        for row in document["concerns"]
    )


def _help(document: Mapping[str, Any]) -> Help:
    lines = {
        region: row["text"]
        for row in document["lines"].values()
        for region in row["regions"] or [""]
    }
    pointers = {Distress[name.upper()]: text for name, text in document["pointers"].items()}
    signs = {
        name: re.compile("|".join(texts), re.IGNORECASE)
        for name, texts in document["signs"].items()
    }
    return Help(document["as_of"], lines, pointers, **signs)


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(_read(f"{name}.toml"))


def _read(name: str) -> str:
    file = resources.files("chaperone_cli") / "data" / "rewriting" / name
    return file.read_text("utf-8")
