"""Replays one conversation turn by turn, as if it were happening now."""

from collections.abc import Sequence

from chaperone_cli.domain.ballot import Ballot, first_blocks
from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import (
    ConversationVerdict,
    ScreenedTurn,
    TurnVerdict,
    Verdict,
)
from chaperone_cli.engine.poll import Poll
from chaperone_cli.engine.progress import Progress
from chaperone_cli.engine.screening import UNREAD, Reading


class Replay:
    """The votes on the turns of one conversation, one turn after the other."""

    def __init__(
        self,
        conversation: Conversation,
        protocol: Protocol,
        poll: Poll,
        progress: Progress,
        reading: Reading = UNREAD,
        *,
        fast: bool = False,
    ) -> None:
        """What a screen's `reading` screened out is not voted on.

        With `fast`, the votes on a turn that will probably block are asked for together after a
        first yes.
        """
        self._conversation = conversation
        self._protocol = protocol
        self._poll = poll
        self._progress = progress
        self._reading = reading
        self._fast = fast
        self._selected = [turn for turn in conversation.turns if protocol.sides.include(turn.side)]
        self._judged: list[TurnVerdict] = []
        self._passed_over: list[ScreenedTurn] = []

    async def run(self) -> ConversationVerdict:
        """Votes on the turns in order and gives the verdict."""
        protocol, progress = self._protocol, self._progress
        for turn in self._selected:
            if turn.number in self._reading.screened_out:
                self._passed_over.append(ScreenedTurn(turn.number, turn.side))
                continue
            outcome = await _judge(turn, protocol, self._poll, together=self._likely(turn))
            self._judged.append(outcome)
            progress.judged(len(outcome.votes), protocol.passes)
            if protocol.until_block and outcome.verdict is Verdict.BLOCK:
                break
        turns, selected = len(self._conversation.turns), len(self._selected)
        progress.finished(turns, selected, len(self._judged), protocol.passes)
        return self._verdict()

    def _likely(self, turn: Turn) -> bool:
        before = self._judged and self._judged[-1].verdict is Verdict.BLOCK
        return self._fast and bool(turn.number in self._reading.likely or before)

    def so_far(self) -> ConversationVerdict | None:
        """Gives the verdict on the turns judged until now; None where no turn was."""
        return self._verdict(partial=True) if self._judged else None

    def _verdict(self, *, partial: bool = False) -> ConversationVerdict:
        return conclude(
            self._conversation,
            self._protocol,
            len(self._selected),
            self._judged,
            self._passed_over,
            partial=partial,
        )


def conclude(
    conversation: Conversation,
    protocol: Protocol,
    selected: int,
    judged: Sequence[TurnVerdict],
    passed_over: Sequence[ScreenedTurn],
    *,
    partial: bool = False,
) -> ConversationVerdict:
    """Gives the verdict of `conversation`, of whose `selected` turns the first were `judged`.

    Those that a screen kept from the vote are `passed_over`. It is `partial` where the run was cut
    short before it came to the others.
    """
    turns = tuple(judged)
    blocks = first_blocks(turns, RULES, protocol.passes) if protocol.all_votes else {}
    if partial:
        # Where a rule has not blocked yet, it might have done so later.
        blocks = {rule: turn for rule, turn in blocks.items() if turn is not None}
    return ConversationVerdict(
        conversation.id,
        conversation.source,
        len(conversation.turns),
        selected,
        turns,
        conversation.label,
        conversation.onset,
        blocks,
        screened_out=tuple(passed_over),
        partial=partial,
    )


async def _judge(turn: Turn, protocol: Protocol, poll: Poll, *, together: bool) -> TurnVerdict:
    ballot = Ballot(protocol.rule, protocol.passes, all_votes=protocol.all_votes, together=together)
    while wanted := ballot.wanted():
        ballot.cast(await poll.votes(turn, wanted))
    return ballot.outcome(turn)
