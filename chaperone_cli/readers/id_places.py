"""Ids with the places where they stand, on disk."""

import sqlite3

import orjson

from chaperone_cli.domain.conversation import Source
from chaperone_cli.readers.scratch import open_scratch, scratch_error

_TABLES = """
    CREATE TABLE blocks (number INTEGER PRIMARY KEY, places BLOB);
    CREATE TABLE late (id TEXT PRIMARY KEY, path INTEGER, line INTEGER, item INTEGER) WITHOUT ROWID;
"""
_ADD = "INSERT INTO blocks VALUES (?, ?)"
_GET = "SELECT places FROM blocks WHERE number = ?"
_ADD_LATE = "INSERT OR IGNORE INTO late VALUES (?, ?, ?, ?)"
_GET_LATE = "SELECT path, line, item FROM late WHERE id = ?"
BLOCK = 256
"""Ids in a row of the database, which takes an eighth of the time that a row for each would."""

_Place = tuple[str, int, int, int | None]
"""An id, and its place with the number of the path instead of the path."""


class IdPlaces:
    """Ids and their places, to be looked up by the numbers that the ids were given.

    Behind these come late ones without numbers, to be looked up by themselves, which takes several
    times as long. Everything but `close` raises InputError where the temporary folder is full.
    """

    def __init__(self) -> None:
        self._database = open_scratch(_TABLES)
        self._cursor = self._database.cursor()
        self._paths: list[str] = []
        self._begun: list[_Place] = []
        """Those of the last block, which is not written yet."""
        self._written = 0
        self._found: tuple[int, list[_Place]] = (-1, [])
        """The block last looked up: repeated logs ask for all its ids in a row."""

    @property
    def count(self) -> int:
        """The ids that have numbers, which is the number of the next one."""
        return self._written * BLOCK + len(self._begun)

    def add(self, id: str, source: Source) -> None:
        """Sets `id` aside under the number `count`."""
        path, line, item = source
        self._begun.append((id, self._path(path), line, item))
        if len(self._begun) == BLOCK:
            self._write()

    def __getitem__(self, number: int) -> tuple[str, Source]:
        block, at = divmod(number, BLOCK)
        id_, path, line, item = self._block(block)[at]
        return id_, Source(self._paths[path], line, item)

    def add_late(self, id: str, source: Source) -> Source | None:
        """Sets `id` aside without a number; gives where it stood before, if that is known."""
        try:
            place = (id, self._path(source.path), source.line, source.item)
            if self._cursor.execute(_ADD_LATE, place).rowcount:
                return None
            path, line, item = self._cursor.execute(_GET_LATE, (id,)).fetchone()
        except sqlite3.Error as error:
            raise scratch_error(error) from error
        return Source(self._paths[path], line, item)

    def close(self) -> None:
        """Deletes everything that was set aside."""
        self._database.close()

    def _path(self, path: str) -> int:
        if not self._paths or self._paths[-1] != path:
            self._paths.append(path)
        return len(self._paths) - 1

    def _write(self) -> None:
        try:
            self._cursor.execute(_ADD, (self._written, orjson.dumps(self._begun)))
        except sqlite3.Error as error:
            raise scratch_error(error) from error
        self._written += 1
        self._begun.clear()

    def _block(self, number: int) -> list[_Place]:
        if number == self._written:
            return self._begun
        if number != self._found[0]:
            try:
                (data,) = self._cursor.execute(_GET, (number,)).fetchone()
            except sqlite3.Error as error:
                raise scratch_error(error) from error
            self._found = (number, orjson.loads(data))
        return self._found[1]
