"""Report files under way: written beside their place, and moved there once they are whole."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, BinaryIO

from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.errors import OutputError, UsageError
from chaperone_cli.reports.interface import Reporter

_ANYBODY_WRITES = 0o222
_CHUNK = 1 << 16
_IN_MEMORY = 1 << 20


def place_of(path: Path, ending: Ending) -> Path:
    """The file that a run with `ending` writes where it was told to write `path`.

    What a run that was cut short says never takes the place of what a whole run said: it stands
    beside it, as `report.incomplete.json`. Beside the file itself where `path` is a link to it.
    """
    if ending is Ending.COMPLETE:
        return path
    beside = Path(os.path.realpath(path)) if path.is_symlink() else path
    return beside.with_name(f"{beside.stem}.incomplete{beside.suffix}")


class AtomicFile:
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
        self._sections: list[Section] = []

    def section(self, content: str) -> "Section":
        """A part that is written before its place in the file; `content` names it in errors."""
        self._sections.append(Section(self, content))
        return self._sections[-1]

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
        self.abandon()

    def abandon(self) -> None:
        """Removes what was written; harmless where there is nothing."""
        for section in self._sections:
            section.close()
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


@contextmanager
def written(path: Path) -> Iterator[AtomicFile]:
    """The file that `path` will be: complete once the block ends, else as it was before."""
    file = AtomicFile(path)
    file.open()
    try:
        yield file
    except BaseException:
        file.abandon()
        raise
    file.commit()


class Section:
    """Bytes kept for a later place in `file`: in memory, or unnamed on disk where they get many.

    It lives as long as its file is under way. A disk that will not have it raises OutputError, and
    the file is abandoned.
    """

    def __init__(self, file: AtomicFile, content: str) -> None:
        self._file = file
        self._content = content
        self._kept: IO[bytes] | None = None
        self.parts = 0
        """How many times something was added."""

    def add(self, data: bytes) -> None:
        """Adds `data`."""
        with self._reported():
            if self._kept is None:
                self._kept = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
            self._kept.write(data)
        self.parts += 1

    def write(self) -> None:
        """Writes everything that was added to the file, in its order."""
        if self._kept is None:
            return
        with self._reported():
            self._kept.seek(0)
            while chunk := self._kept.read(_CHUNK):
                self._file.write(chunk)

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
            self._file.abandon()
            raise OutputError(
                f"cannot keep {self._content} for {self._file.path}: {exc.strerror or exc}",
                hint="make room in the folder for temporary files (TMPDIR)",
            ) from exc


class FileReporter(Reporter):
    """A reporter that writes one file; an earlier report of its name stays until it is whole."""

    def __init__(self, path: Path) -> None:
        self._file = AtomicFile(path)

    def open(self, header: RunHeader) -> None:
        """Starts the file."""
        self._header = header
        self._file.open()

    def close(self, summary: Summary, usage: Usage) -> None:
        """Moves the file into place."""
        self._file.commit(summary.ending)

    def abandon(self) -> None:
        """Removes the unfinished file."""
        self._file.abandon()
