"""A report file under way: written beside its place, and moved there once it is whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from chaperone_cli.domain.run import Ending
from chaperone_cli.errors import OutputError, UsageError


def place_of(path: Path, ending: Ending) -> Path:
    """Names the file that a run with `ending` writes where it was told to write `path`.

    What a run that was cut short says never takes the place of what a whole run said: it stands
    beside it, as `report.incomplete.json`. Beside the file itself where `path` is a link to it.
    """
    if ending is Ending.COMPLETE:
        return path
    beside = Path(os.path.realpath(path)) if path.is_symlink() else path
    return beside.with_name(f"{beside.stem}.incomplete{beside.suffix}")


class Target:
    """The file that a report will be; until `commit` a file of that name stays as it is.

    `check` and `open` raise UsageError for a place that cannot be written. Every other method
    raises OutputError where the disk will not have it; nothing half written is left behind.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Through a link, so that a report linked from elsewhere stays linked.
        self._place = Path(os.path.realpath(path))
        self._temporary = self._place.with_name(f".chaperone-{token_hex(8)}.tmp")
        self._file: BinaryIO | None = None

    def open(self) -> None:
        """Starts the file."""
        self._check_place()
        try:
            self._file = open(self._temporary, "xb")  # noqa: SIM115  (open until commit)
        except OSError as exc:
            raise UsageError(
                f"cannot write {self.path}: {exc.strerror or exc}",
                hint="mend the permissions, or name another place with --output",
            ) from exc

    def check(self) -> None:
        """Makes sure that the file can be written, before anything is spent on its content."""
        self.open()
        self.abandon()

    def write(self, data: bytes) -> None:
        """Adds `data`."""
        with self._reported():
            self._opened.write(data)

    def commit(self, ending: Ending = Ending.COMPLETE) -> None:
        """Completes the file and moves it into the place of such an ending, whole or not at all."""
        with self._reported():
            self._opened.flush()
            os.fsync(self._opened.fileno())
            self._opened.close()
            os.replace(self._temporary, os.path.realpath(place_of(self.path, ending)))
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

    def _check_place(self) -> None:
        folder = self._place.parent
        if not folder.is_dir():
            raise UsageError(
                f"cannot write {self.path}: there is no folder {self.path.parent}",
                hint="create the folder, or name another place with --output",
            )
        if self._place.is_dir():
            raise UsageError(
                f"cannot write {self.path}: it is a folder", hint="name a file with --output"
            )
        if not self._place.exists():
            return
        if not self._place.is_file():
            # A report is moved into its place, which would put a file where the device was.
            raise UsageError(
                f"cannot write {self.path}: it is no file but a pipe or a device",
                hint="name a file with --output",
            )
        writable = self._place.stat().st_mode & _ANYBODY_WRITES
        if not (writable and os.access(self._place, os.W_OK)):
            # Moving needs no permission to write what is replaced, and root has every permission.
            raise UsageError(
                f"cannot write {self.path}: it is write-protected",
                hint="mend the permissions, or name another place with --output",
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


_ANYBODY_WRITES = 0o222
