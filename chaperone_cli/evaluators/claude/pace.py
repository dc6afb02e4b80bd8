"""How many calls may be under way at once: as many as the server takes gladly, found by trying.

The number doubles at first and grows by a few from then on, for as long as more calls bring more
replies a second; it halves when the server says that it is too much (additive increase,
multiplicative decrease, as in TCP). Where halving it costs replies and saves no refusals, these
have another cause than the number of calls, and are usual from then on.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

START, START_LOCAL = 16, 4
"""Calls under way at once at the start of a run; fewer where the server may be a small machine."""
STEP = 2
"""Calls that a round adds after the start."""
ROUND = 8
"""Outcomes of a round at least; otherwise as many as calls may be under way."""
EVIDENCE, ENOUGH = 32, 128
"""The same, after the number was halved; and outcomes that decide where fewer did not."""
TOLERATED = 0.05
"""The share of refusals above what is usual, and above chance, that is no sign of anything."""
TRIED, WORTH = 1.25, 0.3
"""Growth after which replies a second must have grown too, and by which share of it."""
MOST_OF_ALL, LATE = 0.9, 2.0
"""The share of a round that ends it, once the rest takes so many times as long as a reply."""
HELD = 5
"""Rounds without growth after one that was of no use."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What a number of calls at once came to."""

    limit: float
    refused: float
    """The share of calls that were."""
    rate: float
    """Replies a second."""
    starting: bool
    """Whether the number was still being doubled."""


@dataclass(slots=True)
class Slot:
    """A call's leave to be made."""

    started: float
    """The loop's time."""
    round: int | None
    """The round that it counts in, until it was counted; None where it counts in none."""


class Pace:
    """Lets calls pass, at most `most` under way at once; shared by all calls to one server."""

    def __init__(self, most: int, start: int = START) -> None:
        self._most = most
        self._limit = float(min(start, most))
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._resume_at = float("-inf")
        self._starting = True
        self._usual = 0.0
        """The share of refusals that comes whatever the number of calls is."""
        self._grown: _Round | None = None
        """The round before the growth that has not proved its worth."""
        self._cut: _Round | None = None
        """The round after which the number was halved, if that was the last one."""
        self._doubted = False
        """Whether a round has found that growth of no use."""
        self._held = 0
        self._round = 0
        self._begin_round()

    @property
    def limit(self) -> int:
        """Calls that may be under way at once now."""
        return int(self._limit)

    @property
    def known(self) -> bool:
        """Says whether refusals come whatever the number of calls is."""
        return self._usual > TOLERATED

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """Waits for a slot and holds it for the block."""
        await self._enter()
        slot = Slot(asyncio.get_running_loop().time(), None)
        if self._tracked < self._wanted:
            self._tracked += 1
            self._last_started = slot.started
            slot.round = self._round
        try:
            yield slot
        finally:
            if slot.round == self._round:
                # It came to nothing that says anything about the number: another one is tracked.
                self._tracked -= 1
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
        self._full = True
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

    def replied(self, slot: Slot) -> None:
        """Takes note of the reply to the call in `slot`."""
        self._count(slot, asyncio.get_running_loop().time() - slot.started)

    def refused(self, slot: Slot) -> None:
        """Takes note that the call in `slot` was too much for the server."""
        self._count(slot, None)

    def pause(self, seconds: float) -> None:
        """Lets no call start for so many seconds."""
        self._resume_at = max(self._resume_at, asyncio.get_running_loop().time() + seconds)

    def _begin_round(self) -> None:
        # The calls of a round are those that start first in it, as refusals come before replies.
        self._round += 1
        self._wanted = max(EVIDENCE if self._cut is not None else ROUND, self.limit)
        self._tracked = self._seen = self._refused = 0
        self._seconds = self._last_started = 0.0
        self._full = bool(self._waiting)

    def _count(self, slot: Slot, seconds: float | None) -> None:
        if slot.round != self._round:
            return
        slot.round = None
        self._seen += 1
        if seconds is None:
            self._refused += 1
        else:
            self._seconds += seconds
        if self._seen >= self._wanted or self._only_late_ones_are_out():
            self._judge()

    def _only_late_ones_are_out(self) -> bool:
        replies = self._seen - self._refused
        if self._seen < MOST_OF_ALL * self._wanted or not replies:
            return False
        waited = asyncio.get_running_loop().time() - self._last_started
        return waited > LATE * self._seconds / replies

    def _judge(self) -> None:
        replies = self._seen - self._refused
        # By Little's law; what is counted in a second would depend on where in a burst it begins.
        share = self._refused / self._seen
        taken = 1 - max(0.0, share - self._usual)
        rate = self.limit * taken * replies / max(self._seconds, 1e-9)
        done = _Round(self._limit, share, rate, self._starting)
        excess = done.refused - self._usual - TOLERATED
        # Of few outcomes a greater share may be chance.
        refusing = excess > self._seen**-0.5
        if excess > 0 and not refusing and not self._starting and self._seen < ENOUGH:
            self._wanted += self.limit
            return
        cut, self._cut = self._cut, None
        if cut is not None and cut.starting:
            done = replace(done, starting=True)
        if cut is not None and done.rate < 0.75 * cut.rate and done.refused > cut.refused / 2:
            self._usual = (done.refused + cut.refused) / 2
            self._limit, self._starting = cut.limit, cut.starting
        elif refusing and not self._worth(done):
            self._halve(done)
        else:
            self._usual = min(self._usual, (3 * self._usual + done.refused) / 4)
            self._grow(done)
        self._begin_round()
        self._wake()

    def _worth(self, done: _Round) -> bool:
        """Says whether the last growth brought more replies a second."""
        before = self._grown
        if before is None or done.limit < TRIED * before.limit:
            return False
        return done.rate >= before.rate * (1 + WORTH * (done.limit / before.limit - 1))

    def _halve(self, done: _Round) -> None:
        self._starting, self._grown, self._cut = False, None, done
        self._limit = max(1.0, self._limit / 2)

    def _grow(self, done: _Round) -> None:
        self._held = max(0, self._held - 1)
        # A number that was not reached says nothing about a larger one.
        if self._held or not self._full or self._limit >= self._most:
            return
        before = self._grown
        if before is None or self._worth(done):
            self._grown, self._doubted = done, False
        elif done.limit >= TRIED * before.limit:
            # New connections make the first replies late: a second round decides.
            if self._doubted:
                # After doubling, as many as bring those replies when each takes no longer than
                # before: what is right lies between the two numbers.
                more = max(1.0, done.rate / before.rate) if self._starting else 1.0
                self._limit, self._grown = min(done.limit, before.limit * more), None
                self._starting, self._held = False, HELD
            self._doubted = not self._doubted
            return
        self._limit = min(
            float(self._most), self._limit + (self._limit if self._starting else STEP)
        )
