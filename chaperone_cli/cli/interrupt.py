"""Ctrl-C: ends a run between two steps, so that everything done so far is whole."""

import asyncio
import signal
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")


class Interrupts:
    """While entered, turns the first SIGINT into a cancellation of the run.

    asyncio's own handling never reaches a run that waits for its input, because reading is not
    asynchronous here; so during a read the signal interrupts at once, as does any second signal.
    """

    def __init__(self) -> None:
        self._reading = False
        self._seen = False
        self._task: asyncio.Task[Any] | None = None
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def cancels(self, task: asyncio.Task[Any] | None) -> None:
        """Names the task that a signal cancels."""
        self._task = task

    def reading(self, items: Iterable[T]) -> Iterator[T]:
        """Yields `items`, marking the time that is spent waiting for the next one."""
        source = iter(items)
        while True:
            self._reading = True
            try:
                item = next(source)
            except StopIteration:
                return
            finally:
                self._reading = False
            yield item

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._seen or self._reading or self._task is None:
            raise KeyboardInterrupt
        self._seen = True
        self._task.get_loop().call_soon_threadsafe(self._task.cancel)
