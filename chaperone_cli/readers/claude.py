"""Claude's data export: a list of conversations with `chat_messages`, or one of them.

A message says which one it answers; where a prompt was edited, several answer the same. The export
arrives as a zip that holds `conversations.json` beside other files.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.message import json_name
from chaperone_cli.domain.branches import Branches, Tree
from chaperone_cli.domain.conversation import Conversation, Role
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.ant_thinking import without_thinking
from chaperone_cli.readers.content import Context, said
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import DocumentFormat
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import as_dict, as_text, dicts, first_text

_NO_PARENT = "00000000-0000-4000-8000-000000000000"
_ATTACHED = ("attachments", "files")


@dataclass(frozen=True)
class Claude(DocumentFormat):
    """An object with `chat_messages`; what a message holds besides words is context before it."""

    needs = "objects with `chat_messages`, each message with its `sender`"
    telltale = frozenset({"chat_messages", "sender", "current_leaf_message_uuid", "uuid"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        return isinstance(document.get("chat_messages"), list)

    def conversations(  # noqa: D102
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        messages = _numbered(document["chat_messages"])
        tree = _tree(messages)
        last = tree.path_to(_last(document, tree)) if messages else ()
        abandoned = list(tree.abandoned(last, lambda key: _counts(messages[key][1])))
        yield from _read(document, messages, last, place, len(abandoned), tree.is_broken(last))
        if log.branches is Branches.ALL:
            for path in abandoned:
                yield from _read(document, messages, path, place, branch=path[-1])


_Messages = dict[str, tuple[int, object]]


def _read(
    document: dict[str, Any],
    messages: _Messages,
    path: tuple[str, ...],
    place: Place,
    abandoned: int = 0,
    broken: bool = False,
    *,
    branch: str | None = None,
) -> list[Conversation | Problem]:
    draft = Draft(place, first_text(document, "uuid", "conversation_id", "id"))
    if branch is not None:
        draft.branch(branch)
    if broken:
        draft.loss("what its first message answers is missing from the export")
    for key in path:
        _add(draft, *messages[key])
    draft.facts(
        title=first_text(document, "name", "title"),
        created_at=document.get("created_at"),
        updated_at=document.get("updated_at"),
        model=as_text(document.get("model")),
        account=as_text(as_dict(document.get("account")).get("uuid")),
        project=as_text(as_dict(document.get("project")).get("uuid")),
        abandoned_branches=abandoned or None,
    )
    return draft.finish()


def _add(draft: Draft, number: int, message: object) -> None:
    if not isinstance(message, dict):
        draft.defect(f" is {json_name(message)}; expected an object", number)
        return
    role = draft.role(message.get("sender"), number)
    if role is None:
        return
    at = message.get("created_at")
    content = _content(message)
    if role is Role.ASSISTANT:
        content, thoughts = without_thinking(content)
        for thought in thoughts:
            draft.context(Context(Role.EVENT, "reasoning", thought), number, at)
    attached: list[Any] = []
    for file in _files(message):
        attached.append({"type": "image" if file.get("file_kind") == "image" else "attachment"})
        if text := as_text(file.get("extracted_content")):
            draft.context(Context(Role.EVENT, "attachment", text), number, at)
    content = [*content, *attached] if attached else content
    draft.say(role, content, number, id=message.get("uuid"), at=at, record=message)


def _content(message: dict[str, Any]) -> list[Any]:
    """Gives the parts of a message; `text` where they hold no words."""
    parts = message.get("content")
    parts = [parts] if isinstance(parts, str | dict) else parts if isinstance(parts, list) else []
    text = as_text(message.get("text"))
    if text is None or said(parts).text.strip():
        return parts
    return [*parts, text]


def _files(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Gives what was sent along, each file once."""
    found = [file for key in _ATTACHED for file in dicts(message.get(key))]
    return found or dicts(message.get("files_v2"))


def _counts(message: object) -> bool:
    role = as_dict(message).get("sender")
    spoken = role in ("human", "assistant", "user")
    return spoken and bool(said(_content(as_dict(message))).text.strip())


def _numbered(messages: list[Any]) -> _Messages:
    found: _Messages = {}
    for number, message in enumerate(messages, 1):
        key = as_text(as_dict(message).get("uuid")) or f"entry-{number}"
        found[key if key not in found else f"{key}-{number}"] = (number, message)
    return found


def _tree(messages: _Messages) -> Tree:
    """Builds the tree; where messages do not say what they answer, each answers the one before."""
    parents: dict[str, str | None] = {}
    before: str | None = None
    for key, (_, message) in messages.items():
        parent = as_text(as_dict(message).get("parent_message_uuid"))
        parents[key] = None if parent == _NO_PARENT else parent or before
        before = key
    return Tree(parents)


def _last(document: dict[str, Any], tree: Tree) -> str:
    current = document.get("current_leaf_message_uuid")
    if isinstance(current, str) and current in tree.parents:
        return current
    return next(reversed(list(tree.leaves())), next(iter(tree.parents)))
