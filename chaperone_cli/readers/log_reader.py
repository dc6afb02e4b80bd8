"""Reads all conversations of all inputs, one after the other, and says what could not be read."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.errors import UsageError
from chaperone_cli.readers.account import Account
from chaperone_cli.readers.archive import EMPTY_ZIP_MAGIC, ZIP_MAGIC
from chaperone_cli.readers.archive_log import read_archive
from chaperone_cli.readers.formats import FORMATS, choose_format, is_recognised
from chaperone_cli.readers.inputs import STDIN, Input, find_inputs, reason
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.known_ids import KnownIds
from chaperone_cli.readers.log import LINE_LIMIT, Log
from chaperone_cli.readers.parquet import PARQUET_MAGIC, Parquet
from chaperone_cli.readers.set_aside import set_aside
from chaperone_cli.readers.streams import open_stream
from chaperone_cli.readers.times import instant

_ZIP_MAGICS = (ZIP_MAGIC, EMPTY_ZIP_MAGIC)
_EMPTY = "this file is empty: it holds no conversation"
PROBLEM_LIMIT = 1000
"""Problems told one by one in each file; the rest are counted."""


_DATED = ("chatgpt", "claude")
"""Formats of exports that hold everything up to their day, and say when it was last changed."""
_MOST_STATES = 1 << 16
"""Conversations that are compared, in about 20 MB; of those beyond, the first one stands."""


class _State(NamedTuple):
    at: datetime
    """When the conversation was last changed."""
    source: Source


class LogReader:
    """The conversations of `paths` in input order, with a Problem for whatever cannot be audited.

    A path is a file, a folder (searched for logs), a pattern such as `logs/**/*.jsonl`, or `-` for
    standard input. `format` is one of FORMATS; without it each file's format is recognised by its
    content. `problem_limit` is None where every single problem is wanted; `line_limit` bounds the
    bytes of a line or document; `branches` says what is read of conversations that fork.

    It can be iterated once. Raises UsageError for an unknown format, and InputError where the
    temporary folder is full; anything wrong with the inputs themselves is a Problem.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        format: str | None = None,
        stdin: BinaryIO | None = None,
        problem_limit: int | None = PROBLEM_LIMIT,
        line_limit: int = LINE_LIMIT,
        branches: Branches = Branches.LAST,
    ) -> None:
        self._format = _named_format(format)
        self._stdin = stdin
        self._problem_limit = problem_limit
        self._line_limit = line_limit
        self._branches = branches
        self._inputs = find_inputs(paths)
        self._begun = False
        self._finished = 0
        self._current = 0
        sizes = [item.size for item in self._inputs if isinstance(item, Input)]
        known = [size for size in sizes if size is not None]
        self.bytes_total = sum(known) if len(known) == len(sizes) else None
        """Bytes on disk of all files, compressed as they are; None where one is a stream."""
        self.account = Account()
        """What became of the text in the logs that were read to their end."""

    @property
    def bytes_read(self) -> int:
        """The position so far among `bytes_total`."""
        return self._finished + self._current

    def __iter__(self) -> Iterator[Conversation | Problem]:
        if self._begun:
            raise RuntimeError("a LogReader can be iterated once: its inputs may be streams")
        self._begun = True
        return chain.from_iterable(self._by_input())

    def _by_input(self) -> Iterator[Iterable[Conversation | Problem]]:
        newest = self._newest()
        with closing(KnownIds()) as known:
            for item in self._inputs:
                if isinstance(item, Problem):
                    yield [item]
                    continue
                items = _not_outdated(self._read(item), newest) if newest else self._read(item)
                yield _told(items, known, item.name, self._problem_limit)
                self._finished += self._current if item.size is None else item.size
                self._current = 0

    def _newest(self) -> dict[str, _State]:
        """Finds the newest states of conversations that stand in several exports.

        Exports hold everything up to their day, so that those of two days hold most of it twice.
        They are read twice for it, as far as they lie in files.
        """
        files = [item for item in self._inputs if isinstance(item, Input) and item.size]
        exports = [file for file in files if len(files) > 1 and _seems_an_export(file.path)]
        newest: dict[str, _State] = {}
        repeated: dict[str, _State] = {}
        for export in exports if len(exports) > 1 else ():
            for item in self._read(export):
                if isinstance(item, Problem) or (state := _state(item)) is None:
                    continue
                if (other := newest.get(item.id)) is not None:
                    newer = state if state.at > other.at else other
                    repeated[item.id] = newest[item.id] = newer
                elif len(newest) < _MOST_STATES:
                    newest[item.id] = state
            self._current = 0
        self.account = Account()
        return repeated

    def _read(self, item: Input) -> Iterator[Conversation | Problem]:
        try:
            kind = _first_bytes(item)
            stream = None if self._seeks(kind) else self._open(item)
        except OSError as error:
            yield Problem(Severity.ERROR, item.name, f"cannot be opened: {reason(error)}")
            return
        if stream is None:
            yield from self._read_seeking(item, kind)
            return
        with stream:
            log = Log(item.name, stream, self._line_limit, self._branches)
            if log.head.start.startswith(_ZIP_MAGICS) and item.size is None:
                with set_aside(log) as file:
                    yield from [file] if isinstance(file, Problem) else self._unzip(file, item.name)
            else:
                yield from _read_log(log, self._format)
                self.account.include(log.account)

    def _seeks(self, kind: bytes) -> bool:
        """Says whether a file that begins like this is read from its end."""
        return kind in _ZIP_MAGICS or (
            kind == PARQUET_MAGIC and (self._format is None or isinstance(self._format, Parquet))
        )

    def _read_seeking(self, item: Input, kind: bytes) -> Iterator[Conversation | Problem]:
        """Reads a file that has its contents at its end, and so cannot come from a stream."""
        try:
            if kind == PARQUET_MAGIC:
                parquet = cast(Parquet, FORMATS["parquet"])
                log = Log(item.name, cast(BufferedReader, BytesIO()), branches=self._branches)
                yield from parquet.read_file(item.path, self._count, log)
                yield from log.account.problems(item.name)
                self.account.include(log.account)
            else:
                yield from self._unzip(item.path, item.name, self._count)
        except OSError as error:
            yield Problem(Severity.ERROR, item.name, f"cannot be read: {reason(error)}")

    def _unzip(
        self, file: str | int, name: str, count: Callable[[int], None] = lambda _: None
    ) -> Iterator[Conversation | Problem]:
        limit = self._line_limit
        return read_archive(file, name, count, self._format, limit, self._branches, self.account)

    def _open(self, item: Input) -> BufferedReader:
        if item.path != STDIN:
            return open_stream(open(item.path, "rb", buffering=0), self._count, close=True)
        if self._stdin is None and sys.stdin is None:
            raise OSError("standard input is closed")
        return open_stream(self._stdin or sys.stdin.buffer, self._count, close=False)

    def _count(self, read: int) -> None:
        self._current += read


