"""One opened log: its first bytes to be looked at beforehand, then its lines or its bytes."""

import io
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from io import BufferedReader
from typing import Any, NamedTuple

from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import Account
from chaperone_cli.readers.inputs import reason
from chaperone_cli.readers.json_opening import Layout, layout_of, shown_documents
from chaperone_cli.readers.streams import BUFFER_BYTES, DamagedStream, Rejoined

LINE_LIMIT = 64 << 20
"""Bytes; a longer line or document is left out without ever being held whole."""

_OPENING_LINES = 16
_OPENING_BYTES = 1 << 18
_BOM = b"\xef\xbb\xbf"


# NOTE: a plain tuple, as `Row` in json_lines: making a named one takes as long as reading it.
Line = tuple[int, bytes]
"""One line of a log: its number, from 1, and its bytes with their end."""


class Head(NamedTuple):
    """What the beginning of a log shows of its format."""

    start: bytes
    """Its first bytes, 16 lines or about 256 KiB, without a byte order mark."""
    layout: Layout
    documents: tuple[dict[str, Any], ...]
    """The JSON objects among its first documents, the last of them as far as it goes."""


class Log:
    """A stream of bytes that is read once."""

    def __init__(
        self,
        name: str,
        stream: BufferedReader,
        line_limit: int = LINE_LIMIT,
        branches: Branches = Branches.LAST,
    ) -> None:
        self.name = name
        """The path as it was given to chaperone, with the member of an archive; `-` for stdin."""
        self.line_limit = line_limit
        self.branches = branches
        self.account = Account()
        """What became of the text in it so far."""
        self._damage: OSError | None = None
        self._start = self._read_start(stream).removeprefix(_BOM)
        self.stream = io.BufferedReader(Rejoined(self._start, stream), BUFFER_BYTES)
        """All its bytes without a byte order mark, which `lines` and `chunks` consume."""

    @cached_property
    def head(self) -> Head:
        """The beginning, which `lines` and `chunks` give all the same."""
        layout = layout_of(self._start)
        documents = shown_documents(self._start, layout, _OPENING_LINES)
        objects = tuple(each for each in documents if isinstance(each, dict))
        return Head(self._start, layout, objects)

    @property
    def is_damaged(self) -> bool:
        """Whether its stream broke off so far."""
        return self._damage is not None

    def lines(self) -> Iterator[Line | Problem]:
        """Gives the lines with their ends; ends with a Problem where the stream is damaged."""
        read, limit = 0, self.line_limit
        readline = partial(self.stream.readline, limit + 1)
        try:
            for number, data in enumerate(iter(readline, b""), 1):
                if len(data) <= limit or data.endswith(b"\n"):
                    yield number, data
                else:
                    _skip_line(readline)
                    yield self._too_long(number)
                read = number
        except OSError as error:
            self._damage = error
        if self._damage is not None:
            yield self._damaged(f"only its first {read} lines could be read")

    def chunks(self) -> Iterator[bytes]:
        """Gives the bytes piece by piece, up to the end or to any damage, which `damage` tells."""
        try:
            yield from iter(partial(self.stream.read1, BUFFER_BYTES), b"")
        except OSError as error:
            self._damage = error

    def damage(self, read: str) -> Problem | None:
        """Says what broke the stream off, if anything did; `read` is a clause on what was read."""
        return None if self._damage is None else self._damaged(read)

    def problem(self, message: str, line: int | None = None) -> Problem:
        """Builds an ERROR about this log."""
        return Problem(Severity.ERROR, self.name, message, line)

    def _read_start(self, stream: BufferedReader) -> bytes:
        start = b""
        try:
            while start.count(b"\n") < _OPENING_LINES and len(start) < _OPENING_BYTES:
                # A pipe gives what it has: waiting for more than is needed would hold lines back.
                if not (data := stream.read1(BUFFER_BYTES)):
                    break
                start += data
        except OSError as error:
            self._damage = error
        return start

    def _too_long(self, number: int) -> Problem:
        limit = f"{self.line_limit:,} bytes"
        return self.problem(f"this line is longer than {limit} and was left out", number)

    def _damaged(self, read: str) -> Problem:
        error = self._damage
        assert error is not None
        what = (
            str(error) if isinstance(error, DamagedStream) else f"reading failed: {reason(error)}"
        )
        return self.problem(f"{what}; {read}")


def _skip_line(readline: Callable[[], bytes]) -> None:
    """Reads on up to the end of a line."""
    while (data := readline()) and not data.endswith(b"\n"):
        pass
