"""Which turns a screen passes on: windows around suspicious ones, the more the lower the level."""

from collections.abc import Iterator
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.screening import Screening, neighbourhoods

SUSPICIONS = st.lists(st.floats(-9, 9) | st.just(inf), max_size=30)
LEVEL = st.floats(-10, 10)
REACH = st.integers(0, 5)


def passed_on(suspicions: list[float], level: float, reach: int) -> set[int]:
    out = Screening("local", "1", level, reach).screened_out(suspicions)
    return set(range(1, len(suspicions) + 1)) - out


@given(SUSPICIONS, LEVEL, REACH)
def test_it_is_the_union_of_the_windows_around_suspicious_turns(
    suspicions: list[float], level: float, reach: int
) -> None:
    windows: set[int] = set()
    for turn, suspicion in enumerate(suspicions, 1):
        if suspicion >= level:
            windows.update(range(turn - reach, turn + reach + 1))
    assert passed_on(suspicions, level, reach) == windows & set(range(1, len(suspicions) + 1))


@given(SUSPICIONS, LEVEL, LEVEL, REACH, REACH)
def test_a_lower_level_and_a_wider_reach_never_pass_on_less(
    suspicions: list[float], one: float, other: float, near: int, far: int
) -> None:
    near, far = sorted((near, far))
    low, high = sorted((one, other))
    assert passed_on(suspicions, high, near) <= passed_on(suspicions, low, far)


@given(SUSPICIONS, REACH)
def test_no_level_screens_out_what_cannot_be_read(suspicions: list[float], reach: int) -> None:
    unread = {turn for turn, suspicion in enumerate(suspicions, 1) if suspicion == inf}
    assert unread <= passed_on(suspicions, 1000.0, reach)


@given(SUSPICIONS, REACH)
def test_it_reads_no_further_ahead_than_its_reach(suspicions: list[float], reach: int) -> None:
    read = 0

    def reading() -> Iterator[float]:
        nonlocal read
        for suspicion in suspicions:
            read += 1
            yield suspicion

    for turn, _ in enumerate(neighbourhoods(reading(), reach), 1):
        assert read <= turn + reach
