"""What the stand-in answers: a recorded vote, or what a rule says."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.support.standin.log import LogIndex, Place
from tests.support.standin.prompt import Prompt


@dataclass(frozen=True)
class Subject:
    """What a call is about."""

    place: Place | None
    """None where no log holds the text."""
    key: bytes
    """Tells this turn, under this question, from any other."""
    text: str
    """The last turn, as its log has it or else as it was shown."""


class Answers:
    """Gives the vote of the next pass on a turn: `yes`, `no`, or why there is none."""

    def __init__(self, logs: Iterable[Path], votes: Iterable[Path], rule: str) -> None:
        self._index = LogIndex(logs)
        self._votes: dict[Place, list[int | str]] = {}
        for path in votes:
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    self._votes[row["conversation"], row["turn"]] = row["votes"]
        self._rule, _, self._operand = rule.partition(":")
        if self._rule not in ("yes", "no", "word", "hash"):
            raise ValueError(f"unknown rule {rule!r}; use yes, no, word:TEXT or hash:SHARE")
        self._passes: Counter[bytes] = Counter()

    def subject(self, prompt: Prompt) -> Subject:
        """Finds out what `prompt` asks about."""
        place = self._index.place(prompt.shown)
        state = sha256(prompt.question)
        state.update(repr(place).encode() if place else prompt.prefixes[-1])
        return Subject(
            place, state.digest(), self._index.texts[place] if place else prompt.shown[-1]
        )

    def next(self, subject: Subject) -> tuple[int, str]:
        """Takes the next pass on `subject`; gives its number and its vote."""
        self._passes[subject.key] += 1
        number = self._passes[subject.key]
        return number, self._vote(subject, number)

    def _vote(self, subject: Subject, number: int) -> str:
        recorded = self._votes.get(subject.place) if subject.place else None
        if recorded:
            vote = recorded[(number - 1) % len(recorded)]
            return vote if isinstance(vote, str) else ("no", "yes")[vote]
        match self._rule:
            case "word":
                said = self._operand.lower() in subject.text.lower()
            case "hash":
                about = repr(subject.place) if subject.place else subject.text
                draw = sha256(f"{about} {number}".encode()).digest()
                said = int.from_bytes(draw[:4]) / 2**32 < float(self._operand or 0.5)
            case _:
                said = self._rule == "yes"
        return "yes" if said else "no"
