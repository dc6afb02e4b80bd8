"""A word-level diff adds up to both texts."""

import time

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.word_diff import Change, Stretch, word_diff

TEXTS = st.lists(st.sampled_from(["a", "b", "cat", " ", ", ", ".", "\n", "it's"]), max_size=20).map(
    "".join
) | st.text(max_size=30)


@given(TEXTS, TEXTS)
def test_stretches_add_up_to_both_texts(before: str, after: str) -> None:
    found = word_diff(before, after)
    assert "".join(text for change, text in found if change is not Change.ADDED) == before
    assert "".join(text for change, text in found if change is not Change.REMOVED) == after
    assert all(text for _, text in found)


@given(TEXTS)
def test_equal_texts_have_one_stretch(text: str) -> None:
    assert word_diff(text, text) == ((Stretch(Change.KEPT, text),) if text else ())


def test_a_change_inside_a_sentence() -> None:
    assert word_diff("Push the pawn, darling.", "Push the pawn.") == (
        Stretch(Change.KEPT, "Push the pawn"),
        Stretch(Change.REMOVED, ", darling"),
        Stretch(Change.KEPT, "."),
    )


def test_texts_without_much_in_common_replace_each_other() -> None:
    assert word_diff("I missed you all day long.", "A plant needs light and you.") == (
        Stretch(Change.REMOVED, "I missed you all day long."),
        Stretch(Change.ADDED, "A plant needs light and you."),
    )


def test_texts_that_repeat_themselves_are_not_compared_for_long() -> None:
    before, after = "1 " * 20_000, "1 " * 19_999
    start = time.perf_counter()
    assert word_diff(before, after) == (
        Stretch(Change.REMOVED, before),
        Stretch(Change.ADDED, after),
    )
    assert time.perf_counter() - start < 5
