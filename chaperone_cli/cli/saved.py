"""Opens saved runs for commands, and says so where a path names a log instead."""

from pathlib import Path

from chaperone_cli.codec import saved_run
from chaperone_cli.codec.saved_run import SavedRun
from chaperone_cli.errors import InputError, UsageError
from chaperone_cli.readers.log_reader import seems_a_log


def open_run(path: Path) -> SavedRun:
    """Opens the run saved at `path`; raises InputError, with what to do instead for a log.

    Raises UsageError for a stream, because a saved run is read more than once.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise UsageError(
            f"{path}: this is a stream, and a saved run is read more than once",
            hint="write it to a file, and name that",
        )
    try:
        return saved_run.open_run(path)
    except InputError as error:
        if not seems_a_log(path):
            raise
        raise InputError(
            f"{path}: this is a log, not a saved report",
            hint=f"judge it first: chaperone audit {path} -o report.json",
        ) from error
