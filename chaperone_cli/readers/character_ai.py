"""Character.AI: dumps of `histories`, and chats whose turns have candidates.

The greeting, a response, comes first. Swiped answers are alternatives: the primary one was kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.message import json_name
from chaperone_cli.domain.conversation import Conversation, Role
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import DocumentFormat
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import as_dict, as_list, as_text, begins, dicts, first_text

_TEXTS = ("text", "raw_content", "content")
_LISTS = ("turns", "messages", "msgs", "history")
_TIMES = ("create_time", "created", "created_at", "timestamp")


@dataclass(frozen=True)
class CharacterAI(DocumentFormat):
    """An object with `histories`, with `turns` of `candidates`, or `messages` with `is_human`."""

    needs = "`histories` of messages with `is_human`, or `turns` with `candidates`"
    telltale = frozenset({"histories", "is_human", "candidates", "primary_candidate_id", "swipes"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        if isinstance(document.get("histories"), list | dict):
            return True
        return "candidates" in begins(document, "turns") or "is_human" in begins(
            document, "messages"
        )

    def conversations(  # noqa: D102
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        chats = _chats(document)
        if not chats:
            message = "it holds a character's definition only, and no messages"
            yield Problem(Severity.WARNING, place.path, message, place.line)
        for number, chat in enumerate(chats, 1):
            draft = Draft(place, _id(document, chat, number, place))
            _read(draft, chat)
            _facts(draft, document)
            yield from draft.finish()


_Chat = dict[str, Any] | list[Any]


def _chats(document: dict[str, Any]) -> list[_Chat]:
    for key in ("turns", "messages"):
        if isinstance(document.get(key), list):
            return [document]
    histories = document.get("histories")
    if isinstance(histories, dict):
        histories = histories.get("histories")
    return [chat for chat in as_list(histories) if isinstance(chat, list | dict)]


def _id(document: dict[str, Any], chat: _Chat, number: int, place: Place) -> str:
    own = as_dict(chat)
    key = as_dict(begins(own, "turns").get("turn_key"))
    names = ("chat_id", "external_id", "history_id", "id")
    found = first_text(own, *names) or as_text(key.get("chat_id")) or first_text(document, *names)
    if found is not None and (as_dict(chat) or number == 1):
        return found
    return f"{place.name}-{number}"


def _read(draft: Draft, chat: _Chat) -> None:
    held = (as_dict(chat).get(key) for key in _LISTS)
    messages = chat if isinstance(chat, list) else next(filter(None, map(as_list, held)), [])
    for number, message in enumerate(messages, 1):
        if isinstance(message, dict):
            _add(draft, message, number)
        else:
            draft.defect(f" is {json_name(message)}; expected an object", number)


def _add(draft: Draft, message: dict[str, Any], number: int) -> None:
    chosen = _chosen(message)
    role = _role(message)
    at = next((message[key] for key in _TIMES if message.get(key)), None)
    id_ = as_dict(message.get("turn_key")).get("turn_id") or message.get("uuid")
    name = first_text(as_dict(message.get("author")) or as_dict(message.get("src")), "name")
    if role is Role.USER:
        name = None  # the account's own name tells an evaluator nothing
    draft.say(role, chosen, number, id=id_, name=name, at=at, record=message)


def _role(message: dict[str, Any]) -> Role:
    """Gives who speaks; only the human's side is always marked."""
    marked = [message, as_dict(message.get("author")), as_dict(message.get("src"))]
    return Role.USER if any(each.get("is_human") is True for each in marked) else Role.ASSISTANT


def _chosen(message: dict[str, Any]) -> str | None:
    """Gives the text that the user kept of several."""
    if candidates := dicts(message.get("candidates")):
        primary = message.get("primary_candidate_id")
        kept = [each for each in candidates if each.get("candidate_id") == primary and primary]
        return first_text((kept or candidates)[0], *_TEXTS)
    swipes, index = as_list(message.get("swipes")), message.get("swipe_id")
    if isinstance(index, int) and 0 <= index < len(swipes) and as_text(swipes[index]):
        return as_text(swipes[index])
    return first_text(message, *_TEXTS) or as_text(swipes[0] if swipes else None)


def _facts(draft: Draft, document: dict[str, Any]) -> None:
    info = as_dict(as_dict(document.get("info")).get("character")) or document
    names = [as_text(each) for each in (info.get("character_name"), info.get("character"))]
    draft.facts(
        title=as_text(document.get("title")),
        created_at=next((document[key] for key in _TIMES if document.get(key)), None),
        character=next((name for name in names if name), as_text(info.get("name"))),
    )
