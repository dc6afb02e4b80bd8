"""Verdicts from recorded votes alone, for votes files whose log is not at hand."""

from collections.abc import Iterable, Iterator

from chaperone_cli.codec.vote import RecordedTurn
from chaperone_cli.domain.ballot import Ballot, first_blocks
from chaperone_cli.domain.conversation import Message, Role, Side, Source, Turn
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict
from chaperone_cli.errors import InputError

_ROLES = {Side.PROMPT: Role.USER, Side.RESPONSE: Role.ASSISTANT}


def recount(
    path: str, rows: Iterable[tuple[int, RecordedTurn]], protocol: Protocol
) -> Iterator[ConversationVerdict]:
    """Gives the verdict of every conversation in the votes file `path`, with all its votes.

    `rows` are its lines with their numbers, which must name each turn's side. Raises InputError
    naming the line where one does not fit.
    """
    conversations: dict[str, list[tuple[int, RecordedTurn]]] = {}
    for line, row in rows:
        conversations.setdefault(row.conversation, []).append((line, row))
    for name, recorded in conversations.items():
        turns = tuple(_outcome(path, line, row, protocol) for line, row in recorded)
        _check_order(path, recorded)
        yield ConversationVerdict(
            name,
            Source(path, recorded[0][0]),
            len(turns),
            len(turns),
            turns,
            recorded[0][1].label,
            first_blocks=first_blocks(turns, RULES, protocol.passes),
        )


def _outcome(path: str, line: int, row: RecordedTurn, protocol: Protocol) -> TurnVerdict:
    if row.side is None:
        raise InputError(
            f"{path}:{line}: a votes file without its log must name each turn's `side`",
            hint="name the log instead, with --evaluator recorded",
        )
    if (count := len(row.votes)) != protocol.passes:
        noun = "vote" if count == 1 else "votes"
        raise InputError(
            f"{path}:{line}: {count} {noun}, where {protocol.passes} are expected",
            hint="say with --votes how many votes each turn has",
        )
    ballot = Ballot(protocol.rule, protocol.passes, all_votes=True)
    ballot.cast(row.votes)
    return ballot.outcome(Turn(row.turn, row.side, row.turn - 1, Message(_ROLES[row.side], "")))


def _check_order(path: str, recorded: list[tuple[int, RecordedTurn]]) -> None:
    for expected, (line, row) in enumerate(recorded, start=1):
        if row.turn != expected:
            raise InputError(
                f"{path}:{line}: turn {row.turn} of conversation {row.conversation!r} stands "
                f"where turn {expected} is expected",
                hint="list the turns of each conversation in order, from 1",
            )
