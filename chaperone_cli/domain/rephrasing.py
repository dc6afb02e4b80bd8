"""What rewriting a response came to: how each attempt was judged, and what that proves."""

from dataclasses import dataclass
from enum import StrEnum

from chaperone_cli.domain.rewrite import Draft, Failure, Target
from chaperone_cli.domain.strategy import Strategy
from chaperone_cli.domain.verdict import TurnVerdict, Verdict


@dataclass(frozen=True)
class Check:
    """One thing that a rewrite has to hold to besides the vote."""

    name: str
    passed: bool | None
    """None where it does not apply."""
    detail: str
    """The figures behind it, without conversation text."""


@dataclass(frozen=True)
class Attempt:
    """One rewrite with its vote and its checks; or why there is none."""

    outcome: Draft | Failure
    judged: TurnVerdict | None = None
    checks: tuple[Check, ...] = ()
    topic: float = 0.0
    """The share of the topic's words that are kept, from 0 to 1."""

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """The checks that it fails."""
        return tuple(check for check in self.checks if check.passed is False)

    @property
    def passes(self) -> bool:
        """Whether the vote passes it and no check fails."""
        judged = self.judged
        return judged is not None and judged.verdict is Verdict.PASS and not self.failed_checks


class Result(StrEnum):
    """What rewriting one response came to."""

    PASSING = "passing"
    NOT_PASSING = "not_passing"
    IRREPARABLE = "irreparable"
    """No rewrite passes, and no other reply could: plain replies in its place are blocked too."""
    UNWRITTEN = "unwritten"
    """There is no rewrite at all."""


@dataclass(frozen=True)
class Floor:
    """How plain replies that carry no bond are judged in the response's place."""

    replies: tuple[TurnVerdict, ...]

    @property
    def score(self) -> int:
        """The lowest of their scores."""
        return min(reply.score for reply in self.replies)

    @property
    def blocks(self) -> bool:
        """Whether every one of them is blocked, so that no response could pass."""
        return all(reply.verdict is Verdict.BLOCK for reply in self.replies)


@dataclass(frozen=True)
class Rephrasing:
    """One response, rewritten under one strategy."""

    target: Target
    strategy: Strategy
    original: TurnVerdict
    attempts: tuple[Attempt, ...]
    floor: Floor | None = None
    """None where it was not looked into, because a rewrite passes."""

    @property
    def best(self) -> Attempt | None:
        """The passing attempt, or else the one that comes closest; None where none was written."""
        written = [attempt for attempt in self.attempts if attempt.judged is not None]
        return min(written, key=_shortfall) if written else None

    @property
    def result(self) -> Result:
        """What it came to."""
        best = self.best
        if best is None:
            return Result.UNWRITTEN
        if best.passes:
            return Result.PASSING
        blocked = self.floor is not None and self.floor.blocks
        return Result.IRREPARABLE if blocked else Result.NOT_PASSING

    @property
    def score_drop(self) -> int:
        """By how many yes votes the best rewrite lies below the original; 0 where there is none."""
        best = self.best
        return self.original.score - best.judged.score if best and best.judged else 0

    @property
    def unpaired(self) -> str | None:
        """Why original and rewrite make no preference pair; None where they do.

        The original must be blocked at that very turn, or the healthy one could be rejected.
        """
        if self.original.verdict is not Verdict.BLOCK:
            word = "is undecided" if self.original.verdict is Verdict.UNDECIDED else "passes"
            return f"the original {word} at that turn"
        if self.result is Result.PASSING:
            return None
        return "there is no rewrite" if self.best is None else "no rewrite passes"

    @property
    def rests_on(self) -> tuple[int, ...]:
        """The earlier turns on which the votes against the best rewrite rest, in order."""
        best = self.best
        votes = best.judged.votes if best and best.judged else ()
        spans = (vote.evidence.span for vote in votes if vote.evidence)
        return tuple(sorted({span.turn for span in spans if span} - {self.target.turn.number}))


def _shortfall(attempt: Attempt) -> tuple[bool, int, int, float]:
    assert attempt.judged is not None
    checks = len(attempt.failed_checks)
    return (not attempt.passes, attempt.judged.score, checks, -attempt.topic)
