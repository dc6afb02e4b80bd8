"""What the votes amount to: for a turn, and for a conversation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from chaperone_cli.domain.conversation import Side, Source
from chaperone_cli.domain.vote import TAMPERING, Span, Tally, Vote, tally


class Verdict(StrEnum):
    """What a rule makes of the votes."""

    BLOCK = "block"
    PASS = "pass"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class TurnVerdict:
    """One turn's votes and what the rule makes of them."""

    turn: int
    side: Side
    verdict: Verdict
    votes: tuple[Vote, ...]
    """The votes cast, in the order of their passes; fewer than N where the rest cannot matter."""

    @cached_property
    def tally(self) -> Tally:
        """The votes cast, counted by answer."""
        return tally(self.votes)

    @property
    def score(self) -> int:
        """S, the number of yes votes cast."""
        return self.tally.yes

    @property
    def tampering(self) -> bool:
        """Whether a vote carries the cue that something here may be tampered with."""
        return any(
            cue.startswith(TAMPERING)
            for vote in self.votes
            if vote.evidence is not None
            for cue in vote.evidence.cues
        )


class ScreenedTurn(NamedTuple):
    """A turn that a screen kept from the vote: nobody was asked, and so it blocks nothing."""

    turn: int
    side: Side


class Digests(NamedTuple):
    """What a verdict came from, in short, so that two runs can tell what changed."""

    conversation: str | None
    """Of the conversation; None where it is so short that it could be found by guessing."""
    judgement: str
    """Of evaluator, rubric and rule."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a turn blocks, in other words than the conversation's own."""

    turn: int
    reason: str
    """One sentence, which shares no stretch of text with any turn."""
    span: Span | None = None
    """The stretch of text that shows it, by position."""


@dataclass(frozen=True)
class ConversationVerdict:
    """What a run says of one conversation."""

    conversation: str
    source: Source
    turns_total: int
    """All its turns, judged or not."""
    turns_selected: int
    """Its turns on the sides that the run votes on, judged or not."""
    turns: tuple[TurnVerdict, ...]
    """The turns that were judged, in order."""
    label: str | None = None
    onset: int | None = None
    first_blocks: Mapping[str, int | None] = field(default_factory=dict)
    """For every named rule, its first blocking turn; filled only where all N votes were cast."""
    digests: Digests | None = None
    explanation: Explanation | None = None
    """Why the first blocking turn blocks, where that was asked for and answered."""
    screened_out: tuple[ScreenedTurn, ...] = ()
    """The turns that were not judged because a screen passed them over, in order."""
    partial: bool = False
    """The run was cut short before it came to the turns behind the last one that was judged."""

    @cached_property
    def first_block(self) -> TurnVerdict | None:
        """The first blocking turn."""
        return next((turn for turn in self.turns if turn.verdict is Verdict.BLOCK), None)

    @property
    def attribution(self) -> Side | None:
        """The side that the first blocking turn came from."""
        return self.first_block.side if self.first_block else None

    @cached_property
    def verdict(self) -> Verdict:
        """Block if any turn blocks, else undecided if any turn is or was not reached, else pass."""
        if self.first_block is not None:
            return Verdict.BLOCK
        if self.partial or any(turn.verdict is Verdict.UNDECIDED for turn in self.turns):
            return Verdict.UNDECIDED
        return Verdict.PASS

    @cached_property
    def in_order(self) -> tuple[TurnVerdict | ScreenedTurn, ...]:
        """The turns that were judged and those that were screened out, by number."""
        if not self.screened_out:
            return self.turns
        return tuple(sorted((*self.turns, *self.screened_out), key=lambda one: one.turn))

    @property
    def empty(self) -> bool:
        """Whether it has no turn on the sides that are voted on: it neither passes nor not."""
        return not self.turns_selected

    @property
    def wholly_screened_out(self) -> bool:
        """Whether it passes without a vote, because a screen passed over all of its turns."""
        return bool(self.screened_out) and not self.turns

    @property
    def votes_cast(self) -> int:
        """All votes cast on the judged turns."""
        return sum(len(turn.votes) for turn in self.turns)