def _first_bytes(item: Input) -> bytes:
    """Gives the four bytes that tell files apart which cannot be read from their beginning on."""
    if item.size is None:  # reading from a pipe would consume them
        return b""
    with open(item.path, "rb", buffering=0) as file:
        return file.read(4)


def _named_format(name: str | None) -> Format | None:
    if name is None:
        return None
    if name not in FORMATS:
        raise UsageError(f"unknown format {name[:40]!r}", hint=f"use {', '.join(FORMATS)}")
    return FORMATS[name]


def _state(conversation: Conversation) -> _State | None:
    at = conversation.meta.get("updated_at")
    moment = instant(at) if isinstance(at, str) else None
    return None if moment is None else _State(moment, conversation.source)


def _not_outdated(
    items: Iterable[Conversation | Problem], newest: Mapping[str, _State]
) -> Iterator[Conversation | Problem]:
    """Gives `items` without conversations of which there is a newer state elsewhere."""
    for item in items:
        if isinstance(item, Conversation) and (last := newest.get(item.id)) is not None:
            state = _state(item)
            if state is not None and state.at < last.at:
                message = f"a newer state of it stands at {last.source}; this one is not audited"
                item = _left_out(item, message, last.source)
        yield item


def _seems_an_export(path: str) -> bool:
    """Says whether the file at `path` may be an export that says when conversations changed."""
    try:
        with open_stream(open(path, "rb", buffering=0), lambda _: None, close=True) as stream:
            head = Log(path, stream).head
    except OSError:
        return False
    return head.start.startswith(_ZIP_MAGICS) or any(
        FORMATS[name].fits(document) for document in head.documents[:1] for name in _DATED
    )


def seems_a_log(path: Path) -> bool:
    """Says whether the file at `path` begins like a log of any format, or like an archive."""
    try:
        with open_stream(path.open("rb", buffering=0), lambda _: None, close=True) as stream:
            head = Log(str(path), stream).head
    except OSError:
        return False
    return head.start.startswith((*_ZIP_MAGICS, PARQUET_MAGIC)) or is_recognised(head, None)


def _read_log(log: Log, wanted: Format | None) -> Iterator[Conversation | Problem]:
    chosen = choose_format(log.head, wanted)
    if isinstance(chosen, str):
        return iter([log.problem(chosen)])
    items = chosen.read(log)
    first = next(items, None) or Problem(Severity.WARNING, log.name, _EMPTY)
    return chain([first], items)


def _told(
    items: Iterable[Conversation | Problem], known: KnownIds, name: str, limit: int | None
) -> Iterator[Conversation | Problem]:
    """Gives `items` without conversations that are `known`, and `limit` problems one by one."""
    found = 0
    severity = Severity.WARNING
    for item in items:
        if isinstance(item, Conversation):
            first = known.add(item.id, item.source)
            if first is None:
                yield item
                continue
            item = _duplicate(item, first)
        # What concerns the whole file is said whatever else there is to say.
        if item.line is not None:
            found += 1
            if limit is not None and found > limit:
                if item.severity is Severity.ERROR:
                    severity = Severity.ERROR
                continue
        yield item
    if limit is not None and found > limit:
        message = f"{found - limit:,} further problems in this file; chaperone validate lists all"
        yield Problem(severity, name, message)


def _duplicate(second: Conversation, first: Source) -> Problem:
    message = f"its id already stands at {first}; this second conversation is not audited"
    return _left_out(second, message, first)


def _left_out(conversation: Conversation, message: str, other: Source) -> Problem:
    path, line, _ = conversation.source
    return Problem(Severity.ERROR, path, message, line, conversation.id, names=(other.path,))
