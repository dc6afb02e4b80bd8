"""What can be said of the page without a browser: policy, privacy, rows, bounded memory."""

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli import reports
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.verdict import TurnVerdict, Verdict
from chaperone_cli.domain.vote import Answer, Evidence, Vote
from chaperone_cli.reports.html import charts
from chaperone_cli.reports.html.reporter import inlined
from chaperone_cli.reports.html.rows import MOST, NameTable
from chaperone_cli.reports.html.tallies import MOST_TURNS, Tallies
from tests.reports.html.odd import odd, renamed
from tests.reports.runs import header, report
from tests.support.recorded import spelled

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def written(path: Path, count: int = 5) -> str:
    report(reports.for_path(path), header(all_votes=True), odd(count))
    return path.read_text("utf-8")


def many(path: Path, count: int) -> str:
    [one] = odd(1)
    report(reports.for_path(path), header(), (renamed(one, f"c-{n}") for n in range(count)))
    return path.read_text("utf-8")


def test_the_policy_lets_only_our_style_and_script_in(tmp_path: Path) -> None:
    text = written(tmp_path / "report.html")
    styles = re.findall(r"<style>(.*?)</style>", text, re.S)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    style, script = (
        b64encode(sha256(code.encode()).digest()).decode() for [code] in (styles, scripts)
    )
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.replace("&#39;", "'") == (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def test_the_page_names_no_other_place_and_needs_no_inline_code(tmp_path: Path) -> None:
    text = written(tmp_path / "report.html")
    assert set(re.findall(r"\w+://[^\s\"']*", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"<[^>]*\s(?:style|on\w+)=", text)
    assert not re.findall(r"\b(?:fetch|XMLHttpRequest|WebSocket|innerHTML|eval)\b", text)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    assert written(tmp_path / "a.html") == written(tmp_path / "b.html")


def test_a_page_has_a_row_for_each_conversation_in_blocks(tmp_path: Path) -> None:
    text = many(tmp_path / "report.html", 4100)
    blocks = re.findall(r'<script type="application/json" class="rows">(.*?)</script>', text, re.S)
    rows = [json.loads(block) for block in blocks]
    assert [len(block) for block in rows] == [2000, 2000, 100]
    assert [row[0] for block in rows for row in block] == [f"c-{n}" for n in range(4100)]


def test_a_page_with_whole_blocks_only_is_whole(tmp_path: Path) -> None:
    text = many(tmp_path / "report.html", 2000)
    assert text.count("</script>") == 3


@given(JSON)
def test_inlined_json_is_the_same_json_and_opens_no_element(document: object) -> None:
    data = inlined(document)
    assert json.loads(data) == document
    assert not set("<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}") & set(data.decode())


@given(st.lists(st.text(), max_size=30))
def test_a_name_is_found_under_its_code(names: list[str]) -> None:
    book = NameTable()
    codes = [book.code(name) for name in names]
    again = NameTable()
    assert codes == [again.code(name) for name in names]
    assert len(book.table()) == len(set(names))


def test_names_beyond_the_table_are_spelled_where_they_stand() -> None:
    book = NameTable()
    codes = [book.code(f"name {n}") for n in range(MOST + 3)]
    assert codes[-4:] == [MOST - 1, *(f"name {n}" for n in range(MOST, MOST + 3))]
    assert len(book.table()) == MOST
    assert book.code("name 5") == 5


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=30))
def test_columns_cover_every_first_block_once(turns: list[int]) -> None:
    tallies = Tallies()
    for turn in turns:
        tallies.first_blocks[Side.PROMPT][min(turn, MOST_TURNS + 1)] += 1
    drawn = charts.first_blocks(tallies)
    assert drawn is not None
    assert sum(column.count for column in drawn.columns) == len(turns)
    bins = [column.bin for column in drawn.columns]
    assert bins[0].first == 1
    assert all(a.last + 1 == b.first for a, b in pairwise(bins))
    assert len(bins) <= 41
    for bar in (bar for column in drawn.columns for bar in column.bars):
        assert charts.TOP - 1e-6 <= bar.y <= bar.y + bar.height <= charts.BOTTOM + 1e-6


def test_the_numbers_kept_do_not_grow_with_a_conversation() -> None:
    tallies = Tallies()
    tallies.add(spelled("long", " ".join(["nnn"] * 3000 + ["yyy"] * 3)))
    assert len(tallies.scores[Verdict.BLOCK]) == MOST_TURNS + 1
    assert tallies.first_blocks[Side.PROMPT] == {MOST_TURNS + 1: 1}
    assert tallies.first.value == 3001
    lines = charts.scores(tallies, 3)
    assert lines is not None
    assert str(lines.bins[-1]) == ">2,000"
    assert lines.lines[0].points[-1].turns == 1003


def test_cues_of_the_same_count_come_in_the_order_they_were_named_in() -> None:
    names = tuple(f"cue {number}" for number in range(12))
    one = next(odd(1, 0))
    turn = TurnVerdict(1, Side.PROMPT, Verdict.BLOCK, (Vote(Answer.YES, evidence=Evidence(names)),))
    tallies = Tallies()
    tallies.add(replace(one.verdict, turns=(turn,)))
    assert [name for name, _ in tallies.cues.most_common()] == list(names)
