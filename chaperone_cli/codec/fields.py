"""A saved document under reading: every complaint says where it stands and what was expected.

Complaints name positions and keys of the contract only, never a value: a damaged report may hold
conversation text where a number should be.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Any, TypeVar

import orjson

from chaperone_cli.errors import InputError

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Node:
    """One JSON value of a saved document."""

    value: Any
    file: str
    """The file, with its line where a line is a document of its own."""
    at: str = ""
    """The way to the value inside the document, for example `turns[3].votes`."""

    @classmethod
    def parse(cls, data: bytes, file: str) -> "Node":
        """Reads JSON; raises InputError with the line and column where it ends being JSON."""
        try:
            return cls(orjson.loads(data), file)
        except orjson.JSONDecodeError as exc:
            raise InputError(
                f"{file}: not JSON from line {exc.lineno}, column {exc.colno} on",
                hint="name a file that chaperone wrote",
            ) from exc

    def error(self, expected: str) -> InputError:
        """Builds the error for a value that is not what it should be."""
        return self._complaint(f"expected {expected}")

    def _complaint(self, said: str) -> InputError:
        place = f"{self.file}: {self.at}" if self.at else self.file
        return InputError(
            f"{place}: {said}",
            hint="the file was changed, or written by another version of chaperone; audit again",
        )

    def contract(self, name: str) -> None:
        """Requires the object to call itself a document of the contract `name`."""
        if not isinstance(self.value, dict) or self.value.get("schema") != name:
            raise self.error(f'a {name} document, an object with "schema": "{name}"')

    def only(self, *keys: str) -> None:
        """Requires an object without keys besides `keys`: passing over one would lose data."""
        unknown = len(self._object().keys() - set(keys))
        if unknown:
            raise self.error(f"no keys besides {', '.join(keys)}; found {unknown} more")

    def get(self, key: str) -> "Node":
        """Gives the value of a key that must be there."""
        found = self.maybe(key)
        if found is None:
            raise self.error(f"the key {key}")
        return found

    def maybe(self, key: str) -> "Node | None":
        """Gives the value of a key that may be missing."""
        if key not in self._object():
            return None
        return Node(self.value[key], self.file, f"{self.at}.{key}" if self.at else key)

    def nullable(self) -> "Node | None":
        """Gives the value itself, or None for null."""
        return None if self.value is None else self

    def items(self) -> "list[Node]":
        """Gives the values of an array."""
        if not isinstance(self.value, list):
            raise self.error("an array")
        return [Node(item, self.file, f"{self.at}[{i}]") for i, item in enumerate(self.value)]

    def entries(self) -> "list[tuple[str, Node]]":
        """Gives keys and values of an object whose keys are data."""
        return [
            (key, Node(item, self.file, f"{self.at}.*")) for key, item in self._object().items()
        ]

    def text(self) -> str:
        """Gives a string."""
        if not isinstance(self.value, str):
            raise self.error("text")
        return self.value

    def integer(self, least: int = 0) -> int:
        """Gives a whole number from `least`."""
        if type(self.value) is not int or self.value < least:
            raise self.error(f"a whole number from {least}")
        return self.value

    def number(self, least: float = 0) -> float:
        """Gives a number from `least`."""
        if type(self.value) not in (int, float) or not self.value >= least:
            raise self.error("a number" if least == -inf else f"a number from {least:g}")
        return float(self.value)

    def flag(self) -> bool:
        """Gives true or false."""
        if not isinstance(self.value, bool):
            raise self.error("true or false")
        return self.value

    def choice(self, kind: type[Choice]) -> Choice:
        """Gives one of the values of `kind`."""
        if not isinstance(self.value, str) or self.value not in tuple(kind):
            raise self.error(" or ".join(kind))
        return kind(self.value)

    def read(self, decode: Callable[[object], Any]) -> Any:
        """Gives what `decode` makes of the value; its ValueError says what was expected."""
        try:
            return decode(self.value)
        except ValueError as exc:
            raise self._complaint(str(exc)) from exc

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.error("an object")
        return self.value


DIGITS = 6
"""Decimal places of rates, means and other figures that are worked out."""


def rounded(value: float | None) -> float | None:
    """Gives a figure as documents hold it."""
    # The sum turns a rounded -0.0 into 0.0.
    return None if value is None else round(value, DIGITS) + 0.0


def dumps(document: object) -> bytes:
    """Gives `document` as one line of JSON, without a line end.

    Lone surrogates, which a path of undecodable bytes may hold, have no UTF-8 form and come out
    spelled as escapes of six characters.
    """
    try:
        return spelled(orjson.dumps(document))
    except TypeError:
        return spelled(orjson.dumps(_encodable(document)))


def spelled(data: bytes) -> bytes:
    """Gives JSON with the characters as escapes that would turn, hide or break a line on a screen.

    They stand inside strings only, where an escape means the same.
    """
    return data if data.isascii() else _UNSHOWN.sub(_escape, data)


_UNSHOWN = re.compile(b"\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")
"""In UTF-8: C1 controls, marks and controls of direction, separators of lines and paragraphs."""


def _escape(found: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(found[0].decode())


def _encodable(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_encodable(key): _encodable(item) for key, item in value.items()}
        case list() | tuple():
            return [_encodable(item) for item in value]
        case _:
            return value
