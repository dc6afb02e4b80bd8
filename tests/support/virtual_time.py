"""An event loop in which waiting takes no time: its clock jumps to whatever comes next."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """Waits for nothing, and puts the clock forward instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        self.now += timeout or 0.0
        return super().select(0)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs `main`, which may use tasks and sleep but neither threads nor sockets."""
    selector = _Jumping()

    class Loop(asyncio.SelectorEventLoop):
        def time(self) -> float:
            return selector.now

    with asyncio.Runner(loop_factory=lambda: Loop(selector)) as runner:
        return runner.run(main)
