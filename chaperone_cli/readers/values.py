"""Values of documents that may hold anything at all: what they are expected to be, or nothing."""

import re
from ast import literal_eval
from contextlib import suppress
from typing import Any

import orjson

SPEAKER = re.compile(r"^(system|developer|user|human|assistant|ai|tool|function): ", re.MULTILINE)
"""The label of an utterance, where several stand in one text."""
_PRINTED = re.compile(
    r"role='(?P<role>\w+)' "
    r"content=(?P<content>None|'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")(?: |$)"
)
_PRINTED_CALLS = re.compile(r" tool_calls=(?P<calls>\[\{.*?\}\])(?= \w+=|$)")
_BEGINNINGS = ("{", "[", '"', "role='")
_MOST_WRAPS = 3
"""Strings of JSON within strings of JSON."""


def as_dict(value: object) -> dict[str, Any]:
    """Gives `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Gives `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    """Gives `value` if it is a string that is not empty."""
    return value if isinstance(value, str) and value else None


def first_text(document: dict[str, Any], *keys: str) -> str | None:
    """Gives the first string that is not empty under `keys`."""
    return next((text for key in keys if (text := as_text(document.get(key)))), None)


def dicts(value: object) -> list[dict[str, Any]]:
    """Gives the objects in `value`, if it is a list."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def begins(document: dict[str, Any], key: str) -> dict[str, Any]:
    """Gives the first object of the list under `key`, else an empty one."""
    return next(iter(dicts(document.get(key))), {})


def is_text(value: str) -> bool:
    """Says whether UTF-8 can hold `value`: it has no half of a surrogate pair."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def parsed_string(value: Any) -> Any:
    """Gives the object or list in a string that holds one, else `value` itself.

    It may be JSON, also within a string of JSON, or a message as Python prints it.
    """
    parsed = value
    for _ in range(_MOST_WRAPS):
        if not isinstance(parsed, str) or not parsed.startswith(_BEGINNINGS):
            return parsed
        if parsed[0] == "r":
            return _printed(parsed) or parsed
        try:
            parsed = orjson.loads(parsed)
        except orjson.JSONDecodeError:
            return parsed
    return parsed


def _printed(text: str) -> dict[str, Any] | None:
    found = _PRINTED.match(text)
    if found is None:
        return None
    calls = _PRINTED_CALLS.search(text, found.end())
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return {
            "role": found["role"],
            "content": literal_eval(found["content"]),
            "tool_calls": literal_eval(calls["calls"]) if calls else None,
        }
    return None
