"""Paths, folders and patterns as they were given, and the files that they come to."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from stat import S_ISDIR, S_ISREG

from chaperone_cli.domain.problem import Problem, Severity

STDIN = "-"
LOG_SUFFIXES = (
    ".jsonl",
    ".ndjson",
    ".json",
    ".csv",
    ".tsv",
    ".jsonl.gz",
    ".ndjson.gz",
    ".json.gz",
    ".csv.gz",
    ".zip",
    ".eval",
    ".parquet",
)
"""What a folder is searched for; a file that is named itself may have any name."""
VOTES_SUFFIXES = (".votes.jsonl", ".votes.jsonl.gz")
"""Votes lie beside logs, and are none."""


@dataclass(frozen=True, slots=True)
class Input:
    """One file to read."""

    path: str
    """As the system needs it; `-` for standard input."""
    size: int | None
    """Its bytes on disk; None where that cannot be known, as of a pipe."""

    @property
    def name(self) -> str:
        """The path as it can be shown and stored, even where its bytes are not UTF-8."""
        return display(self.path)


def display(path: str) -> str:
    """Gives `path` as valid text."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def find_inputs(paths: Sequence[str]) -> list[Input | Problem]:
    """Gives every file that `paths` come to, once, in their order; folders are read sorted."""
    return list(_Search().all(paths))


class _Search:
    """Remembers what was already found, however it was reached."""

    def __init__(self) -> None:
        self._files: set[tuple[int, int]] = set()
        self._stdin = False

    def all(self, paths: Sequence[str]) -> Iterator[Input | Problem]:
        for path in paths:
            if path == STDIN:
                yield from self._standard_input()
            elif os.path.lexists(path) or not has_magic(path):
                yield from self._named(path)
            else:
                yield from self._pattern(path)

    def _standard_input(self) -> Iterator[Input]:
        if not self._stdin:
            self._stdin = True
            yield Input(STDIN, None)

    def _named(self, path: str) -> Iterator[Input | Problem]:
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            yield _unreachable(path, error)
            return
        if not S_ISDIR(status.st_mode):
            yield from self._file(path, status)
            return
        found = False
        for item in self._folder(path, ()):
            found = True
            if item is not None:
                yield item
        if not found:
            yield _problem(path, f"this folder holds no log; looked for {_looked_for()} in it")

    def _pattern(self, pattern: str) -> Iterator[Input | Problem]:
        matches = sorted(glob(pattern, recursive=True))
        found = False
        for match in matches:
            if os.path.isdir(match):
                for item in self._folder(match, ()):
                    found = True
                    if item is not None:
                        yield item
            else:
                found = True
                yield from self._come_upon(match)
        if not found:
            yield _problem(pattern, "this pattern matches no file; check it, or name a folder")

    def _come_upon(self, path: str) -> Iterator[Input | Problem]:
        """Gives a file that nobody named: reading a pipe or a device may take for ever."""
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            yield _unreachable(path, error)
            return
        if S_ISREG(status.st_mode):
            yield from self._file(path, status)
        else:
            message = "passed over: no file but a pipe, a socket or a device; name it to read it"
            yield Problem(Severity.WARNING, display(path), message)

    def _file(self, path: str, status: os.stat_result) -> Iterator[Input]:
        identity = (status.st_dev, status.st_ino)
        if identity not in self._files:
            self._files.add(identity)
            yield Input(path, status.st_size if S_ISREG(status.st_mode) else None)

    def _folder(
        self, path: str, above: tuple[tuple[int, int], ...]
    ) -> Iterator[Input | Problem | None]:
        """Gives the logs in a folder and below; None for one that was already found."""
        try:
            status = os.stat(path)
            entries = sorted(os.listdir(path))
        except OSError as error:
            yield _unreachable(path, error)
            return
        identity = (status.st_dev, status.st_ino)
        if identity in above:  # a link that leads back up
            return
        for entry in entries:
            if not entry.startswith("."):
                yield from self._entry(os.path.join(path, entry), (*above, identity))

    def _entry(
        self, path: str, above: tuple[tuple[int, int], ...]
    ) -> Iterator[Input | Problem | None]:
        if os.path.isdir(path):
            yield from self._folder(path, above)
        elif path.endswith(LOG_SUFFIXES) and not path.endswith(VOTES_SUFFIXES):
            new: list[Input | Problem] = list(self._come_upon(path))
            yield from new or (None,)


def _looked_for() -> str:
    return ", ".join(f"*{suffix}" for suffix in LOG_SUFFIXES)


def _unreachable(path: str, error: Exception) -> Problem:
    if isinstance(error, FileNotFoundError) and not os.path.islink(path):
        return _problem(path, "there is no such file or folder")
    return _problem(path, f"cannot be read: {reason(error)}")


def reason(error: Exception) -> str:
    """Says in the system's words why a file cannot be read."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]


def _problem(path: str, message: str) -> Problem:
    return Problem(Severity.ERROR, display(path), message)
