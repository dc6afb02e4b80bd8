"""Cuts a stream of JSON into the documents in it, without parsing them and however long it is.

Only brackets, strings and commas are looked at. What lies between two cuts is parsed by itself, so
that a defect costs one document and not the rest of the file, and memory holds one at a time.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Possessive throughout: a failed match must not try any other division of the bytes.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_FLAT = rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+'
_LEAF = rb"(?:\[" + _FLAT + rb"\]|\{" + _FLAT + rb"\})"
_INSIDE = re.compile(_FLAT + rb"(?:" + _LEAF + _FLAT + rb")*+", re.DOTALL)
_BETWEEN = re.compile(rb'[^"\[\]{},]*+(?:' + _STRING + rb'[^"\[\]{},]*+)*+', re.DOTALL)
_OUTSIDE = re.compile(_FLAT, re.DOTALL)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_SPACE = b" \t\r\n"
_QUOTE, _COMMA, _BACKSLASH = b'",\\'
_CLOSINGS = {ord("["): ord("]"), ord("{"): ord("}")}
_DEEPEST = 4096
"""Brackets within brackets that are told apart; no JSON is read that is nested as deeply."""


class Piece(NamedTuple):
    """One document of a stream, not parsed yet."""

    number: int
    """From 1."""
    line: int
    """The line on which it begins, from 1."""
    data: bytes | None
    """None where it is longer than the limit."""
    cut: bool = False
    """The stream ended within it."""


class Scanner:
    """Follows JSON through chunks of any size and finds where its documents end.

    `level` is how many brackets enclose the documents: 0 where they follow one another, 1 for the
    items of a list, 2 for those of a list inside an object. A closing bracket that closes nothing
    is passed over, so that a document with such a defect ends where it should.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self._closing = bytearray(b"}]"[2 - level :])
        """The brackets that are still to come, the next one last."""
        self._deeper = 0
        """Open brackets beyond the deepest that are kept."""
        self._between = _BETWEEN if level else _OUTSIDE
        self._in_string = False
        self._kept = b""
        """A backslash whose following character is in the next chunk."""

    @property
    def depth(self) -> int:
        """How many brackets are open."""
        return len(self._closing) + self._deeper

    def ends(self, chunk: bytes) -> Iterator[int]:
        """Gives the positions at which documents end in `chunk`, up to the end of their list.

        At `level` 0 a position is behind a closing bracket, else at a comma or the closing bracket.
        """
        at, level = self._string_end(chunk, 0) if self._in_string else 0, self.level
        size = len(chunk)
        while at < size:
            between = len(self._closing) == level
            skipped = self._between if between else _INSIDE
            at = skipped.match(chunk, at).end()  # type: ignore[union-attr]
            if at == size:
                return
            character = chunk[at]
            at += 1
            if character == _QUOTE:
                self._in_string = True
                at = self._string_end(chunk, at)
            elif character == _COMMA:
                yield at - 1
            elif character in _CLOSINGS:
                self._open(_CLOSINGS[character])
            elif self._close(character):
                if between and level:
                    yield at - 1
                    return
                if level == len(self._closing) == 0:
                    yield at

    def _open(self, closing: int) -> None:
        if len(self._closing) < _DEEPEST:
            self._closing.append(closing)
        else:
            self._deeper += 1

    def _close(self, closing: int) -> bool:
        if self._deeper:
            self._deeper -= 1
        elif self._closing and self._closing[-1] == closing:
            self._closing.pop()
            return True
        return False

    def _string_end(self, chunk: bytes, at: int) -> int:
        """Gives the position behind the present string, or the end of `chunk`."""
        if self._kept:
            at, self._kept = at + 1, b""
        at = _IN_STRING.match(chunk, at).end()  # type: ignore[union-attr]
        if at == len(chunk):
            return at
        if chunk[at] == _BACKSLASH:
            self._kept = b"\\"
            return len(chunk)
        self._in_string = False
        return at + 1


def split(chunks: Iterable[bytes], level: int, limit: int, line: int = 1) -> Iterator[Piece]:
    """Gives the documents in `chunks`, which start behind the brackets that enclose them.

    One of more than `limit` bytes is passed over without being held. After the end of a list
    nothing further is read.
    """
    scanner, gathered = Scanner(level), _Gathered(limit, line)
    for chunk in chunks:
        start = 0
        for end in scanner.ends(chunk):
            gathered.add(chunk[start:end])
            closed = scanner.depth < level
            if not (closed and gathered.blank):
                yield gathered.piece()
            if closed:
                return
            start = end + (level > 0)
        gathered.add(chunk[start:])
    if not gathered.blank or level:
        yield gathered.piece(cut=True)


class _Gathered:
    """The document under way."""

    def __init__(self, limit: int, line: int) -> None:
        self._limit = limit
        self._line = line
        self._number = 0
        self._start()

    def _start(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self.blank = True

    def add(self, part: bytes) -> None:
        if self.blank:
            rest = part.lstrip(_SPACE)
            self._line += part.count(b"\n", 0, len(part) - len(rest))
            part, self.blank = rest, not rest
            self._began, self._lines = self._line, 0
        self._lines += part.count(b"\n")
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def piece(self, *, cut: bool = False) -> Piece:
        """Gives the document, and starts the next."""
        self._number += 1
        data = b"".join(self._parts) if self._size <= self._limit else None
        made = Piece(self._number, self._began, data, cut)
        self._line += self._lines
        self._start()
        return made
