"""What tracing tools record, set aside on disk until each conversation is complete.

A trace holds calls of a model, each with the messages so far and the answer. Calls of one trace
mostly repeat each other; traces of one session follow one another.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from chaperone_cli.readers.chat_messages import is_prompt, message_text
from chaperone_cli.readers.content import dumps
from chaperone_cli.readers.scratch import open_scratch, scratch_error
from chaperone_cli.readers.times import instant

Messages = list[dict[str, Any]]

_TABLES = """
    CREATE TABLE sessions (number INTEGER PRIMARY KEY, id TEXT UNIQUE);
    CREATE TABLE calls (
        id TEXT PRIMARY KEY, session INTEGER, trace TEXT, at REAL, weight INTEGER,
        asked BLOB, answered BLOB, facts BLOB, line INTEGER, item INTEGER, unread INTEGER
    );
    CREATE INDEX by_trace ON calls (trace, session, at);
    CREATE INDEX by_session ON calls (session, trace, at);
"""
_SESSION = "INSERT OR IGNORE INTO sessions (id) VALUES (?)"
_NUMBER = "SELECT number FROM sessions WHERE id = ?"
_ADD = """
    INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
        unread = max(unread, excluded.unread),
        at = min(coalesce(at, excluded.at), coalesce(excluded.at, at)),
        session = coalesce(session, excluded.session), trace = coalesce(trace, excluded.trace),
        weight = max(weight, excluded.weight),
        asked = coalesce(asked, excluded.asked), answered = coalesce(excluded.answered, answered),
        facts = coalesce(facts, excluded.facts)
"""
_COMPLETE = (
    "UPDATE calls SET trace = id WHERE trace IS NULL",
    """
    UPDATE calls SET session = (
        SELECT max(c.session) FROM calls c WHERE c.trace = calls.trace
    ) WHERE session IS NULL
    """,
    """
    INSERT OR IGNORE INTO sessions (id)
        SELECT trace FROM calls WHERE session IS NULL ORDER BY rowid
    """,
    """
    UPDATE calls SET session = (SELECT number FROM sessions WHERE sessions.id = calls.trace)
        WHERE session IS NULL
    """,
)
"""Calls belong to the session of their trace; a trace without any is a session of its own."""
_CALLS = """
    SELECT sessions.id, trace, asked, answered, facts, line, item, weight, unread
    FROM calls JOIN sessions ON session = sessions.number
    ORDER BY session, (SELECT min(c.at) FROM calls c WHERE c.session = calls.session
                       AND c.trace = calls.trace), trace, weight, at, calls.rowid
"""


@dataclass(frozen=True)
class Call:
    """One call of a model, or a part of what is known of it."""

    id: str
    trace: str | None
    """None where another part of the call may tell it."""
    session: str | None
    """None where other calls of its trace may tell it."""
    line: int
    item: int | None
    at: str | None = None
    """When it began, ISO 8601."""
    asked: Messages = field(default_factory=list)
    answered: Messages = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    weight: int = 0
    """How likely it tells the whole conversation: a call of a model more than a step around it."""
    unread: bool = False
    """Whether text stood where it was recorded that is in none of its messages."""


@dataclass(frozen=True)
class Told:
    """A session's conversation."""

    id: str
    messages: Messages
    facts: dict[str, Any]
    line: int
    item: int | None
    unread: bool
    left: int
    """Characters of its calls that are not in `messages`."""


