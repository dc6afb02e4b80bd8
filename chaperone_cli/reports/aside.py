"""Parts of a report file that come before their place in it, kept until that place is reached."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from chaperone_cli.errors import OutputError

_CHUNK = 1 << 16
_IN_MEMORY = 1 << 20


class Aside:
    """Bytes set aside for the file `path`: in memory, or unnamed on disk where they get many."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: IO[bytes] | None = None
        self.parts = 0
        """How many times something was added."""

    def add(self, data: bytes) -> None:
        """Adds `data`; raises OutputError where the disk will not have it."""
        with self._reported():
            if self._kept is None:
                self._kept = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
            self._kept.write(data)
        self.parts += 1

    def chunks(self) -> Iterator[bytes]:
        """Gives back everything that was added, in its order."""
        if self._kept is None:
            return
        with self._reported():
            self._kept.seek(0)
            while chunk := self._kept.read(_CHUNK):
                yield chunk

    def close(self) -> None:
        """Deletes what was kept."""
        if self._kept is not None:
            # Closing flushes, and so fails again on a full disk.
            with suppress(OSError):
                self._kept.close()
            self._kept = None

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            raise OutputError(
                f"cannot set a part of {self._path} aside: {exc.strerror or exc}",
                hint="make room in the folder for temporary files (TMPDIR)",
            ) from exc
