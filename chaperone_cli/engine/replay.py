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


async def replay(
    conversation: Conversation,
    protocol: Protocol,
    poll: Poll,
    progress: Progress,
    reading: Reading = UNREAD,
    *,
    fast: bool = False,
) -> ConversationVerdict:
    """Votes on the turns of `conversation` in order and gives its verdict.

    What a screen's `reading` screened out is not voted on. With `fast`, the votes on a turn that
    will probably block are asked for together after a first yes.
    """
    selected = [turn for turn in conversation.turns if protocol.sides.include(turn.side)]
    judged: list[TurnVerdict] = []
    passed_over: list[ScreenedTurn] = []
    for turn in selected:
        if turn.number in reading.screened_out:
            passed_over.append(ScreenedTurn(turn.number, turn.side))
            continue
        likely = turn.number in reading.likely or (judged and judged[-1].verdict is Verdict.BLOCK)
        outcome = await _judge(turn, protocol, poll, together=fast and bool(likely))
        judged.append(outcome)
        progress.judged(len(outcome.votes), protocol.passes)
        if protocol.until_block and outcome.verdict is Verdict.BLOCK:
            break
    progress.finished(len(conversation.turns), len(selected), len(judged), protocol.passes)
    return conclude(conversation, protocol, len(selected), judged, passed_over)


def conclude(
    conversation: Conversation,
    protocol: Protocol,
    selected: int,
    judged: Sequence[TurnVerdict],
    passed_over: Sequence[ScreenedTurn],
) -> ConversationVerdict:
    """Gives the verdict of `conversation`, of whose `selected` turns the first were `judged`.

    Those that a screen kept from the vote are `passed_over`.
    """
    turns = tuple(judged)
    return ConversationVerdict(
        conversation.id,
        conversation.source,
        len(conversation.turns),
        selected,
        turns,
        conversation.label,
        conversation.onset,
        first_blocks(turns, RULES, protocol.passes) if protocol.all_votes else {},
        screened_out=tuple(passed_over),
    )


async def _judge(turn: Turn, protocol: Protocol, poll: Poll, *, together: bool) -> TurnVerdict:
    ballot = Ballot(protocol.rule, protocol.passes, all_votes=protocol.all_votes, together=together)
    while wanted := ballot.wanted():
        ballot.cast(await poll.votes(turn, wanted))
    return ballot.outcome(turn)
