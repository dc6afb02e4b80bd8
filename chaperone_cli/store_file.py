"""The vote store's file, opened alike by whatever keeps its tables in it."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chaperone_cli.errors import NoStoreError, StoreError

LAYOUT = 1
"""Raised when the tables change; kept in SQLite's `user_version`."""
_HINT = "name another file with --store, or go without one with --no-store"

Values = Sequence[object] | Mapping[str, object]


class StoreFile:
    """An SQLite file: safe against a crash at any moment, and shared between processes.

    What is written is on disk when a call returns, as far as a killed process goes.
    """

    def __init__(
        self, path: Path, tables: str, holds: str, *, hint: str = _HINT, durable: bool = False
    ) -> None:
        """Opens the file at `path`, or creates it, with these `tables`; raises NoStoreError.

        `holds` says in errors what is kept in them, and `hint` what to do. What is `durable`
        outlasts a power failure too.
        """
        self.path = path
        self._holds = holds
        self._hint = hint
        with self.guarded("opened", NoStoreError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if found > LAYOUT:
                raise NoStoreError(
                    f"{path}: the vote store was written by a newer chaperone",
                    hint="update chaperone, or name another store with --store",
                )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._db.executescript(tables)
            if found < LAYOUT:
                self._db.execute(f"PRAGMA user_version = {LAYOUT}")

    def rows(self, query: str, values: Values = ()) -> list[Any]:
        """Returns the rows of a query; raises StoreError."""
        with self.guarded("read"):
            return self._db.execute(query, values).fetchall()

    def change(self, statement: str, values: Values = ()) -> sqlite3.Cursor:
        """Runs a statement that changes something; raises StoreError."""
        with self.guarded("written"):
            return self._db.execute(statement, values)

    def change_each(self, statement: str, values: Sequence[Values]) -> None:
        """Runs a statement once for each of `values`; raises StoreError."""
        with self.guarded("written"):
            self._db.executemany(statement, values)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Makes all changes of the block, or none of them; raises StoreError."""
        self.change("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.change("ROLLBACK")
            raise
        self.change("COMMIT")

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    @contextmanager
    def guarded(self, verb: str, kind: type[StoreError] = StoreError) -> Iterator[None]:
        """Turns what SQLite and the system raise in the block into one of ours."""
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as exc:
            raise kind(
                f"{self.path}: {self._holds} cannot be {verb}: {exc}", hint=self._hint
            ) from exc
