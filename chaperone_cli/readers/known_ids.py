"""The ids of all conversations read so far, with their places, on disk rather than in memory."""

import sqlite3

from chaperone_cli.domain.conversation import Source
from chaperone_cli.readers.scratch import open_scratch, scratch_error

_TABLES = """
    CREATE TABLE ids (id TEXT PRIMARY KEY, path INTEGER, line INTEGER, item INTEGER) WITHOUT ROWID;
"""
_ADD = "INSERT OR IGNORE INTO ids VALUES (?, ?, ?, ?)"
_FIND = "SELECT path, line, item FROM ids WHERE id = ?"


class KnownIds:
    """An exact set of ids whose memory does not grow."""

    def __init__(self) -> None:
        self._database = open_scratch(_TABLES)
        self._cursor = self._database.cursor()
        self._paths: list[str] = []

    def add(self, id: str, source: Source) -> Source | None:
        """Remembers that `id` stands at `source`; gives where it stood before, if it did."""
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
        """Deletes the set."""
        self._database.close()
