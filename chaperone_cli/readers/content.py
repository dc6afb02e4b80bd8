"""What a message holds: the words of its utterance, and what is context beside them.

Exports put words, pictures, reasoning and tool traffic into one message as typed parts. Words and
placeholders make the utterance; reasoning and tool traffic is context, which is never voted on.
"""

import re
from typing import Any, NamedTuple

import orjson

from chaperone_cli.codec.message import TEXT_KINDS
from chaperone_cli.domain.conversation import Role
from chaperone_cli.readers.values import as_dict, as_list, as_text, first_text

_SPOKEN_KINDS = TEXT_KINDS | {"refusal", "voice_note", "audio_transcription"}
_MARKS = frozenset({"step-start"})
"""Kinds of part that only divide a message."""
_REASONING = re.compile(r"thinking|reason|thought", re.IGNORECASE)
_TOOL = re.compile(r"tool|function|mcp_|code_?exec|executable|web_search", re.IGNORECASE)
_NOT_IN_KIND = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_KIND = 32
_PLACEHOLDERS = re.compile(r"(?:\[[A-Za-z0-9_.-]{1,32}\]\s*)*")
_WORDS = ("text", "content", "refusal", "value")
_THOUGHTS = ("thinking", "reasoning", "reasoningText", "content", "text", "summary")
_ARGUMENTS = ("input", "arguments", "args", "parameters")
_RESULTS = ("content", "response", "result", "output", "text")
_KNOWN_KINDS = {"image_url": "image", "input_image": "image", "image_asset_pointer": "image"}


class Context(NamedTuple):
    """Something beside an utterance."""

    role: Role
    name: str
    text: str


class Said(NamedTuple):
    """What one message holds."""

    text: str
    placeholders: int = 0
    context: tuple[Context, ...] = ()


def placeholder(kind: object) -> str:
    """Gives what stands for a part of `kind` that is not text."""
    name = _NOT_IN_KIND.sub("_", kind)[:_MAX_KIND] if isinstance(kind, str) else ""
    return f"[{_KNOWN_KINDS.get(name, name) or 'part'}]"


def is_placeholder(text: str) -> bool:
    """Says whether nothing but placeholders stands in `text`."""
    return _PLACEHOLDERS.fullmatch(text) is not None


def said(content: object) -> Said:
    """Reads a message's content: a string, a part, a list of either, or null."""
    if isinstance(content, str):
        return Said(content)
    parts = content if isinstance(content, list) else [] if content is None else [content]
    words: list[str] = []
    context: list[Context] = []
    placeholders = 0
    for part in parts:
        if as_dict(part).get("type") in _MARKS:
            continue
        read = _part(part)
        if isinstance(read, Context):
            context.append(read)
        else:
            text, replaced = read
            words.append(text)
            placeholders += replaced
    return Said("\n".join(words), placeholders, tuple(context))


def tool_text(part: dict[str, Any]) -> str:
    """Gives a tool call or a tool's result as text."""
    call = as_dict(part.get("function")) or part
    pieces = [first_text(call, "name", "tool_name") or ""]
    pieces += (_shown(call[key]) for key in _ARGUMENTS if call.get(key))
    own = as_text(part.get("type")) or ""
    pieces += (_shown(call[key]) for key in (*_RESULTS, own) if call.get(key))
    return " ".join(piece for piece in pieces if piece) or placeholder(part.get("type"))


def _part(part: object) -> Context | tuple[str, bool]:
    if isinstance(part, str):
        return part, False
    if not isinstance(part, dict):
        return placeholder(None), True
    part = _typed(part)
    kind = part["type"]
    if kind in _SPOKEN_KINDS:
        return _words(part, kind)
    if _REASONING.search(kind):
        return Context(Role.EVENT, "reasoning", thoughts(part) or placeholder(kind))
    if _TOOL.search(kind):
        return Context(Role.TOOL, as_text(part.get("name")) or "tool", tool_text(part))
    return placeholder(kind), True


def why_replaced(part: dict[str, Any]) -> str | None:
    """Gives why a placeholder may stand for a part, whatever text it holds; None for its words."""
    kind = str(part.get("type"))
    if _REASONING.search(kind):
        return "reasoning"
    if _TOOL.search(kind):
        return "tool"
    return None if any(text_of(part.get(key)) for key in _WORDS) else "placeholder"


def text_of(value: object) -> str | None:
    """Gives the words under a part's key: a string, or an object with it as `value`."""
    if isinstance(value, dict):
        value = value.get("value")
    return value if isinstance(value, str) else None


def _typed(part: dict[str, Any]) -> dict[str, Any]:
    """Gives a part with its `type`; one of Google's or Amazon's has it as its only key."""
    if part.get("thought") is True:
        return {**part, "type": "thought"}
    if isinstance(part.get("type"), str):
        return part
    if any(text_of(part.get(key)) for key in _WORDS):
        return {**part, "type": "text"}
    for key, inner in part.items():
        if isinstance(inner, dict):
            return {**inner, "type": key}
    return {**part, "type": "part"}


def _words(part: dict[str, Any], kind: str) -> tuple[str, bool]:
    for key in _WORDS:
        if (text := text_of(part.get(key))) is not None:
            return text, False
    return placeholder(kind), True


def thoughts(part: dict[str, Any]) -> str:
    """Gives the text of a piece of reasoning, however deep it lies."""
    for key in _THOUGHTS:
        value = part.get(key)
        if isinstance(value, dict):
            value = first_text(value, *_THOUGHTS)
        if isinstance(value, str) and value:
            return value
        texts = [first_text(as_dict(item), *_THOUGHTS) or as_text(item) for item in as_list(value)]
        if any(texts):
            return "\n".join(text for text in texts if text)
    return ""


def _shown(value: object) -> str:
    if isinstance(value, list):
        text, _, context = said(value)
        return text or "\n".join(piece.text for piece in context) or dumps(value).decode()
    return value if isinstance(value, str) else dumps(value).decode()


def dumps(value: object) -> bytes:
    """Writes JSON; raises RecursionError for what is nested beyond reason."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError as error:
        raise RecursionError from error
