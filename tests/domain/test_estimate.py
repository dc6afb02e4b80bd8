"""Estimates follow the arithmetic of the protocol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.cost import Price, Rates, Tokens
from chaperone_cli.domain.estimate import Estimate, Shape, TurnLoad, Way

HAIKU = Price(Rates(input=0.1, write_5m=0.125, write_1h=0.2, read=0.01, output=0.5))
SHAPE = Shape(instructions=670, question=30, reply=10, least_cached=512)


def clean(turns: int, size: int) -> list[TurnLoad]:
    return [TurnLoad(size * number, 1, 1) for number in range(1, turns + 1)]


@pytest.mark.parametrize(
    ("turns", "size", "naive", "least"),
    [(20, 60, 133_000, 5_350.5), (200, 150, 15_775_000, 356_170.5)],
)
def test_clean_conversations_reach_the_least_that_the_protocol_allows(
    turns: int, size: int, naive: int, least: float
) -> None:
    """For P = 700, s = 30: w(P - s + Tm) + r[(T - 1)(P - s) + mT(T - 1)/2] + Ts."""
    estimate = Estimate(SHAPE, 5, HAIKU)
    estimate.add(clean(turns, size))
    paper, cached = estimate.ways[Way.PAPER], estimate.ways[Way.CACHED]
    assert paper.tokens == Tokens(input=naive, output=5 * turns * 10)
    assert (paper.calls, cached.calls) == (5 * turns, turns)
    kept = cached.tokens
    # The estimate finds the instructions in the cache, where the formula writes them once.
    billed = kept.input + 1.25 * kept.write_5m + 0.1 * kept.read + (1.25 - 0.1) * 670
    assert billed == pytest.approx(least)


def test_every_way_of_a_small_conversation() -> None:
    estimate = Estimate(SHAPE, 5, HAIKU)
    estimate.add([TurnLoad(100, 1, 0), TurnLoad(250, 5, 3)])
    estimate.add([])
    assert (estimate.conversations, estimate.turns) == (2, 2)
    found = {way: (spend.calls, spend.tokens) for way, spend in estimate.ways.items()}
    assert found == {
        Way.PAPER: (10, Tokens(input=5 * 800 + 5 * 950, output=100)),
        Way.EARLY: (6, Tokens(input=800 + 5 * 950, output=60)),
        Way.CACHED: (6, Tokens(180, 100 + 150, 0, 670 + 770 + 4 * 920, 60)),
        # Half of the requests find what the others read: 335, 385 and four times 460 tokens.
        Way.BATCHED: (6, Tokens(180, 770 + 5 * 920 - 2560, 0, 2560, 60)),
        Way.THIS_RUN: (3, Tokens(90, 250, 0, 670 + 2 * 920, 30)),
    }
    early, batched = estimate.ways[Way.EARLY], estimate.ways[Way.BATCHED]
    in_batches = (180 * 0.1 + 2810 * 0.125 + 2560 * 0.01 + 60 * 0.5) / 2e6
    assert (early.dollars, batched.dollars) == pytest.approx((0.000585, in_batches))


@pytest.mark.parametrize("way", [Way.CACHED, Way.BATCHED])
def test_the_range_holds_what_is_expected(way: Way) -> None:
    estimate = Estimate(SHAPE, 5, HAIKU)
    estimate.add([TurnLoad(100, 1, 0), TurnLoad(250, 5, 3)])
    least, expected, most = (
        spends[way] for spends in (estimate.least, estimate.ways, estimate.most)
    )
    assert (least.calls, expected.calls, most.calls) == (2, 6, 10)
    assert (least.dollars or 0) < (expected.dollars or 0) < (most.dollars or 0)


def test_votes_asked_later_find_their_turns_in_the_cache() -> None:
    estimate = Estimate(SHAPE, 5, HAIKU)
    estimate.compare(estimate.ways, [(100, 1), (250, 2)])
    estimate.compare(estimate.ways, [(250, 3)], again=True)
    assert estimate.ways[Way.CACHED].tokens == Tokens(180, 250, 0, 670 + 770 + 4 * 920, 60)


def test_what_is_too_short_is_not_cached() -> None:
    estimate = Estimate(Shape(100, 30, 10, least_cached=300), 5, HAIKU)
    estimate.add([TurnLoad(100, 1, 1), TurnLoad(250, 1, 1), TurnLoad(400, 1, 1)])
    assert estimate.ways[Way.CACHED].tokens == Tokens(230 + 30 + 30, 350 + 150, 0, 350, 30)


def test_without_a_cache_and_without_a_price() -> None:
    estimate = Estimate(Shape(100, 30, 10), 5, None)
    estimate.add([TurnLoad(100, 2, 2)])
    assert estimate.ways[Way.CACHED].tokens == estimate.ways[Way.EARLY].tokens
    assert {spend.dollars for spend in estimate.ways.values()} == {None}


@given(
    st.lists(st.tuples(st.integers(1, 500), st.integers(1, 5), st.integers(0, 5)), max_size=30),
    st.booleans(),
)
def test_no_way_costs_more_than_the_papers_and_what_is_left_never_more_than_all(
    steps: list[tuple[int, int, int]], batch: bool
) -> None:
    total, loads = 0, []
    for size, votes, cast in steps:
        total += size
        loads.append(TurnLoad(total, votes, max(0, votes - cast)))
    estimate = Estimate(Shape(670, 30, 10, 512, batch=batch), 5, HAIKU)
    estimate.add(loads)
    calls = {way: spend.calls for way, spend in estimate.ways.items()}
    assert calls[Way.PAPER] == 5 * len(loads) >= calls[Way.EARLY] == calls[Way.CACHED]
    assert calls[Way.THIS_RUN] == sum(load.left for load in loads)
    prompts = {way: spend.tokens.prompt for way, spend in estimate.ways.items()}
    assert prompts[Way.EARLY] == prompts[Way.CACHED] == prompts[Way.BATCHED]
    assert prompts[Way.THIS_RUN] <= prompts[Way.EARLY] <= prompts[Way.PAPER]
