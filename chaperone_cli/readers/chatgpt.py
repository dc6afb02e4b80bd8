"""ChatGPT's data export: a list of conversations, each a tree of messages.

Edited prompts and regenerated responses are siblings in the tree; `current_node` is where the user
last was. The export arrives as a zip that holds `conversations.json` beside other files. DeepSeek's
has the same tree with other messages in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.domain.branches import Branches, Tree
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.chatgpt_message import add, counts
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import DocumentFormat
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.times import instant
from chaperone_cli.readers.values import as_dict, as_list, as_text, first_text


@dataclass(frozen=True)
class ChatGPT(DocumentFormat):
    """An object with `mapping`; without links between its nodes their order is the conversation."""

    needs = "objects with `mapping`, the tree of a conversation's messages"
    telltale = frozenset({"mapping", "current_node", "author", "content_type", "parts"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        mapping = document.get("mapping")
        return isinstance(mapping, dict) and all(
            isinstance(node, dict) for node in list(mapping.values())[:3]
        )

    def conversations(  # noqa: D102
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        mapping = {key: as_dict(node) for key, node in document["mapping"].items()}
        tree = _tree(mapping)
        last = tree.path_to(_last(document, mapping, tree)) if mapping else ()
        abandoned = list(tree.abandoned(last, lambda key: counts(mapping[key])))
        yield from _read(document, mapping, tree, last, place, len(abandoned))
        if log.branches is Branches.ALL:
            for path in abandoned:
                yield from _read(document, mapping, tree, path, place, 0, path[-1])


def _read(
    document: dict[str, Any],
    mapping: dict[str, dict[str, Any]],
    tree: Tree,
    path: tuple[str, ...],
    place: Place,
    abandoned: int,
    branch: str | None = None,
) -> list[Conversation | Problem]:
    draft = Draft(place, first_text(document, "conversation_id", "id"))
    if branch is not None:
        draft.branch(branch)
    elif tree.is_broken(path):
        draft.loss("its tree of messages is broken: what came before the first one is missing")
    model = None
    for key in path:
        message = as_dict(mapping[key].get("message"))
        if message:
            model = add(draft, message, key) or model
    draft.facts(
        title=document.get("title"),
        created_at=document.get("create_time") or document.get("inserted_at"),
        updated_at=document.get("update_time") or document.get("updated_at"),
        model=model or as_text(document.get("default_model_slug")),
        account=as_text(document.get("user_id")),
        abandoned_branches=abandoned or None,
    )
    return draft.finish()


def _tree(mapping: dict[str, dict[str, Any]]) -> Tree:
    parents = {key: as_text(node.get("parent")) for key, node in mapping.items()}
    for key, node in mapping.items():
        for child in as_list(node.get("children")):
            if isinstance(child, str) and child in parents and parents[child] is None:
                parents[child] = key
    if len(mapping) > 1 and not any(parents.values()):
        parents = dict(zip(mapping, [None, *mapping], strict=False))
    return Tree(parents)


def _last(document: dict[str, Any], mapping: dict[str, dict[str, Any]], tree: Tree) -> str:
    """Gives the node that the user was at; the latest leaf where the export does not say."""
    current = document.get("current_node")
    if isinstance(current, str) and current in mapping:
        return current
    leaves = list(tree.leaves()) or list(mapping)
    said = {key: _time(as_dict(mapping[key].get("message"))) for key in leaves}
    times = {key: time for key, time in said.items() if time is not None}
    return max(times, key=lambda key: times[key]) if len(times) == len(leaves) else leaves[-1]


def _time(message: dict[str, Any]) -> float | None:
    time = message.get("create_time")
    if isinstance(time, int | float):
        return time
    moment = instant(as_text(message.get("inserted_at")) or "")
    return None if moment is None else moment.timestamp()
