"""What the calls of all runs on one vote store have cost, kept in the store's file.

A run notes what it sets aside before a call, and what calls cost after them. What a run that was
killed had set aside stays noted: those calls were under way, and the server may have billed them.
"""

import os
import secrets
from functools import cached_property
from pathlib import Path

from chaperone_cli.store_file import StoreFile

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

        self._spent = self._set_aside = 0.0

    def note(self, spent: float, set_aside: float) -> None:
        """Adds to what this run has spent and has set aside, in US dollars; raises StoreError.

        A call costs at most what was set aside for it, so that its end is only noted in the file
        with the next call: what stands there is never too little.
        """
        self._spent += spent
        self._set_aside = max(0.0, self._set_aside + set_aside)
        if set_aside > 0:
            self._write()

    def hold(self, batch: int, dollars: float) -> None:
        """Sets dollars aside for a batch, which a later run may collect; raises StoreError."""
        self._file.change("REPLACE INTO spending VALUES (?, 0, ?)", (f"batch {batch}", dollars))

    def free(self, batch: int) -> None:
        """Gives back what was set aside for a batch; raises StoreError."""
        self._file.change("DELETE FROM spending WHERE run = ?", (f"batch {batch}",))

    def total(self) -> float:
        """Returns the US dollars that all runs have spent or set aside; raises StoreError."""
        [(others,)] = self._file.rows(
            "SELECT total(dollars + set_aside) FROM spending WHERE run <> ?", (self._run,)
        )
        return float(others) + self._spent + self._set_aside

    def close(self) -> None:
        """Closes the file."""
        if "_file" in self.__dict__:
            if self._spent or self._set_aside:
                self._write()
            self._file.close()
            del self._file

    def _write(self) -> None:
        values = (self._run, self._spent, self._set_aside)
        self._file.change("REPLACE INTO spending VALUES (?, ?, ?)", values)

    @cached_property
    def _file(self) -> StoreFile:
        return StoreFile(self._path, _TABLE, "what calls cost")
