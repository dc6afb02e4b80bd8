"""How many calls may be under way at once: as many as the server takes gladly.

The number grows with every reply and halves when the server says that it is too much, as in TCP:
additive increase, multiplicative decrease, and a doubling start until the first refusal.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

START = 16
"""Calls under way at once at the start of a run."""


class Pace:
    """Lets calls pass, at most `most` under way at once; shared by a whole run."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(min(START, most))
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._starting = True
        self._cut_at = float("-inf")
        self._resume_at = float("-inf")

    @property
    def limit(self) -> int:
        """Calls that may be under way at once now."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Waits for a slot, holds it for the block, and gives the loop's time at its start."""
        await self._enter()
        try:
            yield asyncio.get_running_loop().time()
        finally:
            self._under_way -= 1
            self._wake()

    async def _enter(self) -> None:
        loop = asyncio.get_running_loop()
        # A pause may be prolonged while it lasts.
        while (wait := self._resume_at - loop.time()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(wait)
        if self._under_way < self.limit and not self._waiting:
            self._under_way += 1
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._under_way -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        """Hands free slots to those who wait, in the order in which they came."""
        while self._waiting and self._under_way < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._under_way += 1
                turn.set_result(None)

    def replied(self) -> None:
        """Takes note of a reply: one more call may be under way, or a fraction of one."""
        step = 1.0 if self._starting else 1.0 / self._limit
        self._limit = min(float(self._most), self._limit + step)

    def refused(self, started: float, wait: float) -> None:
        """Takes note that a call, `started` at that time of the loop, was too much for the server.

        No call starts for `wait` seconds. Calls that were under way together count as one refusal.
        """
        now = asyncio.get_running_loop().time()
        self._starting = False
        self.pause(wait)
        if started >= self._cut_at:
            self._limit = max(1.0, self._limit / 2)
            self._cut_at = now

    def pause(self, seconds: float) -> None:
        """Lets no call start for so many seconds."""
        self._resume_at = max(self._resume_at, asyncio.get_running_loop().time() + seconds)
