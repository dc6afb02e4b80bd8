"""What the calls of all runs on one vote store have cost, kept in the store's file.

A run notes what it sets aside before a call and what the call cost after it. What a run that was
killed had set aside stays noted: those calls were under way, and the server may have billed them.
"""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chaperone_cli.errors import StoreError

_TABLE = """
CREATE TABLE IF NOT EXISTS spending (
    run TEXT PRIMARY KEY, dollars REAL NOT NULL, set_aside REAL NOT NULL
) WITHOUT ROWID
"""


class Ledger:
    """One run's account among those of all runs on the store at `path`."""

    def __init__(self, path: Path) -> None:
        """Opens nothing yet: a run that makes no call leaves no trace."""
        self._path = path
        self._run = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._db: sqlite3.Connection | None = None

    def note(self, spent: float, set_aside: float) -> None:
        """Adds to what this run has spent and has set aside, in US dollars; raises StoreError."""
        with self._failing_clearly():
            self._open().execute(
                "INSERT INTO spending VALUES (?, ?, ?) ON CONFLICT (run) DO UPDATE SET "
                "dollars = dollars + excluded.dollars, "
                "set_aside = max(0, set_aside + excluded.set_aside)",
                (self._run, spent, set_aside),
            )

    def hold(self, batch: int, dollars: float) -> None:
        """Sets dollars aside for a batch, which a later run may collect; raises StoreError."""
        with self._failing_clearly():
            self._open().execute(
                "INSERT OR REPLACE INTO spending VALUES (?, 0, ?)", (f"batch {batch}", dollars)
            )

    def free(self, batch: int) -> None:
        """Gives back what was set aside for a batch; raises StoreError."""
        with self._failing_clearly():
            self._open().execute("DELETE FROM spending WHERE run = ?", (f"batch {batch}",))

    def total(self) -> float:
        """Gives the US dollars that all runs have spent or set aside; raises StoreError."""
        with self._failing_clearly():
            found = self._open().execute("SELECT total(dollars + set_aside) FROM spending")
            return float(found.fetchone()[0])

    def close(self) -> None:
        """Closes the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute(_TABLE)
        return self._db

    @contextmanager
    def _failing_clearly(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as exc:
            raise StoreError(
                f"{self._path}: what calls cost cannot be noted: {exc}",
                hint="name another file with --store, or go without one with --no-store",
            ) from exc
