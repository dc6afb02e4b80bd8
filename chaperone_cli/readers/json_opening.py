"""What the first bytes of a log show of the JSON in it, the last document as far as it goes."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import orjson

from chaperone_cli.readers.json_split import Scanner, split

WRAPPERS = ("conversations", "data", "traces", "runs", "samples", "results", "items", "chats")
"""Keys of an object under which exports put the list of what they hold."""

CONVERSATION_KEYS = frozenset({"turns", "messages", "mapping", "chat_messages", "histories"})
"""Keys of an object under which exports put the messages of one conversation."""

MOST_DEPTH = 1000
"""Brackets within brackets; orjson refuses little more."""

_UTTERANCE_KEYS = frozenset({"from", "value", "role", "content", "sender", "text"})
_WRAPPED = re.compile(rb'\s*\{\s*"(' + "|".join(WRAPPERS).encode() + rb')"\s*:\s*\[')
_LIST = re.compile(rb'\s*\[\s*([\[{"\d\]tfn-]|$)')
_CLOSING = {ord("{"): b"}", ord("["): b"]"}


class Layout(StrEnum):
    """How the JSON documents of a log lie in it."""

    LINES = "lines"
    """One a line, or no JSON at all."""
    LIST = "list"
    """The items of one list."""
    WRAPPED = "wrapped"
    """The items of the list that comes first in one object."""
    SPREAD = "spread"
    """One after the other, over several lines."""

    @property
    def level(self) -> int:
        """The brackets that enclose each document."""
        return {Layout.LIST: 1, Layout.WRAPPED: 2}.get(self, 0)


def layout_of(start: bytes) -> Layout:
    """Says how the JSON in a log lies that begins with `start`."""
    line, ended, rest = start.lstrip().partition(b"\n")
    whole = parsed(line) is not None
    if _LIST.match(start):
        return Layout.LINES if whole and rest.strip() else Layout.LIST
    if whole or not line.startswith(b"{") or (ended and not _goes_on(line)):
        return Layout.LINES
    if _WRAPPED.match(start) and _is_wrapper(parsed(completed(start))):
        return Layout.WRAPPED
    return Layout.SPREAD if ended else Layout.LINES


def inner_start(start: bytes, layout: Layout) -> int:
    """Gives the position behind the brackets that enclose the documents."""
    match layout:
        case Layout.LIST:
            return start.index(b"[") + 1
        case Layout.WRAPPED:
            return start.index(b"[") + 1
        case _:
            return 0


def shown_documents(start: bytes, layout: Layout, most: int) -> Iterator[Any]:
    """Gives up to `most` documents that begin in `start`."""
    if layout is Layout.LINES:
        lines = start.splitlines()[:most]
        found = (parsed(line) for line in lines)
        if len(lines) == 1:
            found = (parsed(line) or parsed(completed(line)) for line in lines)
    else:
        inner = start[inner_start(start, layout) :]
        pieces = split((inner,), layout.level, len(inner))
        datas = (completed(p.data or b"") if p.cut else p.data or b"" for p in pieces)
        found = (parsed(data) for data, _ in zip(datas, range(most), strict=False))
    for document in found:
        if document is not None:
            yield from unwrapped(document) or (document,)


def unwrapped(document: Any) -> list[Any] | None:
    """Gives the items that `document` is only the wrapper of; None where it is none."""
    if isinstance(document, dict) and not CONVERSATION_KEYS & document.keys():
        for key in WRAPPERS:
            items = document.get(key)
            if isinstance(items, list) and items and isinstance(items[0], dict):
                return None if _UTTERANCE_KEYS & items[0].keys() else items
    return None


def _is_wrapper(document: Any) -> bool:
    return unwrapped(document) is not None


def parsed(data: bytes) -> Any:
    """Gives the document that `data` is; None where it is not JSON."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def completed(data: bytes) -> bytes:
    """Cuts JSON that breaks off behind its last whole value, and closes what is open there."""
    stack: list[bytes] = []
    cut = 0
    in_string = escaped = False
    for at, character in enumerate(data):
        if escaped:
            escaped = False
        elif in_string:
            escaped = character == ord("\\")
            in_string = character != ord('"')
        elif character == ord('"'):
            in_string = True
        elif character in b"[]{},":
            if character in _CLOSING:
                stack.append(_CLOSING[character])
            elif character != ord(",") and stack:
                stack.pop()
            if len(stack) > MOST_DEPTH:
                return b""
            # Nothing is opened or closed behind the last cut, so that the stack is as it was there.
            cut = at if character == ord(",") else at + 1
    return data[:cut] + b"".join(reversed(stack))


def _goes_on(line: bytes) -> bool:
    """Says whether a document that begins with this whole line goes on with the next."""
    if line.rstrip()[-1:] not in b"{[,":
        return False
    scanner = Scanner(0)
    for _ in scanner.ends(line):
        pass
    return scanner.depth > 0
