"""Signals that end a run: between two steps, so that everything done so far is whole.

Ctrl-C, `kill` and a terminal that was closed all mean the same: stop, and say how far it went.
"""

import signal
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
Handler = Callable[[int, FrameType | None], None]

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    """Has `handler` called for every signal that ends a run; nohup keeps its meaning."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    taken = [
        number
        for number in SIGNALS
        if number == signal.SIGINT or before[number] is not signal.SIG_IGN
    ]
    for number in taken:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


class Stopped(SystemExit):
    """A signal ended a command that has nothing to report of what it did so far."""


@contextmanager
def stopping() -> Iterator[None]:
    """While entered, has every signal that ends a run raise Stopped."""
    with _handled(_stop):
        yield


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped


class Interrupts:
    """Runs what the first such signal cancels.

    asyncio's own handling never reaches a run that waits for its input, because reading is not
    asynchronous here; so during a read the signal interrupts at once, as does any second signal.
    """

    def __init__(self) -> None:
        self._reading = False
        self._seen = False
        self._task: asyncio.Task[Any] | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` comes to, in an event loop of its own; a first signal cancels it."""
        import asyncio

        async def cancellable() -> T:
            self._task = asyncio.current_task()
            return await work

        with _handled(self._handle):
            return asyncio.run(cancellable())

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
