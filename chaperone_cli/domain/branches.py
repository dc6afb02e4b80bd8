"""Conversations that fork where a prompt was edited or a response regenerated."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Branches(StrEnum):
    """Which branches of a conversation are read."""

    LAST = "last"
    """The one that the user saw last."""
    ALL = "all"
    """The abandoned ones as well, each as a conversation under its own id."""


@dataclass(frozen=True)
class Tree:
    """Which node follows which; all nodes are keys of `parents`, in the order of the export."""

    parents: Mapping[str, str | None]

    def path_to(self, leaf: str) -> tuple[str, ...]:
        """The nodes from the root to `leaf`; a circle is followed once."""
        path: dict[str, None] = {}
        node: str | None = leaf
        while node is not None and node in self.parents and node not in path:
            path[node] = None
            node = self.parents[node]
        return tuple(reversed(path))

    def is_broken(self, path: tuple[str, ...]) -> bool:
        """Whether the node before the first of `path` is missing or closes a circle."""
        return bool(path) and self.parents[path[0]] is not None

    def leaves(self) -> Iterator[str]:
        """The nodes that nothing follows."""
        followed = set(self.parents.values())
        return (node for node in self.parents if node not in followed)

    def abandoned(
        self, last: tuple[str, ...], counts: Callable[[str], bool]
    ) -> Iterator[tuple[str, ...]]:
        """The paths besides `last` that hold a node of their own for which `counts` holds."""
        on_last = set(last)
        for leaf in self.leaves():
            if leaf not in on_last:
                path = self.path_to(leaf)
                if any(node not in on_last and counts(node) for node in path):
                    yield path
