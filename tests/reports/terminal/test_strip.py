"""The strip never loses the first block or the highest score, however many turns a cell holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.reports.terminal.screen import ASCII, UNICODE, Glyphs, glyphs_for
from chaperone_cli.reports.terminal.table import Rank, StripCell, strip

CELLS = st.lists(
    st.builds(StripCell, st.sampled_from(Rank), st.integers(0, 5)), min_size=1, max_size=300
)


@given(CELLS, st.integers(0, 100), st.sampled_from([ASCII, UNICODE]))
def test_a_strip_keeps_to_its_width_and_shows_the_highest(
    found: list[StripCell], width: int, glyphs: Glyphs
) -> None:
    drawn = strip(found, width, 5, glyphs)
    cells, _, each = drawn.plain.partition(f" {glyphs.times}")
    assert drawn.cell_len <= max(width, 8)
    assert len(cells) == -(-len(found) // int(each or 1))
    for rank, sign in (
        (Rank.FIRST_BLOCK, glyphs.first_block),
        (Rank.UNDECIDED, glyphs.undecided),
        (Rank.NOT_JUDGED, glyphs.not_judged),
    ):
        if max(found).rank is rank:
            assert sign in cells


@pytest.mark.parametrize(
    ("passes", "expected"),
    [(1, "▁█"), (3, "▁▄▆█"), (5, "▁▃▄▆▇█"), (7, "▁▂▃▄▅▆▇█"), (9, "▁▂▃▄▅▅▆▇▇█")],
)
def test_heights_grow_with_the_score(passes: int, expected: str) -> None:
    assert "".join(UNICODE.height(score, passes) for score in range(passes + 1)) == expected


@given(st.integers(1, 40), st.sampled_from([ASCII, UNICODE]))
def test_only_no_yes_vote_looks_like_none_and_only_all_like_all(
    passes: int, glyphs: Glyphs
) -> None:
    drawn = [glyphs.height(score, passes) for score in range(passes + 1)]
    assert drawn == sorted(drawn)
    assert drawn.count(drawn[0]) == drawn.count(drawn[-1]) == 1


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", UNICODE), ("UTF8", UNICODE), ("cp1252", ASCII)]
)
def test_signs_follow_the_encoding(encoding: str, expected: Glyphs) -> None:
    assert glyphs_for(encoding) is expected
