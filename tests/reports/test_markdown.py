"""Markdown: short whatever the log, with the right figures, and names that stay names."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.files import place_of
from chaperone_cli.reports.markdown_file import MarkdownReporter, code, table
from tests.reports.hostile import NAMES, SPAN, blocked, empty, undecided
from tests.reports.runs import Judged, header, report, thirty

NOBODY = Conversation("c", (), Source("a.jsonl", 1))
COMMENT_LIMIT = 65_536


def written(
    folder: Path,
    *verdicts: ConversationVerdict,
    problems: tuple[Problem, ...] = (),
    ending: Ending = Ending.COMPLETE,
    quote: str = "",
) -> str:
    path = folder / "report.md"
    run = [Judged(NOBODY, verdict, {SPAN: quote} if quote else {}) for verdict in verdicts]
    report(MarkdownReporter(path), header(passes=3), run, problems, ending)
    return place_of(path, ending).read_bytes().decode()


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def rendered(markdown: str) -> _Html:
    html = _Html()
    html.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
    return html


def test_the_whole_summary_of_the_thirty(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    run = [one._replace(quotes={}) for one in thirty(header(all_votes=True))]
    problems = [Problem(Severity.ERROR, "a.jsonl", "not JSON", 3)]
    report(MarkdownReporter(path), header(all_votes=True), run[8:11], problems)
    assert path.read_text("utf-8") == (
        "## chaperone: 2 of 3 conversations blocked\n"
        "\n"
        "|  |  |\n"
        "| --- | --- |\n"
        "| conversations | 2 blocked, 0 undecided, 1 passed |\n"
        "| first blocks | 1 prompt, 1 response |\n"
        "| turns blocked | 33 of 60 turns |\n"
        "| blocked by unanimous | 2 |\n"
        "| blocked by balanced | 2 |\n"
        "| blocked by conservative | 2 |\n"
        "| rule | unanimous: 5 of 5 yes votes block |\n"
        "| evaluator | `recorded vote.v1` |\n"
        "| rubric | `parasocial v1 9fe420c6` |\n"
        "| votes | 300 cast, 0 saved |\n"
        "| agreement | >99 % of pairs; 5 votes worth 1.0 independent ones (60 turns) |\n"
        "| run | chaperone `1.2.3`, 0.4 s |\n"
        "\n"
        "| conversation | label | verdict | first block | score | log | evidence |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| `parasocial-09` | `parasocial` | block | turn 6, response | 5/5 | "
        "`sample_logs/thirty.jsonl:9` | turn 6, response |\n"
        "| `parasocial-10` | `parasocial` | block | turn 3, prompt | 5/5 | "
        "`sample_logs/thirty.jsonl:10` | turn 3, prompt |\n"
        "\n"
        "Problems of the input: 1 error (not audited), 0 warnings (audited, with a loss)\n"
        "\n"
        "- error: `a.jsonl:3: not JSON`\n"
    )


def test_blocks_come_before_undecided_and_passed_stay_out(tmp_path: Path) -> None:
    shown = written(tmp_path, undecided("open"), empty("quiet"), blocked("grave"))
    assert shown.index("`grave`") < shown.index("`open`")
    assert "quiet" not in shown


def test_a_long_log_has_a_short_summary_that_says_what_it_leaves_out(tmp_path: Path) -> None:
    name = "\u202e" * 500
    problems = tuple(Problem(Severity.ERROR, name, name, line) for line in range(1, 500))
    run = [blocked(f"{n}{name}", name) for n in range(400)]
    shown = written(tmp_path, *run, problems=problems, quote=name)
    assert len(shown) < COMMENT_LIMIT
    assert "\n350 more flagged conversations are not shown here.\n" in shown
    assert "\n- and 489 more\n" in shown


def test_a_run_cut_short_says_so_first(tmp_path: Path) -> None:
    shown = written(tmp_path, ending=Ending.OUT_OF_BUDGET)
    assert "**Cut short (out of budget): this covers what was audited until then.**" in shown


def test_a_quote_is_there_only_if_it_was_asked_for(tmp_path: Path) -> None:
    assert "quote" not in written(tmp_path, blocked("c"))
    assert "| `I miss you` |\n" in written(tmp_path, blocked("c"), quote="I miss\nyou")


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_bring_no_markup(tmp_path: Path, name: str) -> None:
    problem = Problem(Severity.ERROR, name, name, 1, name)
    tame = rendered(written(tmp_path, blocked("c"), problems=(problem,), quote="q"))
    html = rendered(written(tmp_path, blocked(name, name), problems=(problem,), quote=name or "q"))
    plain = [tag for tag in html.tags if tag not in ("code", "em")]
    assert plain == [tag for tag in tame.tags if tag not in ("code", "em")]


@given(st.text())
def test_a_name_fills_its_cell_and_no_other(name: str) -> None:
    html = rendered("\n".join(table(["a", "b"], [[code(name), "end"]])))
    assert len(html.cells) == 2
    assert html.cells[1].strip() == "end"
    assert set(html.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "code", "em"}
