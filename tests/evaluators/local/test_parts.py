import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.evaluators.local.parts import LONGEST, WHOLE, divide, parts

WORDS = "We went to the market and bought a lot of it for the weekend"


@given(
    text=st.text(max_size=40).flatmap(lambda piece: st.integers(0, 90).map(piece.__mul__)),
    side=st.sampled_from((0, 1)),
)
def test_parts_are_all_of_a_text_and_none_is_long_or_short(text: str, side: int) -> None:
    found = parts(text, side)
    assert "".join(found) == text
    assert (len(found) == 1) == (len(text) <= WHOLE)
    if len(found) > 1:
        assert all(len(part) <= LONGEST[side] for part in found)
        assert all(len(part) > LONGEST[side] // 2 for part in found[:-1])
        assert found[-1]


@pytest.mark.parametrize(("side", "sentences"), [(0, [3] * 6 + [2]), (1, [7, 7, 6])])
def test_a_text_is_divided_where_a_sentence_ends(side: int, sentences: list[int]) -> None:
    found = parts(f"{WORDS}. " * 20, side)
    assert [part.count(".") for part in found] == sentences
    assert all(part.startswith("We") and part.endswith("weekend. ") for part in found)


@pytest.mark.parametrize("end", ['?" ', "! ", ".) ", "\u2026 ", "\n", "\u3002"])
def test_every_end_of_a_sentence_is_one(end: str) -> None:
    assert parts(WORDS * 5 + end + WORDS * 5, 1)[0] == WORDS * 5 + end


def test_a_number_is_no_end_and_words_are_kept_whole() -> None:
    found = parts("1.5 and 2.5 " * 100, 1)
    assert len(found) == 3
    assert all(part.endswith(" ") for part in found)


def test_text_without_spaces_is_divided_all_the_same() -> None:
    assert [len(part) for part in parts("x" * 1_000, 0)] == [240, 240, 240, 240, 40]
    assert [len(part) for part in parts("x" * 1_000, 1)] == [480, 480, 40]


def test_what_is_said_of_parts_is_said_of_utterances() -> None:
    said = divide(["Hello.", f"{WORDS}. " * 20, ""], [0, 1, 0])
    assert said.sides == [0, 1, 1, 1, 0]
    assert said.first.tolist() == [0, 1, 4]
    assert said.each(np.array([True, False, True])).tolist() == [True, *[False] * 3, True]
    rows = np.array([[5.0, 0.0], [1.0, 9.0], [2.0, 1.0], [3.0, 2.0], [4.0, 4.0]])
    assert np.array_equal(said.highest(rows), [[5.0, 0.0], [3.0, 9.0], [4.0, 4.0]])
