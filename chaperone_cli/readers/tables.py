"""Tables with named columns: one message a row, or one exchange of prompt and response a row."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from chaperone_cli.codec.conversation import is_blank
from chaperone_cli.codec.message import identifier
from chaperone_cli.domain.conversation import Conversation, Message, Role
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import Account, says_nothing
from chaperone_cli.readers.draft import ROLES
from chaperone_cli.readers.rows import grouped
from chaperone_cli.readers.spool import Facts, Spool
from chaperone_cli.readers.times import utc
from chaperone_cli.readers.values import is_text

NAMES: dict[str, tuple[str, ...]] = {
    "conversation": ("conversation_id", "conv_id", "chat_id", "session_id", "thread_id",
                     "dialogue_id", "dialog_id", "conversation_hash"),
    "talk": ("conversation", "conversation_title", "chat_name", "chatname", "chat", "session",
             "thread", "dialogue", "dialog"),
    "role": ("role", "speaker", "sender", "author", "from", "side"),
    "content": ("content", "text", "message", "utterance", "value", "body"),
    "prompt": ("prompt", "question", "user", "user_message", "input", "instruction"),
    "response": ("response", "answer", "assistant", "bot", "assistant_message", "output",
                 "completion"),
    "id": ("message_id", "turn_id", "id"),
    "name": ("name", "display_name"),
    "at": ("at", "timestamp", "created_at", "create_time", "time", "date"),
    "label": ("label",),
    "title": ("title",),
    "model": ("model", "model_name", "model_slug"),
    "account": ("account", "user_id", "account_id"),
}  # fmt: skip
"""What a column means, by its name in lower case with `_` for blanks; the first that is there."""

_IN_PAIRS = {"prompt", "response"}
_IN_ROWS = {"role", "content", "id", "name"}
NEEDS = (
    "a table whose columns are named `role` and `content` (and `conversation_id`, unless it is one "
    "conversation), or `prompt` and `response`"
)
_UNKNOWN_SPEAKER = "its speaker is not known; expected user, assistant or system"
_LIKE_AN_ID = re.compile(r"[\w.:-]*\d[\w.:-]*", re.ASCII)
_NAMED, _LONGEST_NAME = 8, 40
_FACTS = ("title", "model", "account")


@dataclass(frozen=True)
class Columns:
    """Which column of a table holds what, by its position."""

    by_meaning: Mapping[str, int]
    unused: Sequence[tuple[str, int]] = ()
    """Those that mean nothing known, with their names."""
    unread: Sequence[tuple[str, int]] = ()
    """Those, and such as mean nothing where each row is what it is here."""
    width: int = 0
    """The number of columns."""

    @classmethod
    def of(cls, header: Sequence[str]) -> "Columns | None":
        """Reads a header; None where no messages can be found by it."""
        names = [name.strip().lower().replace(" ", "_").replace("-", "_") for name in header]
        found = {
            meaning: next((names.index(name) for name in known if name in names), -1)
            for meaning, known in NAMES.items()
        }
        used = {meaning: index for meaning, index in found.items() if index >= 0}
        columns = cls(used)
        if not (columns.has_rows or columns.has_pairs):
            return None
        passed_over = _IN_PAIRS if columns.has_rows else _IN_ROWS
        read = {index for meaning, index in used.items() if meaning not in passed_over}
        named = list(enumerate(header))
        return cls(
            used,
            [(name, index) for index, name in named if index not in used.values()],
            [(name, index) for index, name in named if index not in read],
            len(header),
        )

    @property
    def has_rows(self) -> bool:
        """Whether each row is a message."""
        return {"role", "content"} <= self.by_meaning.keys()

    @property
    def has_pairs(self) -> bool:
        """Whether each row is a prompt with its response."""
        return {"prompt", "response"} <= self.by_meaning.keys()

    def get(self, row: Sequence[Any], meaning: str) -> Any:
        """Gives a cell; None where there is no such column or the cell is empty."""
        index = self.by_meaning.get(meaning)
        return None if index is None or row[index] == "" else row[index]


class Row(NamedTuple):
    """One row of a table."""

    number: int
    """Its line or its number in the table, from 1."""
    cells: Sequence[Any]
    defects: tuple[str, ...] = ()


def read_table(
    path: str, columns: Columns, rows: Iterable[Row | Problem], account: Account
) -> Iterator[Conversation | Problem]:
    """Gives the conversations of a table whose rows may be mixed in any way."""
    named = {"conversation", "talk"} & columns.by_meaning.keys()
    if columns.has_rows and columns.unused and not named:
        yield _merged(path, columns)
    with closing(Spool()) as spool:
        for row in rows:
            if isinstance(row, Problem):
                yield row
            else:
                yield from _set_aside(path, columns, row, spool, account)
        for conversation in grouped(spool, path, account):
            yield _oldest_first(conversation) if columns.has_rows else conversation


def _merged(path: str, columns: Columns) -> Problem:
    names = ", ".join(name[:_LONGEST_NAME] for name, _ in columns.unused[:_NAMED])
    message = (
        "none of its columns says which conversation a row belongs to, so all rows are one; "
        f"not used: {names}"
    )
    return Problem(Severity.WARNING, path, message, 1)


def _oldest_first(conversation: Conversation) -> Conversation:
    """Gives a conversation in the order in which it was held, where a table stands newest first.

    A prompt and its response may share a second: such a table is turned round as a whole.
    """
    times = [message.at for message in conversation.messages]
    falls = all(a and b and a >= b for a, b in pairwise(times)) and times[:1] != times[-1:]
    return replace(conversation, messages=conversation.messages[::-1]) if falls else conversation


def _set_aside(
    path: str, columns: Columns, row: Row, spool: Spool, account: Account
) -> Iterator[Problem]:
    id_, defects = _conversation_id(path, columns, row), list(row.defects)
    if not defects and len(row.cells) <= max(columns.by_meaning.values()):
        defects.append("it has fewer cells than the header")
    if not defects and any(row.cells[columns.width :]):
        defects.append("it has more cells than the header")
    messages = [] if defects or id_ is None else list(_messages(columns, row, defects))
    if defects or id_ is None:
        account.take({"text": list(row.cells)}, (), row.number, "not audited")
    else:
        defects += _counted(columns, row, messages, account)
    if id_ is None:
        defects = defects or ["its conversation id is missing"]
    elif not defects:
        for message in messages:
            spool.add(id_, row.number, message, 0)
        _state(columns, row, id_, spool)
        return
    elif not spool.spoil(id_) and defects == [_UNKNOWN_SPEAKER]:
        return  # told of once: a log whose speakers go by their names has nothing else
    lost = "this row was left out" if id_ is None else "its whole conversation is not audited"
    for defect in defects:
        yield Problem(Severity.ERROR, path, f"{defect}; {lost}", row.number, id_)


def _conversation_id(path: str, columns: Columns, row: Row) -> str | None:
    for meaning in ("conversation", "talk"):
        index = columns.by_meaning.get(meaning)
        if index is not None:
            cell = row.cells[index] if index < len(row.cells) else None
            id_ = identifier(cell) if is_text(str(cell)) else None
            return _named_by_title(id_, path) if id_ and meaning == "talk" else id_
    return path if columns.has_rows else f"{path}#{row.number}"


def _named_by_title(title: str, path: str) -> str:
    """Gives an id for what may be called by its topic, which no report is to hold."""
    if _LIKE_AN_ID.fullmatch(title):
        return title
    return f"{path}#{blake2b(title.encode(), digest_size=4).hexdigest()}"


def _messages(columns: Columns, row: Row, defects: list[str]) -> Iterator[Message]:
    cells, number = row.cells, row.number
    at, id_ = utc(columns.get(cells, "at")), identifier(columns.get(cells, "id"))
    if not columns.has_rows:
        for role, meaning in ((Role.USER, "prompt"), (Role.ASSISTANT, "response")):
            text = _text(columns.get(cells, meaning), meaning, defects)
            yield Message(role, text, None, None, at, number)
        return
    said = columns.get(cells, "role")
    known = ROLES.get(said.strip().lower()) if isinstance(said, str) else None
    if known is None:
        defects.append(_UNKNOWN_SPEAKER)
        return
    text = _text(columns.get(cells, "content"), "content", defects)
    name = columns.get(cells, "name")
    yield Message(known, text, id_, name if isinstance(name, str) else None, at, number)


def _counted(
    columns: Columns, row: Row, messages: Sequence[Message], account: Account
) -> Iterator[str]:
    """Counts the text of a row; gives a defect where a message is blank and there is other text."""
    account.keep(sum(len(message.text) for message in messages))
    beside = [{name: row.cells[at]} for name, at in columns.unread if at < len(row.cells)]
    lost = account.take(beside, (message.text for message in messages), row.number)
    if lost and not all(message.text for message in messages):
        account.tell(lost)
        yield says_nothing(lost)


def _text(cell: Any, meaning: str, defects: list[str]) -> str:
    if cell is not None and not isinstance(cell, str):
        defects.append(f"its {meaning} is no text")
    return cell if isinstance(cell, str) and not is_blank(cell) else ""


def _state(columns: Columns, row: Row, id_: str, spool: Spool) -> None:
    facts = {name: columns.get(row.cells, name) for name in _FACTS}
    facts["title"] = facts["title"] or columns.get(row.cells, "talk")
    meta = {name: value for name, value in facts.items() if isinstance(value, str | int)}
    label = columns.get(row.cells, "label")
    if meta or isinstance(label, str):
        spool.state(id_, Facts(label if isinstance(label, str) else None, None, meta or None))
