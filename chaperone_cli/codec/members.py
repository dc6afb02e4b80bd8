"""A JSON object under reading, member by member and its lists item by item, however long it is.

Memory holds one item at a time, whatever the layout.
"""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from chaperone_cli.errors import InputError

_CHUNK = 1 << 16
_SPACE = " \t\r\n"


class Members:
    """The members of the one object in a file; raises InputError where it is no JSON."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._parse = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._line = 1
        self._ended = False

    @property
    def is_object(self) -> bool:
        """Whether the file begins as an object does."""
        return self._next() == "{"

    def names(self) -> Iterator[str]:
        """Gives the keys; the value of each is to be taken before the next key."""
        self._take("{")
        if self._next() != "}":
            while True:
                key = self.value()
                if not isinstance(key, str):
                    raise self._damaged()
                self._take(":")
                yield key
                if self._next() != ",":
                    break
                self._take(",")
        self._take("}")
        if self._next():
            raise self._damaged()

    def items(self) -> Iterator[Any]:
        """Gives the items of a value that is a list."""
        self._take("[")
        if self._next() != "]":
            while True:
                yield self.value()
                if self._next() != ",":
                    break
                self._take(",")
        self._take("]")

    def value(self) -> Any:
        """Gives a value as a whole."""
        self._next()
        while True:
            try:
                value, end = self._parse(self._text, self._at)
            except (ValueError, RecursionError) as exc:
                # It may go on in what was not read yet.
                if isinstance(exc, RecursionError) or not self._more():
                    raise self._damaged() from exc
            else:
                self._move(end)
                return value

    def _next(self) -> str:
        """Gives the next sign that is no space; empty at the end."""
        while True:
            at = self._at
            while at < len(self._text) and self._text[at] in _SPACE:
                at += 1
            self._move(at)
            if at < len(self._text):
                return self._text[at]
            if not self._more():
                return ""

    def _take(self, sign: str) -> None:
        if self._next() != sign:
            raise self._damaged()
        self._at += 1

    def _move(self, at: int) -> None:
        self._line += self._text.count("\n", self._at, at)
        self._at = at

    def _more(self) -> bool:
        """Reads on, as much again as is held, so that a long item is not parsed too often."""
        if self._ended:
            return False
        data = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._ended = not data
        try:
            more = self._decode(data, self._ended)
        except UnicodeDecodeError as exc:
            raise self._damaged() from exc
        self._text, self._at = self._text[self._at :] + more, 0
        return True

    def _damaged(self) -> InputError:
        return InputError(
            f"{self._path}: not JSON from line {self._line} on",
            hint="name a file that chaperone wrote",
        )
