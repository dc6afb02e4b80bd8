"""The messages in what a tracing tool recorded as input or output, which may be any JSON."""

from typing import Any

import orjson

from chaperone_cli.readers.chat_messages import is_message
from chaperone_cli.readers.values import as_dict, as_list, as_text, dicts

_ASKED = ("input", "question", "query", "prompt", "text", "user_input", "human_input")
_ANSWERED = ("output", "answer", "response", "text", "content", "result", "completion")


def parsed_string(value: Any) -> Any:
    """Gives the JSON in a string that holds an object or a list, else `value` itself."""
    if isinstance(value, str) and value[:1] in ("{", "[") and value:
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def asked(value: Any) -> list[dict[str, Any]]:
    """Gives the messages of an input; a bare text is the user's."""
    return _messages(parsed_string(value), "user", _ASKED)


def answered(value: Any) -> list[dict[str, Any]]:
    """Gives the messages of an output; a bare text is the chatbot's, of several choices one."""
    return _messages(parsed_string(value), "assistant", _ANSWERED)


def _messages(value: Any, role: str, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value.strip() else []
    if isinstance(value, list):
        return _listed(value, role, keys)
    if not isinstance(value, dict):
        return []
    if _is_any_message(value):
        return [value]
    if messages := _listed(as_list(value.get("messages")), role, keys):
        return messages
    if choice := as_dict(next(iter(dicts(value.get("choices"))), {}).get("message")):
        return [choice]
    if generations := as_list(value.get("generations")):
        return _listed(generations, role, keys)
    for key in keys:
        if found := value.get(key):
            return _messages(parsed_string(found), role, keys)
    if isinstance(value.get("message"), dict):
        return _messages(value["message"], role, keys)
    return []


def _listed(values: list[Any], role: str, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    if values and isinstance(values[0], list):  # batches, of which a chat is the only one
        return _listed(values[0], role, keys)
    if values and all(_is_part(each) for each in values):
        return [{"role": role, "content": values}]
    found: list[dict[str, Any]] = []
    for value in values:
        if _is_any_message(value):
            found.append(value)
        elif isinstance(value, dict) and isinstance(value.get("message"), dict):
            found.append(value["message"])
        elif text := as_text(as_dict(value).get("text")):
            found.append({"role": role, "content": text})
    return found


def _is_part(value: object) -> bool:
    part = isinstance(value, dict) and "type" in value and "role" not in value
    return part and not _is_any_message(value)


def _is_any_message(value: object) -> bool:
    if is_message(value):
        return True
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("kwargs"), dict) and isinstance(value.get("id"), list):
        return True
    return value.get("type") in ("human", "ai", "system", "tool") and (
        "content" in value or "data" in value
    )
