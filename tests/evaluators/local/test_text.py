import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.evaluators.local.text import TOKEN, grams, spellings, tokens


def test_tokens_are_words_numbers_line_ends_and_marks() -> None:
    assert tokens("Don\u2019t go, it's 3.14!\nI ❤️ you_2") == [
        *("Don\u2019t", "go", ",", "it's", "3", ".", "14", "!", "\n"),
        *("I", "❤", "\ufe0f", "you", "_", "2"),
    ]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("Love", ("love",)),
        ("1984", ("0",)),
        ("DON\u2019T", ("don't",)),
        ("sooooo", ("sooooo", "soo", "so")),
        ("!", ("!",)),
    ],
)
def test_a_token_is_looked_up_as_spelled_and_then_without_repeats(
    token: str, expected: tuple[str, ...]
) -> None:
    assert spellings(token) == expected


def test_pieces_mark_the_borders_of_a_word() -> None:
    assert grams("Miss") == [
        *("<mi", "mis", "iss", "ss>"),
        *("<mis", "miss", "iss>"),
        *("<miss", "miss>"),
    ]


@given(st.text(st.characters()))
def test_no_visible_character_is_left_out(text: str) -> None:
    rest = TOKEN.sub("", text)
    assert not [c for c in rest if not c.isspace() and (c.isascii() or c.isalpha())]


@pytest.mark.parametrize("unit", ["a", "'", "a'", "_", "1", "\n", "é\u2019", '"', "aa "])
def test_time_is_linear_in_the_text(unit: str) -> None:
    start = time.perf_counter()
    found = tokens(unit * (1_000_000 // len(unit)))
    assert time.perf_counter() - start < 2
    assert max(map(len, found)) <= 65
