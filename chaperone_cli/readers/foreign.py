"""Files that are no log, recognised by how they begin, so that one sentence can say so."""

import re

from chaperone_cli.readers.log import Head

_EXPECTED = "expected a log of one JSON object a line"
_KEYS = "with `id` and `turns` (a conversation a line) or `conversation_id` (a message a line)"
_LIST = re.compile(rb'\s*\[\s*[\[{"\d\]]')
_OWN_OUTPUT = re.compile(rb'\s*\{\s*"schema"\s*:\s*"((?:verdict|report|vote)\.v\d+)"')
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAGIC: dict[bytes, str] = {
    b"PK\x03\x04": "a zip archive; unpack it and name the log inside",
    b"PK\x05\x06": "an empty zip archive",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; unpack it, or compress it with gzip",
    b"BZh": "compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ\x00": "compressed with xz; unpack it, or compress it with gzip",
    b"SQLite format 3\x00": "an SQLite database",
    b"%PDF-": "a PDF document",
    b"PAR1": "a Parquet file",
}


def foreign_kind(head: Head) -> str | None:
    """Says what a file that begins like this is, where it is certainly no log."""
    kind = _binary(head.start) or _own_output(head) or _whole_document(head)
    return kind and f"this seems to be {kind}; {_EXPECTED}"


def unknown_kind(head: Head) -> str | None:
    """Says that a file that begins like this is in no format that chaperone knows.

    None where it may be a log with defects, each of which deserves its own Problem.
    """
    if head.documents:
        return f"this is JSON of an unknown kind; {_EXPECTED}, {_KEYS}"
    start = head.start.lstrip()
    return None if not start or start.startswith(b"{") else f"this is not JSON; {_EXPECTED}"


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


def _whole_document(head: Head) -> str | None:
    if _LIST.match(head.start):
        return "a JSON list; put each of its items on a line, as `jq -c '.[]'` does"
    if head.spread:
        return "JSON spread over several lines; put it on one line, as `jq -c .` does"
    return None
