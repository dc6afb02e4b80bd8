"""Lists of `{role, content}` messages, as chat APIs take them and as many exports repeat them."""

from typing import Any

from chaperone_cli.codec.message import json_name
from chaperone_cli.domain.conversation import Role
from chaperone_cli.readers.content import Context, said, thoughts, tool_text
from chaperone_cli.readers.draft import ROLES, Draft
from chaperone_cli.readers.values import as_dict, as_list, as_text, dicts, first_text

_AT = ("created_at", "createdAt", "create_time", "timestamp", "at", "date")
_ASIDE = frozenset({"reasoning", "thinking", "reasoning_content", "tool_calls", "function_call"})
_LANGCHAIN_TYPES = {
    "human": "user",
    "ai": "assistant",
    "aimessagechunk": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "chat": "user",
}


def is_message(value: object) -> bool:
    """Says whether `value` is one message of such a list."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return bool({"content", "parts", "tool_calls", "refusal", "audio"} & value.keys())


def add_messages(draft: Draft, messages: object, where: str = "messages") -> None:
    """Adds every message of a list, each placed by its number from 1."""
    if not isinstance(messages, list):
        draft.defect(f"`{where}` is {json_name(messages)}; expected a list of messages")
        return
    for number, message in enumerate(messages, 1):
        if isinstance(message, dict):
            add_message(draft, message, number)
        else:
            draft.defect(f" of `{where}` is {json_name(message)}; expected an object", number)


def add_message(draft: Draft, message: dict[str, Any], place: int | str) -> None:
    """Adds one message, with its reasoning and tool calls as context before it."""
    message = _plain(message)
    role = draft.role(message.get("role"), place)
    if role is None:
        return
    at = next((message[key] for key in _AT if message.get(key)), None)
    context = _context(message)
    for piece in context:
        draft.context(piece, place, at)
    content = _content(message)
    if role is Role.TOOL:
        content = tool_text({"name": message.get("name"), "content": content})
    # A message that only calls a tool says nothing, and is no blank turn either.
    if content or not context:
        name = as_text(message.get("name"))
        id_ = message.get("id")
        draft.say(role, content, place, id=id_, name=name, at=at, record=message)


def message_text(message: dict[str, Any]) -> str:
    """Gives the words of a message, without the space around them."""
    return said(_content(_plain(message))).text.strip()


def is_prompt(message: dict[str, Any]) -> bool:
    """Says whether a message is something that the user said."""
    role = _plain(message).get("role")
    known = ROLES.get(role.lower()) if isinstance(role, str) else None
    return known is Role.USER and bool(message_text(message))


def _content(message: dict[str, Any]) -> Any:
    content, parts = message.get("content"), message.get("parts")
    if parts and isinstance(content, str | None):
        # Beside the same words they hold what is no word: reasoning, calls of tools, pictures.
        words = said(parts).text.strip()
        if (content or "").strip() in ("", words):
            content = parts
    return content or message.get("refusal") or as_dict(message.get("audio")).get("transcript")


def _context(message: dict[str, Any]) -> list[Context]:
    if not _ASIDE & message.keys():  # as nearly always
        return []
    reasoning = {key: message.get(key) for key in ("reasoning", "thinking")}
    texts = [as_text(message.get("reasoning_content")) or thoughts(reasoning)]
    context = [Context(Role.EVENT, "reasoning", text) for text in texts if text]
    calls = dicts(message.get("tool_calls")) or dicts([message.get("function_call")])
    return context + [Context(Role.TOOL, "tool", tool_text(call)) for call in calls]


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """Gives a message of LangChain, which says its role as a type, in the usual form."""
    inner = as_dict(message.get("kwargs"))
    if inner and (path := as_list(message.get("id"))):
        kind = str(path[-1]).removesuffix("Chunk").removesuffix("Message").lower()
        message = {"type": kind, **inner}
    if "role" in message:
        return message
    if data := as_dict(message.get("data")):
        message = {**data, "type": message.get("type")}
    kind = (first_text(message, "type", "author") or "").lower()
    return {**message, "role": _LANGCHAIN_TYPES.get(kind)}
