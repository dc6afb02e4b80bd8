"""A private database on disk for what would not fit into memory while logs are read."""

import sqlite3

from chaperone_cli.errors import InputError

_CACHE_KIB = 2048


def open_scratch(tables: str) -> sqlite3.Connection:
    """Opens an empty database with `tables`, which ends with its connection.

    Its file lies unnamed in the system's temporary folder, readable by this user only: SQLite
    unlinks it as soon as it is open, so that no conversation stays behind even after a crash.
    """
    # One iteration may move between threads, as long as only one runs it at a time.
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for setting in (
        "journal_mode = OFF",
        "synchronous = OFF",
        "temp_store = FILE",
        f"cache_size = -{_CACHE_KIB}",
    ):
        database.execute(f"PRAGMA {setting}")
    database.executescript(tables)
    # Never committed: there is nobody to read it afterwards.
    database.execute("BEGIN")
    return database


def scratch_error(error: sqlite3.Error) -> InputError:
    """Says that the temporary folder cannot take what reading needs to set aside."""
    return InputError(
        f"the temporary folder cannot hold the log while it is read: {error}",
        hint="free some disk space, or set SQLITE_TMPDIR to a folder with room for the whole log",
    )
