"""The canonical log, `conversation.v1`: one conversation's JSON to and from `Conversation`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from chaperone_cli.codec.fields import spelled
from chaperone_cli.codec.message import (
    decode_message,
    encode_message,
    identifier,
    json_name,
    optional_string,
    wrong,
)
from chaperone_cli.codec.plain_messages import PlainMessages, are_plain, measure, plain_messages
from chaperone_cli.domain.conversation import Conversation, Message, Side, Source

_MAX_ONSET = 2**53 - 1
"""The greatest integer that every JSON reader keeps exact."""
_has_no_further = frozenset({"label", "onset", "meta"}).isdisjoint
"""Whether a document says no more about its conversation than its id and its turns."""


@dataclass(frozen=True, slots=True)
class Defective:
    """A document that is no conversation, with everything that is wrong with it."""

    id: str | None
    """Its id, where that much is readable."""
    defects: tuple[str, ...]
    """One clause for each; none holds conversation text."""


def decode(document: Mapping[str, Any], source: Source) -> Conversation | Defective:
    """Reads a `conversation.v1` document that stands at `source`.

    One defect anywhere makes the whole conversation `Defective`: votes on a conversation with a
    hole in it would be votes on something that was never said. Unknown keys are ignored.
    """
    id_, turns = document.get("id"), document.get("turns")
    if (
        isinstance(id_, str)
        and id_
        and isinstance(turns, list)
        and (len(document) == 2 or _has_no_further(document))
        and (measured := measure(turns)) is not None
    ):
        return Conversation(id_, PlainMessages(turns, measured), source)
    return _decode_closely(document, source)


def _decode_closely(document: Mapping[str, Any], source: Source) -> Conversation | Defective:
    defects: list[str] = []
    id_ = conversation_id("id", document, defects)
    messages, *skipped = _decode_turns(document, defects)
    label = optional_string("label", document, defects)
    onset = decode_onset(document, defects)
    meta = decode_meta(document, defects)
    if id_ is None or defects:
        return Defective(id_, tuple(defects))
    return Conversation(id_, messages, source, label, onset, meta or {}, *skipped)


def encode(conversation: Conversation) -> dict[str, Any]:
    """Gives the `conversation.v1` document of `conversation`.

    Blank turns and whatever placeholders stand for are not in it any more: they are not in
    `conversation` either.
    """
    document: dict[str, Any] = {
        "id": conversation.id,
        "turns": [encode_message(message) for message in conversation.messages],
    }
    if conversation.label is not None:
        document["label"] = conversation.label
    if conversation.onset is not None:
        document["onset"] = conversation.onset
    if conversation.meta:
        document["meta"] = dict(conversation.meta)
    return document


def to_line(conversation: Conversation) -> bytes:
    """Gives the line, with its end, that stands for `conversation` in a canonical log."""
    return spelled(orjson.dumps(encode(conversation), option=orjson.OPT_APPEND_NEWLINE))


def conversation_id(key: str, document: Mapping[str, Any], defects: list[str]) -> str | None:
    """Reads the conversation's id from `key`; None where it adds to `defects`."""
    value = document.get(key)
    id_ = identifier(value)
    if id_ is None:
        expected = "a string that is not empty, or an integer"
        if value == "":
            defects.append(f"`{key}` is empty; expected {expected}")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            defects.append(f"`{key}` is no 64-bit integer; expected {expected}")
        else:
            defects.append(wrong(key, document, expected))
    return id_


def decode_onset(document: Mapping[str, Any], defects: list[str]) -> int | None:
    """Reads the optional number of the turn at which the label begins to hold."""
    value = document.get("onset")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        defects.append(wrong("onset", document, "a turn's number, from 1, or null"))
    elif value != value // 1 or not 1 <= value <= _MAX_ONSET:
        defects.append("`onset` is no turn's number; expected an integer from 1, or null")
    else:
        return int(value)
    return None


def decode_meta(document: Mapping[str, Any], defects: list[str]) -> dict[str, Any] | None:
    """Reads the optional object of further facts about the conversation."""
    value = document.get("meta")
    if value is None or isinstance(value, dict):
        return value
    defects.append(wrong("meta", document, "an object or null"))
    return None


def is_blank(text: str) -> bool:
    """Says whether nothing was said."""
    return not text or text.isspace()


def _decode_turns(
    document: Mapping[str, Any], defects: list[str]
) -> tuple[Sequence[Message], int, int]:
    """Reads the messages, and how many blank turns and placeholders were among them."""
    turns = document.get("turns")
    if not isinstance(turns, list):
        defects.append(wrong("turns", document, "a list of messages"))
        return (), 0, 0
    if (measured := measure(turns)) is not None:
        return PlainMessages(turns, measured), 0, 0
    gathered = _Gathered(defects)
    for number, turn in enumerate(turns, 1):
        gathered.add(number, turn)
    return tuple(gathered.messages), gathered.blank_turns, gathered.placeholders


class _Gathered:
    """Messages as they are gathered one by one, with what is skipped or replaced."""

    def __init__(self, defects: list[str]) -> None:
        self.messages: list[Message] = []
        self.blank_turns = 0
        self.placeholders = 0
        self._defects = defects

    def add(self, number: int, turn: object) -> None:
        if are_plain([turn]):
            self.messages += plain_messages([turn], number)
            return
        if not isinstance(turn, dict):
            defect = f"entry {number} of `turns` is {json_name(turn)}; expected an object"
            self._defects.append(defect)
            return
        defects: list[str] = []
        read = decode_message(turn, defects)
        self._defects += (f"entry {number} of `turns`: {defect}" for defect in defects)
        if read is None:
            return
        message, placeholders = read
        self.placeholders += placeholders
        if not is_blank(message.text):
            self.messages.append(message._replace(place=number))
        elif Side.of(message.role) is not None:
            self.blank_turns += 1
