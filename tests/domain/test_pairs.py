"""Laws of the agreement between passes and of the independent votes they amount to."""

from collections.abc import Sequence
from itertools import product
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.metrics.pairs import Pair, PairCount, PairFigures
from tests.support.recorded import VOTES


def turns_of(answers: str) -> st.SearchStrategy[list[str]]:
    """Draws turns, a word of N letters each, of the same N."""
    return st.integers(2, 6).flatmap(
        lambda n: st.lists(st.text(answers, min_size=n, max_size=n), min_size=1, max_size=30)
    )


def counted(turns: Sequence[str]) -> PairCount:
    count = PairCount()
    for word in turns:
        count.add([VOTES[letter] for letter in word])
    return count


def overall(figures: PairFigures) -> tuple[object, ...]:
    return (
        *(figures.turns, figures.split, figures.alike, figures.abstained),
        *(figures.correlation, figures.independent_votes),
    )


@given(st.integers(2, 7), st.lists(st.sampled_from("yn"), max_size=50))
def test_votes_that_never_differ_amount_to_one(passes: int, answers: list[str]) -> None:
    figures = counted([letter * passes for letter in ["y", "n", *answers]]).figures()
    assert figures.split == 0
    assert figures.alike.rate == 1
    assert figures.correlation == pytest.approx(1, abs=1e-12)
    assert figures.independent_votes == pytest.approx(1, abs=1e-12)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=2, max_size=4))
def test_votes_that_tell_nothing_of_each_other_all_count(odds: list[tuple[int, int]]) -> None:
    """Every pass says yes at odds of its own, whatever the others say."""
    each = ["y" * yes + "n" * no for yes, no in odds]
    figures = counted(["".join(word) for word in product(*each)]).figures()
    assert figures.correlation == 0
    assert figures.independent_votes == len(odds)


def test_votes_against_each_other_count_no_more_than_themselves() -> None:
    figures = counted(["yn", "ny"]).figures()
    assert (figures.correlation, figures.independent_votes) == (-1, 2)


def test_a_pass_that_never_changes_its_mind_is_no_independent_voice() -> None:
    figures = counted(["yyn", "nnn", "yyn"]).figures()
    assert (figures.correlation, figures.independent_votes) == (1, 1)
    alone = counted(["yn", "nn"]).figures()
    assert (alone.correlation, alone.independent_votes) == (None, None)


@given(turns_of("yna"), st.randoms(use_true_random=False))
def test_the_order_of_the_passes_does_not_matter(turns: list[str], order: Random) -> None:
    places = list(range(len(turns[0])))
    order.shuffle(places)
    moved = counted(["".join(word[place] for place in places) for word in turns])
    assert overall(moved.figures()) == overall(counted(turns).figures())


@given(turns_of("yna"), st.integers(0, 30))
def test_counts_of_two_parts_add_up_to_the_whole(turns: list[str], cut: int) -> None:
    first, second = counted(turns[:cut]), counted(turns[cut:])
    first.update(second)
    assert first == counted(turns)
    assert first.figures() == counted(turns).figures()


@given(turns_of("yna"))
def test_figures_stay_within_their_bounds_and_follow_from_the_tallies(turns: list[str]) -> None:
    figures, passes = counted(turns).figures(), len(turns[0])
    assert figures.passes == passes
    assert figures.split == sum(len(set(word)) > 1 for word in turns)
    yes, no = ([comb(word.count(letter), 2) for word in turns] for letter in "yn")
    assert figures.alike.count == sum(yes) + sum(no)
    answered = [comb(passes - word.count("a"), 2) for word in turns]
    assert figures.alike.total == sum(answered)
    assert figures.abstained == len(turns) * comb(passes, 2) - sum(answered)
    assert (figures.independent_votes is None) is (figures.correlation is None)
    if figures.independent_votes is not None:
        assert 1 <= figures.independent_votes <= passes


def test_abstentions_are_left_out_pair_by_pair() -> None:
    figures = counted(["yya", "ynn", "nny", "aaa"]).figures()
    assert figures.pairs == {
        (1, 2): Pair(yes_yes=1, yes_no=1, no_no=1, abstained=1),
        (1, 3): Pair(yes_no=1, no_yes=1, abstained=2),
        (2, 3): Pair(no_yes=1, no_no=1, abstained=2),
    }
    assert figures.correlation == pytest.approx((0.5 - 1) / 2)
    assert figures.independent_votes == 3


def test_of_nothing_nothing_is_known() -> None:
    figures = PairCount().figures()
    assert (figures.passes, figures.turns, figures.alike.rate) == (1, 0, None)
    assert (figures.correlation, figures.independent_votes) == (None, None)
