"""The messages in what was logged as input or output of a model, which may be any JSON."""

from typing import Any

from chaperone_cli.readers.chat_messages import is_message
from chaperone_cli.readers.values import (
    SPEAKER,
    as_dict,
    as_list,
    as_text,
    begins,
    dicts,
    first_text,
    parsed_string,
)

Messages = list[dict[str, Any]]

_ASKED = ("input", "inputs", "contents", "new_message", "question", "query", "prompt", "prompts",
          "text", "user_input", "human_input", "user_message", "message", "args",
          "kwargs")  # fmt: skip
_ANSWERED = ("output", "outputs", "answer", "response", "text", "output_text", "content", "result",
             "completion", "message", "reply")  # fmt: skip
_SYSTEM = ("system", "instructions", "system_instruction", "systemInstruction", "system_prompt")
_HISTORIES = ("chat_history", "history")


def asked(value: Any) -> Messages:
    """Gives the messages of an input; a bare text is the user's."""
    parsed = parsed_string(value)
    system = [
        {"role": "system", "content": text}
        for document in (as_dict(parsed), as_dict(as_dict(parsed).get("config")))
        for key in _SYSTEM
        if (text := _instructions(document.get(key)))
    ]
    history = [each for key in _HISTORIES for each in _history(as_dict(parsed).get(key))]
    return system + history + _read(value, parsed, "user", _ASKED)


def answered(value: Any) -> Messages:
    """Gives the messages of an output; a bare text is the chatbot's, of several choices one."""
    return _read(value, parsed_string(value), "assistant", _ANSWERED)


def _read(value: Any, parsed: Any, role: str, keys: tuple[str, ...]) -> Messages:
    # What only looks like JSON, or holds no message, is what somebody wrote.
    return _messages(parsed, role, keys) or (
        _said(value, role) if isinstance(value, str) and value is not parsed else []
    )


def _messages(value: Any, role: str, keys: tuple[str, ...]) -> Messages:
    if isinstance(value, str):
        return _said(value, role)
    if isinstance(value, list):
        return _listed(value, role, keys)
    if not isinstance(value, dict):
        return []
    if _is_any_message(value):
        return [value]
    if messages := _listed(as_list(value.get("messages")), role, keys):
        return messages
    if choice := begins(value, "choices") or begins(value, "candidates"):
        return _choice(choice, role, keys)
    if generations := as_list(value.get("generations")):
        return _listed(generations, role, keys)
    for key in keys:
        if (found := value.get(key)) and (read := _messages(parsed_string(found), role, keys)):
            return read
    return []


def _choice(choice: dict[str, Any], role: str, keys: tuple[str, ...]) -> Messages:
    for key in ("message", "content", "delta"):
        if inner := as_dict(choice.get(key)):
            return [{**inner, "role": inner.get("role") or role}]
    return _messages(first_text(choice, "text", "content"), role, keys)


def _said(text: str, role: str) -> Messages:
    """Gives the messages in a text; where it has speakers' labels, it is theirs."""
    labels = list(SPEAKER.finditer(text))
    if labels and labels[0].start() == 0:
        ends = [label.start() for label in labels[1:]] + [len(text)]
        said = (text[label.end() : end].strip() for label, end in zip(labels, ends, strict=True))
        return [
            {"role": label[1], "content": None if words == "None" else words}
            for label, words in zip(labels, said, strict=True)
        ]
    return [{"role": role, "content": text}] if text.strip() else []


def _listed(values: list[Any], role: str, keys: tuple[str, ...]) -> Messages:
    if values and isinstance(values[0], list):  # batches, of which a chat is the only one
        return _listed(values[0], role, keys)
    if begins({"values": values}, "values") and all("finish_reason" in v for v in dicts(values)):
        return _choice(dicts(values)[0], role, keys)
    if values and all(_is_part(each) for each in values):
        return [{"role": role, "content": values}]
    found: Messages = []
    for value in values:
        if _is_any_message(value):
            found.append(value)
        elif isinstance(value, str):
            printed = parsed_string(value)
            if _is_any_message(printed):
                found.append(printed)
            elif " " in value or len(values) == 1:
                found += _said(value, role)
        elif inner := as_dict(as_dict(value).get("message")):
            found.append({**inner, "role": inner.get("role") or role})
        elif _is_part(value):
            found.append({"role": role, "content": [value]})
        elif text := as_text(as_dict(value).get("text")):
            found.append({"role": role, "content": text})
    return found


def _history(value: Any) -> Messages:
    return [each for each in as_list(parsed_string(value)) if _is_any_message(each)]


def _instructions(value: Any) -> Any:
    """Gives the system's part of an input: a text, or parts."""
    return as_text(value) or as_list(as_dict(value).get("parts")) or dicts(value)


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
