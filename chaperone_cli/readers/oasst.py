"""Open Assistant: trees of prompts and ranked replies, whole or one message a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chaperone_cli.domain.branches import Branches, Tree
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import DocumentFormat, accounted
from chaperone_cli.readers.json_documents import Document, json_documents
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import as_dict, as_text, dicts

_LOWEST = float("inf")
_Nodes = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class OpenAssistant(DocumentFormat):
    """A tree under `prompt` or `replies`, or its messages in a row with `parent_id`.

    The conversation follows the best ranked reply at every fork. Deleted messages, and whatever
    answers them, are left out.
    """

    needs = "message trees with `prompt` or `replies`, of roles prompter and assistant"
    telltale = frozenset({"message_tree_id", "message_id", "parent_id", "replies", "prompt"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        root = as_dict(document.get("prompt")) or document
        # A tree that is cut short by the opening shows at least its root's first keys.
        return "message_id" in root and "role" in root and "text" in root

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:
        """Reads trees; the messages of one tree that stands in rows must follow each other."""
        for key, group in groupby(json_documents(log), key=_tree_of):
            if key is None:
                for item in group:
                    yield from self._single(item, log)
            else:
                rows = [item for item in group if isinstance(item, Document)]
                place = Place(log.name, rows[0].line, rows[0].item)
                nodes = {str(row.value["message_id"]): row.value for row in rows}
                try:
                    items = list(_conversations(nodes, place, log, key))
                    yield from accounted(items, [*nodes.values()], place.line, log)
                except RecursionError:
                    message = f"tree {key} is nested too deeply and was left out"
                    yield log.problem(message, place.line)

    def _single(self, item: Document | Problem, log: Log) -> Iterator[Conversation | Problem]:
        if isinstance(item, Problem):
            yield item
        else:
            yield from self.read_document(item, log)

    def conversations(  # noqa: D102
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        root = as_dict(document.get("prompt")) or document
        nodes: _Nodes = {}
        waiting = [(root, as_text(root.get("parent_id")))]
        while waiting:  # trees of any depth, without recursion
            message, parent = waiting.pop()
            key = str(message.get("message_id", len(nodes)))
            nodes[key] = {**message, "parent_id": parent}
            waiting += ((reply, key) for reply in reversed(dicts(message.get("replies"))))
        yield from _conversations(nodes, place, log, as_text(document.get("message_tree_id")))


def _tree_of(item: Document | Problem) -> str | None:
    """Names the tree that a message in a row belongs to; None for a whole tree."""
    if isinstance(item, Problem) or "replies" in item.value or "prompt" in item.value:
        return None
    if not {"message_id", "role", "text"} <= item.value.keys():
        return None
    return as_text(item.value.get("message_tree_id")) or str(item.value["message_id"])


def _conversations(
    nodes: _Nodes, place: Place, log: Log, tree_id: str | None
) -> Iterator[Conversation | Problem]:
    alive = _alive(nodes)
    tree = Tree({key: _parent(node, alive) for key, node in alive.items()})
    best = _best(tree, alive)
    id_ = tree_id or next(iter(nodes), None)
    abandoned = list(tree.abandoned(best, lambda key: True))
    yield from _read(Draft(place, id_), alive, best, len(abandoned))
    if log.branches is Branches.ALL:
        for path in abandoned:
            draft = Draft(place, id_)
            draft.branch(path[-1])
            yield from _read(draft, alive, path, 0)


def _alive(nodes: _Nodes) -> _Nodes:
    """Leaves out deleted messages and what answers them; parents come before their replies."""
    alive: _Nodes = {}
    for key, node in nodes.items():
        parent = node.get("parent_id")
        lost = isinstance(parent, str) and parent in nodes and parent not in alive
        if node.get("deleted") is not True and not lost:
            alive[key] = node
    return alive


def _parent(node: dict[str, Any], alive: _Nodes) -> str | None:
    parent = as_text(node.get("parent_id"))
    return parent if parent in alive else None


def _best(tree: Tree, nodes: _Nodes) -> tuple[str, ...]:
    replies: dict[str | None, list[str]] = {}
    for key, parent in tree.parents.items():
        replies.setdefault(parent, []).append(key)
    path: dict[str, None] = {}
    choices = replies.get(None, [])
    while choices and (best := min(choices, key=lambda key: _rank(nodes[key]))) not in path:
        path[best] = None
        choices = replies.get(best, [])
    return tuple(path)


def _rank(node: dict[str, Any]) -> float:
    rank = node.get("rank")
    return float(rank) if isinstance(rank, int | float) else _LOWEST


def _read(
    draft: Draft, nodes: _Nodes, path: tuple[str, ...], abandoned: int
) -> list[Conversation | Problem]:
    model = None
    for key in path:
        node = nodes[key]
        if role := draft.role(node.get("role"), key):
            text, at = node.get("text"), node.get("created_date")
            draft.say(role, text, key, id=key, at=at, record={**node, "replies": None})
            model = as_text(node.get("model_name")) or model
    first = nodes[path[0]] if path else {}
    draft.facts(
        created_at=first.get("created_date"),
        model=model,
        language=as_text(first.get("lang")),
        abandoned_branches=abandoned or None,
    )
    return draft.finish()
