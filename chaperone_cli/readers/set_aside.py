"""Streams set aside on disk, for formats that have their contents at their end."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from chaperone_cli.domain.problem import Problem
from chaperone_cli.errors import InputError
from chaperone_cli.readers.inputs import reason
from chaperone_cli.readers.log import Log

SIZE_LIMIT = 16 << 30
"""Bytes; whatever is longer should lie in a file of its own."""


@contextmanager
def set_aside(log: Log, size_limit: int = SIZE_LIMIT) -> Iterator[int | Problem]:
    """Gives the descriptor of a file with all bytes of `log`, or a Problem where they do not come.

    The file has no name, so that no conversation stays behind even after a crash, and ends with
    the context. Raises InputError where the temporary folder cannot hold it.
    """
    with tempfile.TemporaryFile() as file:
        size = 0
        for data in log.chunks():
            size += len(data)
            if size > size_limit:
                limit = f"{size_limit:,} bytes"
                yield log.problem(f"it is longer than {limit}; save it and name the file itself")
                return
            try:
                file.write(data)
            except OSError as error:
                raise _no_room(error) from error
        try:
            file.flush()
        except OSError as error:
            raise _no_room(error) from error
        yield log.damage("it has its contents at its end, so nothing of it was read") or (
            file.fileno()
        )


def _no_room(error: OSError) -> InputError:
    return InputError(
        f"the temporary folder cannot hold what comes as a stream: {reason(error)}",
        hint="free some disk space, set TMPDIR to a folder with room for it, or name the file",
    )
