"""Where a use case runs: how it waits for its votes, and whom it tells how far it has come."""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Progress
from chaperone_cli.readers import LogReader

T = TypeVar("T")


class Host:
    """A quiet place: nothing is shown, and nothing but an error ends a run early."""

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` comes to, in an event loop of its own."""
        return asyncio.run(work)

    def reading(self, items: Iterable[T]) -> Iterable[T]:
        """Return `items`, which may wait for input while they are iterated."""
        return items

    def watching(self, progress: Progress, reader: LogReader) -> AbstractContextManager[None]:
        """Return what is entered while votes are gathered on what `reader` reads."""
        return nullcontext()

    def counting(self, items: Iterable[T], doing: str, what: str = "conversations") -> Iterable[T]:
        """Return `items`, which may be many, and whose iteration is work that `doing` names."""
        return items

    def note(self, line: str) -> None:
        """Takes one line that whoever started the run should read."""

    def problem(self, problem: Problem) -> None:
        """Takes one problem of the input."""


QUIET = Host()
