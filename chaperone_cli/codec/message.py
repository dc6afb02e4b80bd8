"""One message's JSON to and from `Message`, with every defect of it in words.

The words never quote a value, since any value of a log may be conversation text; the one exception
is a role that is too short to be anything but a role.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from chaperone_cli.domain.conversation import Message, Role

ROLES = {role.value: role for role in Role}

TEXT_KINDS = frozenset({"text", "input_text", "output_text"})
"""The kinds of content part that hold what was said, in their key `text`."""

_ROLE_LIST = "user, assistant, system, tool or event"
_OTHER_NAMES = {
    "human": "user",
    "prompter": "user",
    "customer": "user",
    "ai": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "developer": "system",
    "function": "tool",
}
# Shorter than any stretch of conversation that would give something away.
_ROLE_LIKE = re.compile(r"[A-Za-z][A-Za-z_-]{0,15}")
_NOT_IN_KIND = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_KIND = 32

_LEAST_INTEGER, _MOST_INTEGER = -(2**63), 2**64
"""Bounds, exclusive, between which JSON integers are read without loss."""

_JSON_NAMES: dict[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def json_name(value: object) -> str:
    """Names the JSON type of `value` for a sentence, without its content."""
    return _JSON_NAMES[type(value)]


def wrong(key: str, document: Mapping[str, Any], expected: str) -> str:
    """Says that `key` of `document` is missing or has the wrong type."""
    state = f"is {json_name(document[key])}" if key in document else "is missing"
    return f"`{key}` {state}; expected {expected}"


def identifier(value: object) -> str | None:
    """Gives an id as text: a string that is not empty, or an integer; None for anything else.

    Tools that keep missing values as floats write the integer 7 as 7.0, which is the same id.
    """
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return str(int(value)) if _LEAST_INTEGER < value < _MOST_INTEGER else None


def optional_string(key: str, document: Mapping[str, Any], defects: list[str]) -> str | None:
    """Reads the optional string `key`; null counts as absent."""
    value = document.get(key)
    if value is None or isinstance(value, str):
        return value
    defects.append(wrong(key, document, "a string or null"))
    return None


def decode_message(document: Mapping[str, Any], defects: list[str]) -> tuple[Message, int] | None:
    """Reads a message and the number of its placeholders; None where it adds to `defects`."""
    found = len(defects)
    role = _role(document, defects)
    text, placeholders = _text(document, defects)
    at = optional_string("at", document, defects)
    name = optional_string("name", document, defects)
    id_ = _message_id(document, defects)
    if role is None or len(defects) > found:
        return None
    return Message(role, text, id_, name, at), placeholders


def encode_message(message: Message) -> dict[str, Any]:
    """Gives the canonical JSON of `message`, without the keys that it does not need."""
    document: dict[str, Any] = {"role": message.role.value, "content": message.text}
    for key in ("at", "id", "name"):
        if (value := getattr(message, key)) is not None:
            document[key] = value
    return document


def _role(document: Mapping[str, Any], defects: list[str]) -> Role | None:
    value = document.get("role")
    if not isinstance(value, str):
        defects.append(wrong("role", document, _ROLE_LIST))
        return None
    role = ROLES.get(value)
    if role is None:
        defects.append(_unknown_role(value))
    return role


def _unknown_role(value: str) -> str:
    if not _ROLE_LIKE.fullmatch(value):
        return f"`role` is none that is known; expected {_ROLE_LIST}"
    name = value.lower()
    near = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else get_close_matches(name, ROLES, 1)
    advice = f"did you mean {near[0]}? " if near else ""
    return f"`role` {value} is not known; {advice}expected {_ROLE_LIST}"


def _message_id(document: Mapping[str, Any], defects: list[str]) -> str | None:
    value = document.get("id")
    if value is None:
        return None
    id_ = identifier(value)
    if id_ is None:
        state = "is empty" if value == "" else f"is {json_name(value)}"
        defects.append(f"`id` {state}; expected a string that is not empty, an integer or null")
    return id_


def _text(document: Mapping[str, Any], defects: list[str]) -> tuple[str, int]:
    content = document.get("content", False)
    if isinstance(content, str):
        return content, 0
    if content is None:
        return "", 0
    if not isinstance(content, list):
        defects.append(wrong("content", document, "a string, a list of parts or null"))
        return "", 0
    parts = [_part(number, part, defects) for number, part in enumerate(content, 1)]
    return "\n".join(text for text, _ in parts), sum(placeholder for _, placeholder in parts)


def _part(number: int, part: object, defects: list[str]) -> tuple[str, bool]:
    where = f"part {number} of `content`"
    if not isinstance(part, dict):
        defects.append(f"{where} is {json_name(part)}; expected an object with a `type`")
        return "", False
    kind = part.get("type")
    if not isinstance(kind, str):
        defects.append(f"{where}: {wrong('type', part, 'a string')}")
        return "", False
    if kind not in TEXT_KINDS:
        return f"[{_NOT_IN_KIND.sub('_', kind)[:_MAX_KIND] or 'part'}]", True
    text = part.get("text")
    if not isinstance(text, str):
        defects.append(f"{where}: {wrong('text', part, 'a string')}")
        return "", False
    return text, False
