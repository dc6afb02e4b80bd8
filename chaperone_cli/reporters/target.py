"""A report file under way: written beside its place, and moved there once it is whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from chaperone_cli.errors import OutputError


class Target:
    """The file that a report will be; until `commit` a file of that name stays as it is.

    Every method raises OutputError where the disk will not have it, and leaves nothing half
    written behind.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Through a link, so that a report linked from elsewhere stays linked.
        self._place = Path(os.path.realpath(path))
        self._temporary = self._place.with_name(f".chaperone-{token_hex(8)}.tmp")
        self._file: BinaryIO | None = None

    def open(self) -> None:
        """Starts the file."""
        self.check()
        with self._reported():
            self._file = open(self._temporary, "xb")  # noqa: SIM115  (open until commit)

    def write(self, data: bytes) -> None:
        """Adds `data`."""
        with self._reported():
            self._opened.write(data)

    def commit(self) -> None:
        """Completes the file and moves it into place, whole or not at all."""
        with self._reported():
            self._opened.flush()
            os.fsync(self._opened.fileno())
            self._opened.close()
            os.replace(self._temporary, self._place)
        self._file = None

    def abandon(self) -> None:
        """Removes what was written; harmless where there is nothing."""
        if self._file is None:
            return
        # Closing flushes, and so fails again on a full disk.
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._temporary.unlink()
        self._file = None

    @property
    def _opened(self) -> BinaryIO:
        if self._file is None:
            raise OutputError(f"cannot write {self.path}: the report was given up before")
        return self._file

    def check(self) -> None:
        """Makes sure that there is a folder for it, before anything is spent on its content."""
        folder = self._place.parent
        if not folder.is_dir():
            raise OutputError(
                f"cannot write {self.path}: there is no folder {self.path.parent}",
                hint="create the folder, or name another place with --output",
            )
        if self._place.is_dir():
            raise OutputError(
                f"cannot write {self.path}: it is a folder", hint="name a file with --output"
            )

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            self.abandon()
            raise OutputError(
                f"cannot write {self.path}: {exc.strerror or exc}",
                hint="make room or mend the permissions, or name another place with --output",
            ) from exc
