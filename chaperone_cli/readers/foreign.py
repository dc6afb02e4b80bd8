"""Files that are no log, recognised by how they begin, so that one sentence can say so."""

import re
from collections.abc import Iterable
from typing import Any

from chaperone_cli.readers.log import Head

_EXPECTED = "expected a chat log or an export"
_OWN_OUTPUT = re.compile(rb'\s*\{\s*"schema"\s*:\s*"((?:verdict|report|vote)\.v\d+)"')
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_DEEPEST = 4
_ENDLESS = 1 << 18
"""Bytes of a first line that is too long to tell what the file is."""
_MAGIC: dict[bytes, str] = {
    b"PK": "a zip archive inside another archive; unpack it and name what is inside",
    b"\x1f\x8b": "compressed with gzip twice; unpack it once",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; unpack it, or compress it with gzip",
    b"BZh": "compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ\x00": "compressed with xz; unpack it, or compress it with gzip",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; unpack it, or pack it as zip",
    b"SQLite format 3\x00": "an SQLite database",
    b"%PDF-": "a PDF document",
    b"PAR1": "a Parquet file; leave out --format, or give --format parquet",
    b"<!DOCTYPE": "a web page; export the chat as JSON",
    b"<html": "a web page; export the chat as JSON",
}


def foreign_kind(head: Head) -> str | None:
    """Says what a file that begins like this is, where it is certainly no log."""
    kind = _binary(head.start) or _own_output(head)
    return kind and f"this seems to be {kind}; {_EXPECTED}"


def nothing_told(head: Head) -> bool:
    """Says whether the beginning is empty or so defective that each line deserves its Problem."""
    start = head.start.lstrip()
    endless = b"\n" not in start and len(start) >= _ENDLESS
    return not head.documents and (not start or endless or start.startswith(b"{"))


def keys_in(documents: Iterable[dict[str, Any]]) -> frozenset[str]:
    """Gives the keys of `documents` and of what lies a little below."""
    keys: set[str] = set()
    level: list[Any] = list(documents)
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                keys |= value.keys()
                inner += value.values()
            elif isinstance(value, list):
                inner += value[:3]
        level = inner
    return frozenset(keys)


def _binary(start: bytes) -> str | None:
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    if start.startswith(_UTF_16_MARKS) or b"\0\0\0" in (start[1:6:2], start[0:5:2]):
        return "UTF-16 text; export it as UTF-8"
    return "a binary file" if b"\0" in start else None


def _own_output(head: Head) -> str | None:
    if any({"conversation", "turn", "votes"} <= document.keys() for document in head.documents):
        return "a file of recorded votes, which --recorded-votes takes"
    named = _OWN_OUTPUT.match(head.start)
    return named and f"a {named[1].decode()} file of chaperone, not the log that it is about"
