"""SillyTavern: one chat a file, a header in its first line and one message in each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.domain.conversation import Conversation, Role
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.content import Context
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.json_documents import json_documents
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import as_dict, as_list, as_text


@dataclass(frozen=True)
class SillyTavern(Format):
    """Lines with `mes` and `is_user`; of several swipes the one in `mes` was kept.

    A line that cannot be read makes the chat unfit for an audit.
    """

    needs = "a header with `user_name` and `character_name`, then lines with `mes` and `is_user`"
    telltale = frozenset({"mes", "is_user", "send_date", "character_name", "user_name"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        return _is_header(document) or {"mes", "is_user"} <= document.keys()

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        draft = Draft(Place(log.name, 1, None))
        seen = False
        for document in json_documents(log):
            if isinstance(document, Problem):
                yield document
                draft.defect("one of its messages could not be read")
                continue
            seen = True
            if _is_header(document.value):
                _read_header(draft, document.value)
            else:
                with draft.accounting(document.value, document.line, log.account):
                    _add(draft, document.value, document.item or document.line)
        if seen:
            yield from draft.finish()


def _is_header(document: dict[str, Any]) -> bool:
    return {"user_name", "character_name"} <= document.keys() and "mes" not in document


def _read_header(draft: Draft, header: dict[str, Any]) -> None:
    draft.facts(
        created_at=header.get("create_date"),
        character=as_text(header.get("character_name")),
    )


def _add(draft: Draft, message: dict[str, Any], place: int) -> None:
    if not {"mes", "is_user"} <= message.keys():
        draft.defect(" lacks `mes` or `is_user`", place)
        return
    at, name = message.get("send_date"), as_text(message.get("name"))
    text = message.get("mes")
    extra = as_dict(message.get("extra"))
    if message.get("is_system") is True:
        draft.context(Context(Role.SYSTEM, name or "system", as_text(text) or ""), place, at)
        return
    if reasoning := as_text(extra.get("reasoning")):
        draft.context(Context(Role.EVENT, "reasoning", reasoning), place, at)
    if message.get("is_user") is True:
        draft.say(Role.USER, _content(text, extra), place, at=at, record=message)
    else:
        draft.facts(model=as_text(extra.get("model")))
        swipes = as_list(message.get("swipes"))
        index = message.get("swipe_id")
        if not as_text(text) and isinstance(index, int) and 0 <= index < len(swipes):
            text = as_text(swipes[index])
        words = _content(text, extra)
        draft.say(Role.ASSISTANT, words, place, name=name, at=at, record=message)


def _content(text: object, extra: dict[str, Any]) -> list[Any]:
    pictures = [{"type": "image"}] if extra.get("image") else []
    files = [{"type": "attachment"}] if extra.get("file") else []
    return [as_text(text) or "", *pictures, *files]
