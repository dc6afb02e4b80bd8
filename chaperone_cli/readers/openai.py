"""OpenAI messages: `{"messages": [{"role", "content"}]}`, or one conversation's messages alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.domain.conversation import Conversation, Role
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.any_messages import answered
from chaperone_cli.readers.chat_messages import (
    add_message,
    add_messages,
    is_message,
    message_text,
)
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import DocumentFormat
from chaperone_cli.readers.json_documents import json_documents
from chaperone_cli.readers.json_opening import Layout
from chaperone_cli.readers.log import Head, Log
from chaperone_cli.readers.values import as_dict, as_text, begins, first_text

_IDS = ("id", "conversation_id", "session_id", "thread_id", "uuid")
_REPLIES = ("choices", "response", "completion", "output")
_TIMES = ("created_at", "create_time", "created", "timestamp", "date")


@dataclass(frozen=True)
class OpenAI(DocumentFormat):
    """An object with `messages`, and possibly the reply to them under a key of its own.

    Messages by themselves, in a list or one a line and without any conversation's id, are one
    conversation.
    """

    needs = "objects with `messages`, a list of `role` and `content`"
    telltale = frozenset({"messages", "role", "content"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        if "epoch" in document or "observations" in document:
            return False
        return is_message(begins(document, "messages")) or document.get("messages") == []

    def recognises(self, head: Head) -> bool:  # noqa: D102
        return super().recognises(head) or _is_one(head)

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        return _one(log) if _is_one(log.head) else super().read_all(log)

    def conversations(  # noqa: D102
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        id_ = next((document[key] for key in _IDS if document.get(key)), None)
        draft = Draft(place, id_)
        add_messages(draft, document["messages"])
        _add_reply(draft, document)
        meta = as_dict(document.get("metadata")) or as_dict(document.get("meta"))
        draft.label = as_text(document.get("label"))
        draft.facts(
            title=first_text(document, "title", "name"),
            created_at=next((document[key] for key in _TIMES if document.get(key)), None),
            updated_at=document.get("updated_at"),
            model=as_text(document.get("model")) or as_text(meta.get("model")),
            account=first_text(document, "user", "user_id"),
        )
        yield from draft.finish()


def _add_reply(draft: Draft, document: dict[str, Any]) -> None:
    """Adds what a log of calls holds beside the messages that were sent, unless they end with it.

    The same reply may stand in it several times: raw, and as text.
    """
    for key in _REPLIES:
        reply = answered(document.get(key))
        words = "\n".join(message_text(message) for message in reply)
        last = draft.messages[-1] if draft.messages else None
        if words and last and (last.role, last.text.strip()) == (Role.ASSISTANT, words):
            return
        for message in reply:
            add_message(draft, message, key)
        if reply:
            return


def _is_one(head: Head) -> bool:
    """Says whether the log holds the messages of one conversation."""
    return (
        head.layout in (Layout.LIST, Layout.LINES)
        and bool(head.documents)
        and all(is_message(each) and "conversation_id" not in each for each in head.documents[:-1])
        and isinstance(head.documents[0].get("role"), str)
        and "conversation_id" not in head.documents[0]
    )


def _one(log: Log) -> Iterator[Conversation | Problem]:
    draft = Draft(Place(log.name, 1, None))
    for document in json_documents(log):
        if isinstance(document, Problem):
            yield document
            draft.defect("one of its messages could not be read")
        else:
            with draft.accounting(document.value, document.line, log.account):
                add_message(draft, document.value, document.item or document.line)
    yield from draft.finish()
