"""Verdicts from recorded votes alone, for votes files whose log is not at hand."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from chaperone_cli.codec.vote import RecordedTurn
from chaperone_cli.domain.conversation import Conversation, Message, Role, Side, Sides, Source
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.engine.turn_loop import TurnLoop
from chaperone_cli.errors import InputError

_ROLES = {Side.PROMPT: Role.USER, Side.RESPONSE: Role.ASSISTANT}


def recount(
    path: str, rows: Iterable[tuple[int, RecordedTurn]], protocol: Protocol
) -> Iterator[ConversationVerdict]:
    """Yields the verdict of every conversation in the votes file `path`, with all its votes.

    `rows` are its lines with their numbers, which must name each turn's side. Raises InputError
    naming the line where one does not fit.
    """
    protocol = replace(protocol, sides=Sides.BOTH, all_votes=True, until_block=False)
    conversations: dict[str, list[tuple[int, RecordedTurn]]] = {}
    for line, row in rows:
        conversations.setdefault(row.conversation, []).append((line, row))
    for name, recorded in conversations.items():
        messages = [_message(path, line, row, protocol.passes) for line, row in recorded]
        _check_order(path, recorded)
        (line, first), *_ = recorded
        loop = TurnLoop(Conversation(name, messages, Source(path, line), first.label), protocol)
        for wave in loop.waves():
            loop.cast(wave, recorded[wave.turn.number - 1][1].votes)
        yield loop.verdict()


def _message(path: str, line: int, row: RecordedTurn, passes: int) -> Message:
    """Stands for the turn that `row` has all votes on."""
    if row.side is None:
        raise InputError(
            f"{path}:{line}: a votes file without its log must name each turn's `side`",
            hint="name the log instead, with --evaluator recorded",
        )
    if (count := len(row.votes)) != passes:
        noun = "vote" if count == 1 else "votes"
        raise InputError(
            f"{path}:{line}: {count} {noun}, where {passes} are expected",
            hint="say with --votes how many votes each turn has",
        )
    return Message(_ROLES[row.side], "")


def _check_order(path: str, recorded: list[tuple[int, RecordedTurn]]) -> None:
    for expected, (line, row) in enumerate(recorded, start=1):
        if row.turn != expected:
            raise InputError(
                f"{path}:{line}: turn {row.turn} of conversation {row.conversation!r} stands "
                f"where turn {expected} is expected",
                hint="list the turns of each conversation in order, from 1",
            )
