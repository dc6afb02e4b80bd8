"""The ids of all conversations read so far, with their places; on disk where they are many."""

import sqlite3

from chaperone_cli.domain.conversation import Source
from chaperone_cli.readers.scratch import open_scratch, scratch_error

_TABLES = """
    CREATE TABLE ids (id TEXT PRIMARY KEY, path INTEGER, line INTEGER, item INTEGER) WITHOUT ROWID;
"""
_ADD = "INSERT OR IGNORE INTO ids VALUES (?, ?, ?, ?)"
_FIND = "SELECT path, line, item FROM ids WHERE id = ?"
_MOST_IN_MEMORY = 1 << 14
"""Ids that are kept without a database, in about 4 MB; beyond, memory must not grow."""


class KnownIds:
    """An exact set of ids whose memory does not grow."""

    def __init__(self) -> None:
        self._few: dict[str, Source] = {}
        self._many: _IdsOnDisk | None = None

    def add(self, id: str, source: Source) -> Source | None:
        """Remembers that `id` stands at `source`; gives where it stood before, if it did."""
        if self._many is not None:
            return self._many.add(id, source)
        first = self._few.get(id)
        if first is None:
            self._few[id] = source
            if len(self._few) == _MOST_IN_MEMORY:
                self._move_to_disk()
        return first

    def _move_to_disk(self) -> None:
        self._many = _IdsOnDisk()
        for known, source in self._few.items():
            self._many.add(known, source)
        self._few.clear()

    def close(self) -> None:
        """Deletes the set."""
        if self._many is not None:
            self._many.close()


class _IdsOnDisk:
    def __init__(self) -> None:
        self._database = open_scratch(_TABLES)
        self._cursor = self._database.cursor()
        self._paths: list[str] = []

    def add(self, id: str, source: Source) -> Source | None:
        if not self._paths or self._paths[-1] != source.path:
            self._paths.append(source.path)
        try:
            place = (id, len(self._paths) - 1, source.line, source.item)
            if self._cursor.execute(_ADD, place).rowcount:
                return None
            path, line, item = self._cursor.execute(_FIND, (id,)).fetchone()
        except sqlite3.Error as error:
            raise scratch_error(error) from error
        return Source(self._paths[path], line, item)

    def close(self) -> None:
        self._database.close()
