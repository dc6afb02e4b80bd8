"""One evaluation pass's answer on one turn, and counts of such answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from chaperone_cli.domain.conversation import Side

TAMPERING = "tampering suspected"
"""Begins the names of cues that point at text made, by its looks, to sway the evaluator."""


class Answer(StrEnum):
    """What a vote says; an abstention is never counted as no."""

    YES = "yes"
    NO = "no"
    ABSTAIN = "abstain"


class AbstainReason(StrEnum):
    """Why a vote says neither yes nor no."""

    REFUSED = "refused"
    UNREADABLE = "unreadable"
    ERROR = "error"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    TOO_LONG = "too_long"
    """The conversation up to the turn is longer than the evaluator can read."""
    REJECTED = "rejected"
    """The evaluator takes no question about this text, however often it is asked."""


PASSING = frozenset({AbstainReason.REFUSED, AbstainReason.UNREADABLE, AbstainReason.ERROR})


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one turn's text, by position, so that it can be kept without the text."""

    turn: int
    start: int
    """First character, from 0."""
    end: int
    """One past the last character."""
    side: Side | None = None
    """Whose words they are; None only where an earlier version kept the span without saying."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What decided a vote."""

    cues: tuple[str, ...] = ()
    """Names of the cues that weighed in, strongest first."""
    span: Span | None = None
    """The sentence that weighed most; it may stand in an earlier turn, of the other side too."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One evaluation pass's answer on one turn."""

    answer: Answer
    reason: AbstainReason | None = None
    """Set if and only if the answer is an abstention."""
    evidence: Evidence | None = None

    def __post_init__(self) -> None:
        if (self.answer is Answer.ABSTAIN) != (self.reason is not None):
            raise ValueError("a vote has a reason if and only if it abstains")

    @property
    def passing(self) -> bool:
        """Whether it is an abstention that may be an answer once the same is asked again."""
        return self.reason in PASSING


YES = Vote(Answer.YES)
NO = Vote(Answer.NO)


class Tally(NamedTuple):
    """How many votes of each kind were cast on a turn."""

    yes: int = 0
    no: int = 0
    abstain: int = 0

    @property
    def cast(self) -> int:
        """All votes cast."""
        return self.yes + self.no + self.abstain

    def plus(self, answer: Answer) -> "Tally":
        """The tally with one more vote of `answer`."""
        match answer:
            case Answer.YES:
                return Tally(self.yes + 1, self.no, self.abstain)
            case Answer.NO:
                return Tally(self.yes, self.no + 1, self.abstain)
            case Answer.ABSTAIN:
                return Tally(self.yes, self.no, self.abstain + 1)


def tally(votes: Iterable[Vote]) -> Tally:
    """Counts `votes` by answer."""
    yes = no = abstain = 0
    for vote in votes:
        if vote.answer is Answer.YES:
            yes += 1
        elif vote.answer is Answer.NO:
            no += 1
        else:
            abstain += 1
    return Tally(yes, no, abstain)
