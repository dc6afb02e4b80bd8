"""The turn loop: which votes to ask for on one conversation, and what they come to.

It has no input or output and waits for nothing. Whoever drives it takes the waves that it asks for,
answers those that can be answered now, and finds the verdict in the end:

    for wave in loop.waves():
        loop.cast(wave, votes_for(wave))
    verdict = loop.verdict()

Sides, screens, early stopping and `until_block` are decided here and nowhere else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from chaperone_cli.domain.ballot import Ballot, first_blocks
from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.screening import Screening
from chaperone_cli.domain.verdict import (
    ConversationVerdict,
    ScreenedTurn,
    TurnVerdict,
    Verdict,
)
from chaperone_cli.domain.vote import Vote
from chaperone_cli.evaluators.interface import Screen


class Wave(NamedTuple):
    """Passes on one turn that are worth asking for together, whatever their answers will be."""

    turn: Turn
    passes: range
    """Their numbers, from 1."""


@dataclass(frozen=True)
class Screened:
    """What a screen makes of one conversation, by the numbers of its turns."""

    out: frozenset[int] = frozenset()
    """Turns that are not put to the vote."""
    likely: frozenset[int] = frozenset()
    """Turns on which the screen itself would see a yes."""


UNSCREENED = Screened()


@dataclass(frozen=True)
class Screener:
    """A screen with the level and reach that a run uses it with; without one, nothing is lost."""

    screening: Screening | None = None
    screen: Screen | None = None

    def read(self, conversation: Conversation) -> Screened:
        """Reads `conversation`; turns of a side that is not voted on count with theirs too."""
        if self.screening is None or self.screen is None:
            return UNSCREENED
        found = list(self.screen.suspicions(conversation))
        likely = (number for number, one in enumerate(found, 1) if 0 <= one < inf)
        return Screened(self.screening.screened_out(found), frozenset(likely))


class TurnLoop:
    """The votes on the turns of one conversation, as far as they are cast."""

    def __init__(
        self,
        conversation: Conversation,
        protocol: Protocol,
        screened: Screened = UNSCREENED,
        *,
        only: Turn | None = None,
        fast: bool = False,
    ) -> None:
        """With `only`, no other turn is voted on, whatever its side.

        With `fast`, all votes that are left on a turn that will probably block make one wave after
        a first yes.
        """
        include = protocol.sides.include
        self.conversation = conversation
        self.protocol = protocol
        self._screened = screened
        self._fast = fast
        turns = conversation.turns if only is None else (only,)
        self._selected = [turn for turn in turns if only is not None or include(turn.side)]
        self._voted = [turn for turn in self._selected if turn.number not in screened.out]
        self._ballots: dict[int, Ballot] = {}
        """Those of turns that are not settled, by turn."""
        self._settled: dict[int, TurnVerdict] = {}
        self._last: Verdict | None = None
        """Of the turn that was settled last."""

    def waves(self) -> Iterator[Wave]:
        """Yields the next wave of every turn that is not settled, turn by turn.

        A wave that is answered before the next one is asked for is followed by the turn's next, so
        that a replay in order never asks beyond what it needs. One that is not answered is left for
        another call, which lets the votes on all turns be asked for together.
        """
        for turn in [turn for turn in self._voted if turn.number not in self._settled]:
            if self._left(turn):
                return
            while turn.number not in self._settled:
                ballot = self._ballot(turn)
                passes = ballot.wanted()
                yield Wave(turn, passes)
                if ballot.wanted() == passes:
                    break

    def cast(self, wave: Wave, votes: Sequence[Vote]) -> TurnVerdict | None:
        """Takes the votes of `wave`, in its order; returns the turn's verdict once it is settled.

        No turn behind a first block is asked about any more where the protocol leaves it there.
        """
        turn = wave.turn
        ballot = self._ballots[turn.number]
        ballot.cast(votes)
        if ballot.wanted():
            return None
        del self._ballots[turn.number]
        outcome = self._settled[turn.number] = ballot.outcome(turn)
        self._last = outcome.verdict
        if self.protocol.until_block and outcome.verdict is Verdict.BLOCK:
            self._voted = [one for one in self._voted if one.number <= turn.number]
        return outcome

    def verdict(self) -> ConversationVerdict:
        """Return the verdict on the turns up to the first that is open; partial if there is one."""
        judged: list[TurnVerdict] = []
        passed_over: list[ScreenedTurn] = []
        partial = False
        for turn in self._selected:
            if turn.number in self._screened.out:
                passed_over.append(ScreenedTurn(turn.number, turn.side))
                continue
            outcome = self._settled.get(turn.number)
            if outcome is None:
                partial = True
                break
            judged.append(outcome)
            if self.protocol.until_block and outcome.verdict is Verdict.BLOCK:
                break
        return self._concluded(judged, passed_over, partial=partial)

    def so_far(self) -> ConversationVerdict | None:
        """Return the verdict of a loop that was cut short; None where the first turn is open."""
        known = self.verdict()
        return known if known.turns else None

    def _ballot(self, turn: Turn) -> Ballot:
        ballot = self._ballots.get(turn.number)
        if ballot is None:
            protocol = self.protocol
            likely = turn.number in self._screened.likely or self._last is Verdict.BLOCK
            ballot = self._ballots[turn.number] = Ballot(
                protocol.rule,
                protocol.passes,
                all_votes=protocol.all_votes,
                together=self._fast and likely,
            )
        return ballot

    def _left(self, turn: Turn) -> bool:
        """Says whether `turn` stands behind a first block at which the conversation is left."""
        return turn.number > self._voted[-1].number

    def _concluded(
        self, judged: list[TurnVerdict], passed_over: list[ScreenedTurn], *, partial: bool
    ) -> ConversationVerdict:
        conversation, protocol, turns = self.conversation, self.protocol, tuple(judged)
        blocks = first_blocks(turns, RULES, protocol.passes) if protocol.all_votes else {}
        if partial:
            # Where a rule has not blocked yet, it might have done so later.
            blocks = {rule: turn for rule, turn in blocks.items() if turn is not None}
        return ConversationVerdict(
            conversation.id,
            conversation.source,
            len(conversation.turns),
            len(self._selected),
            turns,
            conversation.label,
            conversation.onset,
            blocks,
            screened_out=tuple(passed_over),
            partial=partial,
        )
