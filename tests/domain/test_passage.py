"""A response falls into pieces that add up to it again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.passage import joined, own_words, pieces

TEXTS = st.lists(
    st.sampled_from([*'aBc .!?\n-1`"\u201c\u201d\u2019*\u2026\t', "```", "- ", "e.g. ", ". "]),
    max_size=60,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Ask Dr. Smith, e.g. by mail. Then rest.", ["Ask Dr. Smith, e.g. by mail.", "Then rest."]),
        ("lower. case. too", ["lower.", "case.", "too"]),
        ('He said "Go." Then he went.', ['He said "Go."', "Then he went."]),
        ("Pi is 3.14 or so. Yes.", ["Pi is 3.14 or so.", "Yes."]),
        ("- buy milk. And bread.\n- rest", ["- buy milk. And bread.", "- rest"]),
        ("See:\n```\na. b.\n\nc.\n```\nDone.", ["See:", "```\na. b.\n\nc.\n```", "Done."]),
        ("``````a", ["``````", "a"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_pieces(text: str, expected: list[str]) -> None:
    assert expected == [piece.text for piece in pieces(text)]
    assert joined(pieces(text)) == text.strip()


@given(TEXTS | st.text(max_size=80))
def test_pieces_stand_where_they_say_and_add_up(text: str) -> None:
    found = pieces(text)
    assert all(text[piece.start : piece.end] == piece.text for piece in found)
    assert all(piece.text.strip() == piece.text != "" for piece in found)
    assert joined(found) == text.strip()


@given(TEXTS, st.data())
def test_leaving_out_pieces_leaves_the_others_as_they_were(text: str, data: st.DataObject) -> None:
    whole = pieces(text)
    kept = [(number, piece) for number, piece in enumerate(whole) if data.draw(st.booleans())]
    said = joined((piece for _, piece in kept), whole)
    end, before = 0, None
    for number, piece in kept:
        start = said.index(piece.text, end)
        gap = said[end:start]
        if before is None:
            assert gap == ""
        elif before == number - 1:
            assert gap == piece.before
        else:
            assert gap.isspace()
        end, before = start + len(piece.text), number
    assert end == len(said)


def test_the_widest_break_is_kept() -> None:
    whole = pieces("One. Two.\n\nThree. Four.")
    assert joined([whole[0], whole[3]], whole) == "One.\n\nFour."


@given(TEXTS)
def test_what_is_set_apart_is_blanked_in_place(text: str) -> None:
    own = own_words(text)
    assert len(own) == len(text)
    assert all(a in (b, " ") for a, b in zip(own, text, strict=True))


def test_quotations_and_code_are_not_own_words() -> None:
    assert own_words('Write "I love you" or `I miss you` now') == (
        f"Write {' ' * 12} or {' ' * 12} now"
    )
