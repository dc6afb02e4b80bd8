"""What a command reads and what it writes: no output ever stands on an input."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import TextIO

from chaperone_cli.auditing.build import files_read
from chaperone_cli.config import Settings, find
from chaperone_cli.domain.run import Ending
from chaperone_cli.errors import UsageError
from chaperone_cli.readers.inputs import STDIN
from chaperone_cli.reports.evidence_folder import FILES, folder_of
from chaperone_cli.reports.files import AtomicFile, place_of

Identity = tuple[int, int] | str
"""Device and inode of a file that is there, whatever it is called; else its resolved path."""
_CUT_SHORT = Ending.INTERRUPTED


def keep_apart(
    settings: Settings,
    config: Path | None,
    logs: Sequence[str] = (),
    *,
    outputs: Sequence[str | Path] = (),
    also_read: Sequence[Path | None] = (),
    folders: bool = False,
) -> None:
    """Raises UsageError where an output is an input, is named twice or cannot be written.

    `folders` says that an output may be an evidence folder.
    Nothing is read before this: not even a run that fails may cost an input.
    """
    read = {_identity(path): path for path in _read(settings, config, logs, also_read)}
    if STDIN in logs:
        read |= dict.fromkeys(_of_stream(sys.stdin), "standard input")
    written: dict[Identity, str] = {}
    for path in outputs:
        for place in _places(str(path), folders):
            _claim(_identity(place), str(path), read, written)
    if settings.store is not None and not settings.no_store:
        _claim(_identity(settings.store), str(settings.store), read, written)
    for stream in (sys.stdout, sys.stderr):
        for identity in _of_stream(stream):
            _claim(identity, "standard output", read, dict(written))
    for path in outputs:
        _check(str(path), folders)


def _claim(
    identity: Identity, path: str, read: dict[Identity, str], written: dict[Identity, str]
) -> None:
    if identity in read:
        known = read[identity]
        other = "" if known == path else f"; it is the same file as {known}"
        raise UsageError(
            f"{path}: what is read here would be overwritten{other}",
            hint="write to another file",
        )
    if identity in written:
        raise UsageError(f"{path}: named twice as output", hint="name each file once")
    written[identity] = path


def _read(
    settings: Settings, config: Path | None, logs: Sequence[str], also: Sequence[Path | None]
) -> Iterator[str]:
    yield from (path for path in logs if path != STDIN)
    yield from (path for path in files_read(logs, settings) if path != STDIN)
    files = (
        config or find(Path.cwd()),
        settings.baseline,
        settings.prices,
        settings.hash_key_file,
        *also,
    )
    if settings.rubric.endswith(".toml"):
        files = (*files, Path(settings.rubric))
    for file in files:
        if file is not None:
            yield str(file)
            yield from (str(file / name) for name in FILES if file.is_dir())


def is_folder(path: str) -> bool:
    """Says whether an output is an evidence folder: it ends in a slash, or is a folder."""
    return path.endswith(("/", "\\")) or Path(path).is_dir()


def place(path: str, ending: Ending) -> str:
    """Names what a run with `ending` writes where it was told to write `path`."""
    if ending is Ending.COMPLETE:
        return path
    return str((folder_of if is_folder(path) else place_of)(Path(path), ending))


def _places(path: str, folders: bool) -> Iterator[Path]:
    """Gives every file that may come to be where `path` is an output."""
    if path == STDIN:
        return
    for ending in (Ending.COMPLETE, _CUT_SHORT):
        if folders and is_folder(path):
            yield from (folder_of(Path(path), ending) / name for name in FILES)
        else:
            yield place_of(Path(path), ending)


def _identity(path: str | Path) -> Identity:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _of_stream(stream: TextIO | None) -> list[Identity]:
    """Gives the file that a standard stream was redirected to, if it is one."""
    try:
        status = os.fstat(stream.fileno()) if stream is not None else None
    except (OSError, ValueError):
        return []
    return [(status.st_dev, status.st_ino)] if status and S_ISREG(status.st_mode) else []


def _check(path: str, folders: bool) -> None:
    if path == STDIN:
        return
    if not (folders and is_folder(path)):
        AtomicFile(Path(path)).check()
        return
    folder = Path(path)
    if folder.is_dir():
        AtomicFile(folder / FILES[0]).check()
    elif not folder.parent.is_dir():
        raise UsageError(
            f"cannot make the folder {folder}: there is no folder {folder.parent}",
            hint="make the folder that it lies in, or name another place with --output",
        )
