"""One message of a ChatGPT export: whether it was said, and in which words."""

from collections.abc import Callable
from typing import Any

from chaperone_cli.domain.conversation import Role
from chaperone_cli.readers.content import Context, placeholder, thoughts, tool_text
from chaperone_cli.readers.draft import ROLES, Draft
from chaperone_cli.readers.values import as_dict, as_list, as_text, dicts, first_text

_POINTERS = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
    "real_time_user_audio_video_asset_pointer": "audio",
}
_FRAGMENTS = {"REQUEST": Role.USER, "RESPONSE": Role.ASSISTANT}
"""Whose words they are, in an export of DeepSeek; it has no other mark of who spoke."""
_REASONING = ("thoughts", "reasoning_recap")
_TEXT_KEYS = ("text", "result", "content", "title")


def add(draft: Draft, message: dict[str, Any], key: str) -> str | None:
    """Adds the message of node `key`; gives the model that wrote it, if one did."""
    if isinstance(message.get("fragments"), list):
        return _add_fragments(draft, message, key)
    content, metadata = as_dict(message.get("content")), as_dict(message.get("metadata"))
    role = draft.role(as_dict(message.get("author")).get("role"), key)
    if role is None:
        return None
    at = message.get("create_time")
    if aside := _aside(message, role):
        text, placeholders = _read(content)
        draft.context(Context(*aside, text), key, at, placeholders)
        return None
    text, placeholders = _read(content)
    for kind in _attachments(content, metadata):
        text, placeholders = f"{text}\n{placeholder(kind)}".lstrip("\n"), placeholders + 1
    id_ = message.get("id")
    draft.say(role, text, key, id=id_, at=at, extra=placeholders, record=content)
    return as_text(metadata.get("model_slug")) if role is Role.ASSISTANT else None


def _add_fragments(draft: Draft, message: dict[str, Any], key: str) -> str | None:
    """Adds a message of DeepSeek, whose fragments say by their type who spoke."""
    at = message.get("inserted_at")
    for fragment in dicts(message["fragments"]):
        kind = fragment.get("type")
        if kind == "THINK":
            thought = as_text(fragment.get("content")) or ""
            draft.context(Context(Role.EVENT, "reasoning", thought), key, at)
        elif kind not in _FRAGMENTS:
            draft.context(Context(Role.TOOL, str(kind).lower(), tool_text(fragment)), key, at)
    for role, words in _spoken(message).items():
        draft.say(role, words, key, at=at)
    return as_text(message.get("model"))


def _spoken(message: dict[str, Any]) -> dict[Role, str]:
    said: dict[Role, str] = {}
    for fragment in dicts(message["fragments"]):
        if role := _FRAGMENTS.get(str(fragment.get("type"))):
            said[role] = "\n".join(filter(None, (said.get(role), as_text(fragment.get("content")))))
    return said


def counts(node: dict[str, Any]) -> bool:
    """Says whether `node` holds a turn, for which an abandoned branch is worth reading."""
    message = as_dict(node.get("message"))
    if isinstance(message.get("fragments"), list):
        return any(words.strip() for words in _spoken(message).values())
    role = as_dict(message.get("author")).get("role")
    if not isinstance(role, str) or ROLES.get(role.lower()) not in (Role.USER, Role.ASSISTANT):
        return False
    spoken = not _aside(message, ROLES[role.lower()])
    return spoken and bool(_read(as_dict(message.get("content")))[0].strip())


def _aside(message: dict[str, Any], role: Role) -> tuple[Role, str] | None:
    """Gives how a message stands beside the utterances; None for an utterance."""
    kind = as_dict(message.get("content")).get("content_type")
    if kind in _REASONING:
        return Role.EVENT, "reasoning"
    if kind in ("user_editable_context", "model_editable_context"):
        return Role.SYSTEM, "instructions"
    if role in (Role.SYSTEM, Role.TOOL):
        return role, as_text(as_dict(message.get("author")).get("name")) or role.value
    if role is Role.ASSISTANT and message.get("recipient") not in (None, "", "all"):
        return Role.TOOL, as_text(message.get("recipient")) or "tool"
    if as_dict(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        return Role.EVENT, "hidden"
    if kind in ("system_error", "execution_output", "sonic_webpage"):
        return Role.EVENT, str(kind)
    return None


def _read(content: dict[str, Any]) -> tuple[str, int]:
    """Gives the text of a message's content and the number of placeholders in it."""
    kind = content.get("content_type")
    reader = _READERS.get(kind) if isinstance(kind, str) else _parts
    if reader is not None:
        return reader(content)
    # An unknown kind may be anything: what it holds as text is shown behind its placeholder.
    text, placeholders = _parts(content)
    others = (as_text(content.get(key)) for key in _TEXT_KEYS)
    words = "\n".join(dict.fromkeys(each for each in (text, thoughts(content), *others) if each))
    return f"{placeholder(kind)}\n{words}".rstrip("\n"), placeholders + 1


def _parts(content: dict[str, Any]) -> tuple[str, int]:
    if not isinstance(content.get("parts"), list):
        return first_text(content, *_TEXT_KEYS) or "", 0
    read = [_part(part) for part in content["parts"]]
    return "\n".join(text for text, _ in read if text), sum(replaced for _, replaced in read)


def _part(part: object) -> tuple[str, bool]:
    if isinstance(part, str):
        return part, False
    kind = as_dict(part).get("content_type")
    if kind == "audio_transcription":
        return as_text(as_dict(part).get("text")) or "", False
    return placeholder(_POINTERS.get(kind, kind) if isinstance(kind, str) else None), True


def _reasoning(content: dict[str, Any]) -> tuple[str, int]:
    found = thoughts({"thinking": content.get("thoughts")}) or thoughts(content)
    return (found, 0) if found else _parts(content)


def _instructions(content: dict[str, Any]) -> tuple[str, int]:
    texts = (value for key, value in content.items() if key != "content_type")
    return "\n".join(text for text in texts if isinstance(text, str) and text), 0


_READERS: dict[str, Callable[[dict[str, Any]], tuple[str, int]]] = {
    "text": _parts,
    "multimodal_text": _parts,
    "code": _parts,
    "execution_output": _parts,
    "thoughts": _reasoning,
    "reasoning_recap": _reasoning,
    "user_editable_context": _instructions,
    "model_editable_context": _instructions,
    "tether_browsing_display": _parts,
    "tether_browsing_code": _parts,
    "tether_quote": _parts,
    "system_error": _parts,
    "sonic_webpage": _parts,
}
"""By `content_type`."""


def _attachments(content: dict[str, Any], metadata: dict[str, Any]) -> list[str]:
    """Gives the kinds of the files sent along, besides pictures that already stand in the parts."""
    shown = any(isinstance(part, dict) for part in as_list(content.get("parts")))
    kinds = []
    for file in dicts(metadata.get("attachments")):
        mime = as_text(file.get("mime_type")) or as_text(file.get("mimeType")) or ""
        if not mime.startswith("image/"):
            kinds.append("attachment")
        elif not shown:
            kinds.append("image")
    return kinds
