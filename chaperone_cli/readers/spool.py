"""Messages of many conversations, set aside on disk until each conversation is complete."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from chaperone_cli.codec.message import ROLES
from chaperone_cli.domain.conversation import Message
from chaperone_cli.readers.content import dumps
from chaperone_cli.readers.scratch import open_scratch, scratch_error

_TABLES = """
    CREATE TABLE conversations (
        number INTEGER PRIMARY KEY, id TEXT UNIQUE, spoiled INTEGER NOT NULL DEFAULT 0,
        label TEXT, onset INTEGER, meta BLOB
    );
    CREATE TABLE messages (
        number INTEGER, line INTEGER, role TEXT, content TEXT, id TEXT, name TEXT, said_at TEXT,
        place INTEGER, placeholders INTEGER
    );
"""
_NUMBER = "SELECT number FROM conversations WHERE id = ?"
_NEW = "INSERT INTO conversations (id) VALUES (?)"
_SPOIL = "UPDATE conversations SET spoiled = 1 WHERE number = ? AND NOT spoiled"
_FACTS = """
    UPDATE conversations SET label = coalesce(label, ?), onset = coalesce(onset, ?),
        meta = coalesce(meta, ?)
    WHERE number = ?
"""
_ADD = "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CONVERSATION = "SELECT id, spoiled, label, onset, meta FROM conversations WHERE number = ?"
_MESSAGES = "SELECT * FROM messages ORDER BY number, rowid"
_MESSAGES_AS_READ = "SELECT * FROM messages ORDER BY rowid"
_RECENT_NUMBERS = 1 << 14


@dataclass(frozen=True, slots=True)
class Facts:
    """What a row says about its conversation as a whole."""

    label: str | None
    onset: int | None
    meta: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Spooled:
    """One conversation's messages, together again."""

    id: str
    line: int
    """Of its first message."""
    facts: Facts
    messages: list[Message]
    placeholders: int
    spoiled: bool
    """Whether it is to be left out."""


class Spool:
    """Takes messages of interleaved conversations, and gives back one conversation at a time."""

    def __init__(self) -> None:
        self._database = open_scratch(_TABLES)
        self._cursor = self._database.cursor()
        self._recent: dict[str, int] = {}
        self._last = 0
        self._interleaved = False

    def add(self, id: str, line: int, message: Message, placeholders: int) -> None:
        """Sets aside one message of conversation `id`."""
        role, text, message_id, name, at, place = message
        try:
            number = self._number(id)
            row = (number, line, role.value, text, message_id, name, at, place, placeholders)
            self._cursor.execute(_ADD, row)
        except sqlite3.Error as error:
            raise scratch_error(error) from error
        self._interleaved = self._interleaved or number < self._last
        self._last = number

    def state(self, id: str, facts: Facts) -> None:
        """Sets aside `facts` about conversation `id`, where they were not stated before.

        Raises RecursionError where they are nested beyond reason.
        """
        meta = None if facts.meta is None else dumps(facts.meta)
        try:
            self._cursor.execute(_FACTS, (facts.label, facts.onset, meta, self._number(id)))
        except sqlite3.Error as error:
            raise scratch_error(error) from error

    def spoil(self, id: str) -> bool:
        """Leaves conversation `id` out, whatever else comes of it; says whether that is news."""
        try:
            return bool(self._cursor.execute(_SPOIL, (self._number(id),)).rowcount)
        except sqlite3.Error as error:
            raise scratch_error(error) from error

    def conversations(self) -> Iterator[Spooled]:
        """Gives the conversations in the order of their first messages, also those left out."""
        query = _MESSAGES if self._interleaved else _MESSAGES_AS_READ
        try:
            rows = self._database.execute(query)
            for number, group in groupby(rows, key=itemgetter(0)):
                record = self._cursor.execute(_CONVERSATION, (number,)).fetchone()
                yield _spooled(record, group)
        except sqlite3.Error as error:
            raise scratch_error(error) from error

    def close(self) -> None:
        """Deletes everything that was set aside."""
        self._database.close()

    def _number(self, id: str) -> int:
        number = self._recent.get(id)
        if number is None:
            if len(self._recent) >= _RECENT_NUMBERS:
                self._recent.clear()
            found = self._cursor.execute(_NUMBER, (id,)).fetchone()
            number = found[0] if found else self._cursor.execute(_NEW, (id,)).lastrowid
            assert number is not None
            self._recent[id] = number
        return number


def _spooled(record: tuple[Any, ...], rows: Iterator[tuple[Any, ...]]) -> Spooled:
    id_, spoiled, label, onset, meta = record
    facts = Facts(label, onset, None if meta is None else orjson.loads(meta))
    messages, placeholders, line = [], 0, 0
    for _, row_line, role, text, message_id, name, at, place, replaced in rows:
        line = line or row_line
        placeholders += replaced
        messages.append(Message(ROLES[role], text, message_id, name, at, place))
    return Spooled(id_, line, facts, messages, placeholders, bool(spoiled))
