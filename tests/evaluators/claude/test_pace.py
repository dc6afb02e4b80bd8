"""The number of calls at once is found by trying, in a simulated time, and is never exceeded."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.evaluators.claude.pace import START, START_LOCAL, Pace
from tests.support.virtual_time import run

LATENCY = 0.2


@dataclass
class Server:
    """Takes `room` calls at once; more are refused or, with `queues`, served later."""

    room: int = 10_000
    queues: bool = False
    refused: float = 0.0
    """The share that is refused whatever there is room for."""
    latency: float = LATENCY
    under_way: int = 0
    most: int = 0
    refusals: int = 0
    draw: Random = field(default_factory=lambda: Random(7))

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.room if self.queues else 10_000)

    async def reply(self) -> bool:
        """Gives whether it replied, once it has."""
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if self.draw.random() < self.refused or (
                not self.queues and self.under_way > self.room
            ):
                self.refusals += 1
                return False
            async with self._slots:
                await asyncio.sleep(self.latency)
            return True
        finally:
            self.under_way -= 1


def replies(
    server: Callable[[], Server], clients: int, seconds: float, pace: Pace
) -> tuple[int, Server]:
    """Gives how many replies `clients` get that each ask one question after the other."""

    async def scenario() -> tuple[int, Server]:
        one, done = server(), 0

        async def ask() -> None:
            nonlocal done
            while True:
                async with pace.slot() as slot:
                    replied = await one.reply()
                    (pace.replied if replied else pace.refused)(slot)
                    done += replied
                    if not replied:
                        await asyncio.sleep(one.latency)

        tasks = [asyncio.create_task(ask()) for _ in range(clients)]
        await asyncio.sleep(seconds)
        for task in tasks:
            task.cancel()
        return done, one

    return run(scenario())


@pytest.mark.parametrize("start", [START, START_LOCAL])
@pytest.mark.parametrize("refused", [0.0, 0.05, 0.2, 0.4])
def test_refusals_that_nothing_explains_do_not_slow_a_run_down(refused: float, start: int) -> None:
    done, _ = replies(lambda: Server(refused=refused), 200, 30, Pace(256, start))
    # Each of 200 waits for its replies, and as long after every refusal.
    ideal = 200 * 30 / LATENCY * (1 - refused)
    assert done > 0.75 * ideal


@pytest.mark.parametrize("start", [START, START_LOCAL])
@pytest.mark.parametrize("room", [10, 50, 120])
def test_a_server_that_refuses_more_gets_about_as_many_as_it_takes(room: int, start: int) -> None:
    done, server = replies(lambda: Server(room=room), 300, 120, Pace(1000, start))
    assert done > 0.7 * room * 120 / LATENCY
    assert server.refusals < 0.25 * done


@pytest.mark.parametrize("room", [1, 4, 20])
def test_a_server_that_queues_is_not_flooded(room: int) -> None:
    pace = Pace(1000, START_LOCAL)
    done, server = replies(lambda: Server(room=room, queues=True, latency=1.0), 300, 600, pace)
    assert done > 0.7 * room * 600
    assert server.most <= max(4 * room, 16)


def test_the_most_is_never_exceeded() -> None:
    done, server = replies(lambda: Server(), 200, 20, Pace(40))
    assert server.most == 40
    assert done > 0.9 * 40 * 20 / LATENCY


def test_a_server_that_was_crowded_for_a_while_gets_its_calls_back() -> None:
    crowded = Server(room=5)

    async def scenario() -> tuple[int, int]:
        pace, limits = Pace(256), []

        async def ask() -> None:
            while True:
                async with pace.slot() as slot:
                    (pace.replied if await crowded.reply() else pace.refused)(slot)
                    await asyncio.sleep(LATENCY)

        tasks = [asyncio.create_task(ask()) for _ in range(100)]
        for room in (5, 10_000):
            crowded.room = room
            await asyncio.sleep(20)
            limits.append(pace.limit)
        for task in tasks:
            task.cancel()
        return limits[0], limits[1]

    low, high = run(scenario())
    assert low <= 15
    assert high >= 90


def test_calls_that_come_to_nothing_do_not_hold_it_up() -> None:
    async def scenario() -> int:
        pace = Pace(256, START_LOCAL)

        async def ask(number: int) -> None:
            for turn in range(200):
                async with pace.slot() as slot:
                    await asyncio.sleep(LATENCY)
                    if (number + turn) % 5:
                        pace.replied(slot)

        await asyncio.gather(*(ask(number) for number in range(100)))
        return pace.limit

    assert run(scenario()) >= 64


def test_nothing_starts_before_the_server_wants_it() -> None:
    async def scenario() -> float:
        pace = Pace(4)
        began = asyncio.get_running_loop().time()
        pace.pause(0.05)
        pace.pause(0.01)
        async with pace.slot() as slot:
            return slot.started - began

    assert run(scenario()) == pytest.approx(0.05)


@given(
    most=st.integers(1, 5),
    calls=st.lists(
        st.tuples(st.floats(0, 0.003), st.booleans(), st.sampled_from("rcx")), max_size=30
    ),
)
def test_never_more_than_allowed_and_nobody_waits_for_ever(
    most: int, calls: list[tuple[float, bool, str]]
) -> None:
    async def scenario() -> None:
        pace = Pace(most)
        under_way = 0

        async def call(seconds: float, stop: bool, outcome: str) -> None:
            nonlocal under_way
            async with asyncio.timeout(seconds / 2 if stop else 5), pace.slot() as slot:
                under_way += 1
                assert under_way <= most
                try:
                    await asyncio.sleep(seconds)
                    if outcome == "r":
                        pace.replied(slot)
                    elif outcome == "c":
                        pace.refused(slot)
                finally:
                    under_way -= 1

        results = await asyncio.gather(*(call(*one) for one in calls), return_exceptions=True)
        assert {type(result) for result in results} <= {type(None), TimeoutError}
        async with asyncio.timeout(1), pace.slot():
            assert under_way == 0
        assert all(
            result is None for result, (_, stop, _) in zip(results, calls, strict=True) if not stop
        )

    run(scenario())
