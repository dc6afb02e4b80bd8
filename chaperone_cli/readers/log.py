"""One opened log: its lines one by one, the first of them to be looked at beforehand."""

import re
from collections.abc import Iterator
from functools import cached_property, partial
from io import BufferedReader
from itertools import chain, islice
from typing import Any, NamedTuple

import orjson

from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.inputs import reason
from chaperone_cli.readers.streams import DamagedStream

LINE_LIMIT = 64 << 20
"""Bytes; a longer line is left out without ever being held whole."""

_START_BYTES = 1 << 16
_OPENING_LINES = 16
_OPENING_BYTES = 1 << 20
_OPENS_DOCUMENT = re.compile(rb'\s*(\{\s*$|\[\s*([\[{"\d]|$))')
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line of a log."""

    number: int
    """From 1."""
    data: bytes


class Head(NamedTuple):
    """What the beginning of a log shows of its format."""

    start: bytes
    """Its first bytes, 64 KiB at most, without a byte order mark."""
    spread: bool
    """It is one JSON document over several lines."""
    documents: tuple[dict[str, Any], ...]
    """The JSON objects among its first lines; none of those within a spread document."""


class Log:
    """A stream of bytes that is read once, line by line."""

    def __init__(self, name: str, stream: BufferedReader, line_limit: int = LINE_LIMIT) -> None:
        self.name = name
        """The path as it was given to chaperone; `-` for standard input."""
        self._readline = partial(stream.readline, line_limit + 1)
        self._line_limit = line_limit
        self._damage: OSError | None = None
        self._rest = self._pieces()
        self._opening = list(self._read_opening())

    @cached_property
    def head(self) -> Head:
        """The beginning, which `lines` gives all the same."""
        opening = [line for line in self._opening if line is not None]
        start = b"".join(opening)[:_START_BYTES]
        first = next((line for line in opening if line.strip()), b"")
        spread = _OPENS_DOCUMENT.match(first) is not None and _parsed(first) is None
        documents = () if spread else (_parsed(line) for line in opening)
        return Head(start, spread, tuple(each for each in documents if isinstance(each, dict)))

    def lines(self) -> Iterator[Line | Problem]:
        """Gives the lines with their ends; ends with a Problem where the stream is damaged."""
        number = 0
        for number, data in enumerate(chain(self._opening, self._rest), 1):
            yield self._too_long(number) if data is None else Line(number, data)
        if self._damage is not None:
            yield self._damaged(number, self._damage)

    def problem(self, message: str, line: int | None = None) -> Problem:
        """Builds an ERROR about this log."""
        return Problem(Severity.ERROR, self.name, message, line)

    def _pieces(self) -> Iterator[bytes | None]:
        """Gives every line, None for one that is too long, up to the end or to any damage."""
        try:
            for line in iter(self._readline, b""):
                if len(line) > self._line_limit and not line.endswith(b"\n"):
                    self._skip_line()
                    yield None
                else:
                    yield line
        except OSError as error:
            self._damage = error

    def _read_opening(self) -> Iterator[bytes | None]:
        size = 0
        for number, line in enumerate(islice(self._rest, _OPENING_LINES)):
            if line is None:
                yield None
                continue
            yield line if number else line.removeprefix(_BOM)
            size += len(line)
            if size > _OPENING_BYTES:
                return

    def _skip_line(self) -> None:
        while (data := self._readline()) and not data.endswith(b"\n"):
            pass

    def _too_long(self, number: int) -> Problem:
        limit = f"{self._line_limit:,} bytes"
        return self.problem(f"this line is longer than {limit} and was left out", number)

    def _damaged(self, number: int, error: OSError) -> Problem:
        what = (
            str(error) if isinstance(error, DamagedStream) else f"reading failed: {reason(error)}"
        )
        return self.problem(f"{what}; only its first {number} lines could be read")


def _parsed(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
