"""The JSON objects of a log, however they lie in it, and what is wrong with the others."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson

from chaperone_cli.codec.message import json_name
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.json_lines import Row, json_defect, json_objects
from chaperone_cli.readers.json_opening import Layout, inner_start, unwrapped
from chaperone_cli.readers.json_split import Piece, split
from chaperone_cli.readers.log import Log


class Document(NamedTuple):
    """One JSON object of a log."""

    line: int
    """On which it begins, from 1."""
    item: int | None
    """Its number, from 1, where it is one of several in a list."""
    value: dict[str, Any]

    @property
    def name(self) -> str:
        """What a sentence that names its line calls it."""
        return "this object" if self.item is None else f"item {self.item}"


def json_documents(log: Log) -> Iterator[Document | Problem]:
    """Gives the objects of `log`: one a line, the items of one list, or one after the other.

    An object that only wraps a list stands for the items of it. What is no JSON, no object or too
    long is a Problem of its own.
    """
    layout = log.head.layout
    found = _lines(log) if layout is Layout.LINES else _pieces(log, layout)
    for document in found:
        inner = None if isinstance(document, Problem) else unwrapped(document.value)
        if inner is None or isinstance(document, Problem):
            yield document
        else:
            yield from _items(log, document.line, inner)


def json_rows(log: Log) -> Iterator[Row | Problem]:
    """Gives the objects of `log` with where each stands: its line, or its number in a list."""
    return json_objects(log) if log.head.layout is Layout.LINES else _listed(log)


def _listed(log: Log) -> Iterator[Row | Problem]:
    for document in _pieces(log, log.head.layout):
        if isinstance(document, Problem):
            yield document
        else:
            yield document.line, document.value, document.item


def _lines(log: Log) -> Iterator[Document | Problem]:
    for row in json_objects(log):
        yield row if isinstance(row, Problem) else Document(row[0], None, row[1])


def _items(log: Log, line: int, items: Iterable[Any]) -> Iterator[Document | Problem]:
    for number, item in enumerate(items, 1):
        if isinstance(item, dict):
            yield Document(line, number, item)
        else:
            yield log.problem(f"item {number} is {json_name(item)}; expected an object", line)


def _pieces(log: Log, layout: Layout) -> Iterator[Document | Problem]:
    listed = layout is not Layout.SPREAD
    read, whole = 0, True
    enclosing = log.head.start[: inner_start(log.head.start, layout)]
    line = 1 + enclosing.count(b"\n")
    for piece in split(_inner(log, layout), layout.level, log.line_limit, line):
        whole = not (piece.cut and listed)
        if piece.data == b"" and piece.cut:
            break
        yield _document(log, piece, listed)
        read = piece.number
    if damage := log.damage(f"only its first {read} items could be read"):
        yield damage
    elif not whole:
        yield log.problem(f"its list breaks off in or behind item {read}; export the log again")


def _document(log: Log, piece: Piece, listed: bool) -> Document | Problem:
    what = f"item {piece.number}" if listed else "this document"
    if piece.data is None:
        limit = f"{log.line_limit:,} bytes"
        return log.problem(f"{what} is longer than {limit} and was left out", piece.line)
    try:
        value = orjson.loads(piece.data)
    except orjson.JSONDecodeError:
        return log.problem(f"{what} {json_defect(piece.data)}", piece.line)
    if not isinstance(value, dict):
        return log.problem(f"{what} is {json_name(value)}; expected an object", piece.line)
    return Document(piece.line, piece.number if listed else None, value)


def _inner(log: Log, layout: Layout) -> Iterator[bytes]:
    chunks = log.chunks()
    start = b""
    for chunk in chunks:
        start += chunk
        if len(start) >= len(log.head.start):
            break
    yield start[inner_start(start, layout) :]
    yield from chunks
