"""The number of calls at once grows with replies, halves with refusals, and is never exceeded."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.evaluators.claude.pace import START, Pace


def test_it_starts_low_doubles_and_stops_at_the_most() -> None:
    pace = Pace(40)
    seen = [pace.limit]
    for _ in range(4):
        for _ in range(pace.limit):
            pace.replied()
        seen.append(pace.limit)
    assert seen == [START, 32, 40, 40, 40]


def test_calls_refused_together_halve_it_once() -> None:
    async def scenario() -> list[int]:
        pace = Pace(64)
        started = asyncio.get_running_loop().time()
        seen = []
        for _ in range(5):
            pace.refused(started, 0.0)
        seen.append(pace.limit)
        await asyncio.sleep(0.01)
        pace.refused(asyncio.get_running_loop().time(), 0.0)
        seen.append(pace.limit)
        for _ in range(4):
            pace.replied()
        seen.append(pace.limit)
        for _ in range(20):
            await asyncio.sleep(0.002)
            pace.refused(asyncio.get_running_loop().time(), 0.0)
        seen.append(pace.limit)
        return seen

    assert asyncio.run(scenario()) == [8, 4, 4, 1]


def test_nothing_starts_before_the_server_wants_it() -> None:
    async def scenario() -> float:
        pace = Pace(4)
        loop = asyncio.get_running_loop()
        began = loop.time()
        pace.refused(began, 0.05)
        async with pace.slot() as started:
            return started - began

    assert 0.05 <= asyncio.run(scenario()) < 0.5


@given(
    most=st.integers(1, 5),
    calls=st.lists(st.tuples(st.floats(0, 0.003), st.booleans()), max_size=30),
)
def test_never_more_than_allowed_and_nobody_waits_for_ever(
    most: int, calls: list[tuple[float, bool]]
) -> None:
    async def scenario() -> None:
        pace = Pace(most)
        under_way = done = 0

        async def call(seconds: float, stop: bool) -> None:
            nonlocal under_way, done
            async with asyncio.timeout(seconds / 2 if stop else 5), pace.slot():
                under_way += 1
                assert under_way <= most
                try:
                    await asyncio.sleep(seconds)
                finally:
                    under_way -= 1
            done += 1

        results = await asyncio.gather(*(call(*one) for one in calls), return_exceptions=True)
        assert {type(result) for result in results} <= {type(None), TimeoutError}
        async with asyncio.timeout(1), pace.slot():
            assert under_way == 0
        assert all(
            result is None for result, (_, stop) in zip(results, calls, strict=True) if not stop
        )

    asyncio.run(scenario())
