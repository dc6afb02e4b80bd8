"""Thinking that Claude's exports of 2024 hold in the midst of a response, between tags."""

from typing import Any

_OPEN, _CLOSE = "<antThinking>", "</antThinking>"


def without_thinking(content: list[Any]) -> tuple[list[Any], list[str]]:
    """Gives the parts of a response as the user saw them, and what was thought in them.

    A tag that is never closed is left as it stands.
    """
    parts: list[Any] = []
    thoughts: list[str] = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) else part
        if not isinstance(text, str) or _OPEN not in text:
            parts.append(part)
            continue
        spoken = _split(text, thoughts)
        parts.append({**part, "text": spoken} if isinstance(part, dict) else spoken)
    return parts, thoughts


def _split(text: str, thoughts: list[str]) -> str:
    spoken: list[str] = []
    while True:
        before, opened, rest = text.partition(_OPEN)
        thought, closed, after = rest.partition(_CLOSE)
        if not closed:
            return "".join(spoken) + before + opened + rest
        spoken.append(before)
        if thought.strip():
            thoughts.append(thought.strip())
        text = after