class Exchanges:
    """Takes calls in any order, and gives back one session's conversation at a time."""

    def __init__(self) -> None:
        self._database = open_scratch(_TABLES)

    def add(self, call: Call) -> None:
        """Sets a call aside; what is added under one id later completes it."""
        moment = instant(call.at) if call.at else None
        try:
            number = None if call.session is None else self._session(call.session)
            self._database.execute(
                _ADD,
                (
                    call.id,
                    number,
                    call.trace,
                    moment.timestamp() if moment else None,
                    call.weight,
                    *(dumps(part) if part else None for part in (call.asked, call.answered)),
                    dumps(call.facts) if call.facts else None,
                    call.line,
                    call.item,
                    call.unread,
                ),
            )
        except sqlite3.Error as error:
            raise scratch_error(error) from error

    def _session(self, id: str) -> int:
        self._database.execute(_SESSION, (id,))
        return int(self._database.execute(_NUMBER, (id,)).fetchone()[0])

    def sessions(self) -> Iterator[Told]:
        """Gives the conversations in the order in which their sessions were first named."""
        try:
            for statement in _COMPLETE:
                self._database.execute(statement)
            for session, rows in groupby(self._database.execute(_CALLS), key=itemgetter(0)):
                yield _told(session, rows)
        except sqlite3.Error as error:
            raise scratch_error(error) from error

    def close(self) -> None:
        """Deletes everything that was set aside."""
        self._database.close()


def _told(session: str, rows: Iterator[tuple[Any, ...]]) -> Told:
    history: Messages = []
    facts: dict[str, Any] = {}
    line, item, unread = 0, None, False
    texts: set[str] = set()
    for _, calls in groupby(rows, key=itemgetter(1)):
        around: Messages = []
        by_model: Messages = []
        for row in calls:
            if not line:
                line, item = row[5], row[6]
            told = _loaded(row[2]) + _loaded(row[3])
            texts.update(map(message_text, told))
            unread = unread or bool(row[8])
            if row[7]:
                by_model = _retold(by_model, told)
            elif told and not _is_whole(around):
                around = told
            facts = _merged(facts, {} if row[4] is None else orjson.loads(row[4]))
        # What a model was sent may be kept elsewhere; then the steps around it have the prompt.
        if any(map(is_prompt, around)) and not any(map(is_prompt, by_model)):
            by_model = _retold(around, by_model)
        history = joined(history, by_model or around)
    left = sum(map(len, texts - set(map(message_text, history))))
    return Told(session, history, facts, line, item, unread, left)


def _is_whole(messages: Messages) -> bool:
    """Says whether a telling holds a prompt and something after it."""
    return any(map(is_prompt, messages[:-1]))


def _retold(history: Messages, new: Messages) -> Messages:
    """Gives what two calls of one trace tell together: the fuller one, if it tells both."""
    old, later = (
        {text for each in told if (text := message_text(each))} for told in (history, new)
    )
    if later <= old:
        return history
    return new if old <= later else joined(history, new)


def _merged(facts: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Adds what a later call tells; when it began is when the conversation was last added to."""
    began = later.pop("created_at", None)
    if began is not None and facts.setdefault("created_at", began) != began:
        later["updated_at"] = began
    return facts | later


def _loaded(data: bytes | None) -> Messages:
    loaded: Messages = [] if data is None else orjson.loads(data)
    return loaded


def joined(history: Messages, new: Messages) -> Messages:
    """Gives the conversation that `history` and a later telling make.

    A telling that repeats at least one exchange of `history` replaces it, as a regenerated answer
    replaces the first one; one that begins where `history` ends continues it.
    """
    old, later = _said(history), _said(new)
    shared = next(
        (n for n, pair in enumerate(zip(old, later, strict=False)) if pair[0] != pair[1]),
        min(len(old), len(later)),
    )
    if later and shared == len(later):
        return history
    if shared >= 2 or shared == len(old):
        return new
    overlap = next((n for n in range(min(len(old), len(later)), 0, -1) if old[-n:] == later[:n]), 0)
    instructions = [each for each in new if _is_system(each) and each not in history]
    return history + instructions + [each for each in new if not _is_system(each)][overlap:]


def _said(messages: Messages) -> list[bytes]:
    keys = ("role", "type", "content", "parts", "tool_calls")
    return [
        dumps([message.get(key) for key in keys]) for message in messages if not _is_system(message)
    ]


def _is_system(message: dict[str, Any]) -> bool:
    return message.get("role") in ("system", "developer") or message.get("type") == "system"
