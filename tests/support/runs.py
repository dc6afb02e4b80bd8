"""Small logs with recorded votes, for tests of what several runs come to."""

import json
from collections.abc import Mapping, Sequence

from tests.support.cli import Chaperone

Votes = Sequence[object]
"""The votes on one turn, in the order of their passes."""

YES: Votes = [1, 1, 1]
NO: Votes = [0, 0, 0]
OPEN: Votes = [1, 1, "refused"]


def text(name: str, turn: int) -> str:
    """Gives a turn that no other turn shares twenty characters with, too long to be guessed."""
    return " ".join(f"{name}{turn}{word}" for word in ("once", "upon", "a", "long", "evening")) * 3


def write_log(
    chaperone: Chaperone, conversations: Mapping[str, Sequence[Votes]], name: str = "log"
) -> None:
    """Writes a log of these conversations, prompts first, and its votes beside it."""
    logged, voted = [], []
    for id_, votes in conversations.items():
        turns = [
            {"role": ("user", "assistant")[n % 2], "content": text(id_, n)}
            for n in range(len(votes))
        ]
        logged.append(json.dumps({"id": id_, "turns": turns}))
        voted += [
            json.dumps({"conversation": id_, "turn": n, "votes": cast})
            for n, cast in enumerate(votes, start=1)
        ]
    chaperone.write(f"{name}.jsonl", *logged)
    chaperone.write(f"{name}.votes.jsonl", *voted)


def audit(
    chaperone: Chaperone, *more: str, name: str = "log", env: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Audits such a log with three votes a turn; gives exit code, stdout and stderr."""
    outcome = chaperone(
        *("audit", f"{name}.jsonl", "--evaluator", "recorded", "--votes", "3"), *more, env=env
    )
    return outcome.code, outcome.out, outcome.err
