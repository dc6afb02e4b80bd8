"""One conversation with the ballots of all its turns open at once."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from chaperone_cli.domain.ballot import Ballot
from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import (
    ConversationVerdict,
    ScreenedTurn,
    TurnVerdict,
    Verdict,
)
from chaperone_cli.domain.vote import Vote
from chaperone_cli.engine.progress import Progress
from chaperone_cli.engine.replay import conclude

KeyOf = Callable[[bytes, int], bytes]
"""Gives the key of a pass on a conversation, given by the hash of its prefix."""
LookUp = Callable[[bytes], Vote | None]


@dataclass(slots=True)
class OpenTurn:
    """A turn whose verdict is not settled."""

    turn: Turn
    prefix: bytes
    ballot: Ballot
    votes: dict[int, Vote] = field(default_factory=dict)
    """By the number of the pass; those of the wave that is under way, and all before it."""

    def absent(self, key_of: KeyOf, look_up: LookUp) -> list[tuple[int, bytes]]:
        """Casts the votes at hand and gives number and key of those that must be asked for."""
        while wanted := self.ballot.wanted():
            absent = []
            for number in wanted:
                if number not in self.votes:
                    key = key_of(self.prefix, number)
                    if (vote := look_up(key)) is None:
                        absent.append((number, key))
                    else:
                        self.votes[number] = vote
            if absent:
                return absent
            self.ballot.cast([self.votes[number] for number in wanted])
        return []


@dataclass(frozen=True, slots=True)
class Ask:
    """A vote to be asked for, and the ballot that waits for it."""

    key: bytes
    number: int
    conversation: Conversation
    open_turn: OpenTurn

    def answer(self, vote: Vote) -> None:
        """Hands the vote to the ballot."""
        self.open_turn.votes[self.number] = vote


class OpenBallots:
    """The ballots of one conversation, of which those that cannot matter any more are left."""

    def __init__(
        self, conversation: Conversation, protocol: Protocol, screened_out: Collection[int] = ()
    ) -> None:
        """The turns whose numbers are `screened_out` are not voted on."""
        self.conversation = conversation
        self._protocol = protocol
        hasher = PrefixHasher(conversation)
        self._selected = [turn for turn in conversation.turns if protocol.sides.include(turn.side)]
        self._open = [
            OpenTurn(
                turn,
                hasher.up_to(turn),
                Ballot(protocol.rule, protocol.passes, all_votes=protocol.all_votes),
            )
            for turn in self._selected
            if turn.number not in screened_out
        ]
        self._screened_out = screened_out
        self._settled: dict[int, TurnVerdict] = {}

    def asks(self, key_of: KeyOf, look_up: LookUp) -> Iterator[Ask]:
        """Settles what the votes at hand settle, and gives the votes to ask for now."""
        still_open = []
        for one in self._open:
            absent = one.absent(key_of, look_up)
            if not absent:
                outcome = self._settled[one.turn.number] = one.ballot.outcome(one.turn)
                if self._protocol.until_block and outcome.verdict is Verdict.BLOCK:
                    # Turns are in order: what comes later cannot be the first block any more.
                    break
                continue
            still_open.append(one)
            for number, key in absent:
                yield Ask(key, number, self.conversation, one)
        self._open = still_open

    @property
    def settled(self) -> bool:
        """Says whether no vote is left that could matter, once all asks were taken."""
        return not self._open

    def verdict(self, progress: Progress) -> ConversationVerdict:
        """Gives the verdict, with the turns that a replay turn by turn would have judged."""
        judged, passed_over = self._in_order()
        passes, selected = self._protocol.passes, len(self._selected)
        for outcome in judged:
            progress.judged(len(outcome.votes), passes)
        progress.finished(len(self.conversation.turns), selected, len(judged), passes)
        return conclude(self.conversation, self._protocol, selected, judged, passed_over)

    def so_far(self) -> ConversationVerdict | None:
        """Gives the verdict on the turns up to the first that is open; None where that is none."""
        judged, passed_over = self._in_order()
        if not judged:
            return None
        selected = len(self._selected)
        return conclude(
            self.conversation, self._protocol, selected, judged, passed_over, partial=True
        )

    def _in_order(self) -> tuple[list[TurnVerdict], list[ScreenedTurn]]:
        """Gives the turns as a replay would judge or pass over them, up to the first open one."""
        judged: list[TurnVerdict] = []
        passed_over: list[ScreenedTurn] = []
        for turn in self._selected:
            if turn.number in self._screened_out:
                passed_over.append(ScreenedTurn(turn.number, turn.side))
                continue
            outcome = self._settled.get(turn.number)
            if outcome is None:
                break
            judged.append(outcome)
            if self._protocol.until_block and outcome.verdict is Verdict.BLOCK:
                break
        return judged, passed_over
