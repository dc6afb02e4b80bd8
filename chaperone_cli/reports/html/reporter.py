"""Reports as one HTML file: the overview first, the rows behind it, read by the page's script."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.report import encode_header, encode_problem, encode_summary, encode_usage
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.reports import wording
from chaperone_cli.reports.files import AtomicFile, FileReporter
from chaperone_cli.reports.html import charts, rows
from chaperone_cli.reports.html.page import Page
from chaperone_cli.reports.html.tallies import Tallies
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import plain

STATIC_ROWS = 100
"""Conversations that stand in the page for browsers without script."""
STATIC_PROBLEMS = 10
ROWS_PER_BLOCK = 2000
"""Rows of one element, so that a browser never has to read them all as one document."""

_ENDINGS = {
    Ending.COMPLETE: "",
    Ending.INTERRUPTED: "was interrupted",
    Ending.FAILED: "failed",
    Ending.OUT_OF_BUDGET: "ran out of budget",
}
_HARMLESS = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026"}
"""In JSON these stand inside strings only, so an escape means the same there."""
_CLOSING = b"</script>\n"


class HtmlReporter(FileReporter):
    """Writes a page that needs nothing but a browser.

    The overview stands first on the page but is known last, so the rows wait on disk.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._rows = _Blocks(self._file, "rows")
        self._problems = _Blocks(self._file, "problems")
        self._tallies = Tallies()
        self._first_rows = wording.Foremost[Verdict, wording.Row](wording.ORDER, STATIC_ROWS)
        self._first_problems = wording.Foremost[Severity, Problem](Severity, STATIC_PROBLEMS)
        self._book = rows.Book()

    def open(self, header: RunHeader) -> None:
        """Starts the file and reads the templates, so that nothing is missing at the end."""
        self._page = Page()
        super().open(header)

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Counts one conversation and keeps its row."""
        self._tallies.add(verdict)
        if self._first_rows.wants(verdict.verdict):
            self._first_rows.add(verdict.verdict, wording.Row.of(verdict, {}))
        self._rows.add(rows.encode(verdict, quotes, self._book))

    def add_problem(self, problem: Problem) -> None:
        """Keeps one problem."""
        self._first_problems.add(problem.severity, problem)
        document = encode_problem(problem)
        self._problems.add(
            {key: plain(said) if isinstance(said, str) else said for key, said in document.items()}
        )

    def close(self, summary: Summary, usage: Usage) -> None:
        """Writes overview, rows and script, and moves the page into place."""
        facts = _facts(self._header, summary, usage, self._tallies) | {
            "rows": self._first_rows.shown(),
            "problems": self._first_problems.shown(),
        }
        try:
            self._file.write(self._page.top(facts))
            self._rows.write()
            self._problems.write()
            self._file.write(_opening("meta") + inlined(_meta(self._header, self._book)) + _CLOSING)
            self._file.write(self._page.bottom())
            super().close(summary, usage)
        finally:
            self.abandon()


class _Blocks:
    """Rows of one kind, as script elements that hold data only."""

    def __init__(self, file: AtomicFile, kind: str) -> None:
        self._file = file
        self._section = file.section(f"the {kind} of the page")
        self._kind = kind

    def add(self, row: object) -> None:
        """Adds one row."""
        place = self._section.parts % ROWS_PER_BLOCK
        before = b",\n" if place else _opening(self._kind) + b"[\n"
        after = b"\n]" + _CLOSING if place == ROWS_PER_BLOCK - 1 else b""
        self._section.add(before + inlined(row) + after)

    def write(self) -> None:
        """Writes the elements to the file."""
        self._section.write()
        if self._section.parts % ROWS_PER_BLOCK:
            self._file.write(b"\n]" + _CLOSING)


def _opening(kind: str) -> bytes:
    """The tag that begins an element of data, which no browser runs."""
    return b'<script type="application/json" class="%b">' % kind.encode()


def inlined(document: object) -> bytes:
    """`document` as one line of JSON that cannot end, or open, an element or a comment."""
    data = dumps(document)
    for char, escape in _HARMLESS.items():
        data = data.replace(char, escape)
    return data


def _facts(header: RunHeader, summary: Summary, usage: Usage, tallies: Tallies) -> dict[str, Any]:
    """Everything that the overview shows; its totals are those of `report.v1`."""
    passes = header.protocol.passes
    return {
        "run": encode_header(header),
        "rubric": header.protocol.rubric.name,
        "screen": str(header.protocol.screening or ""),
        "screened": _screened(summary),
        "summary": encode_summary(summary),
        "tampering": wording.tampering(summary),
        "usage_rows": list(_flat(encode_usage(usage))),
        "ending": _ENDINGS[summary.ending],
        "verdicts": charts.verdicts(summary),
        "passed": summary.passed,
        "sides": charts.sides(summary),
        "rules": charts.rules(summary, tallies),
        "labels": _labels(tallies),
        "cues": charts.cues(tallies),
        "cues_in_all": len(tallies.cues),
        "histogram": charts.first_blocks(tallies),
        "lines": charts.scores(tallies, passes),
        "frame": charts,
        "mean_first": tallies.first.value,
        "median_first": _median(tallies),
        "words": wording.WORDS,
        "styles": charts.STYLES,
    }


def _screened(summary: Summary) -> dict[str, int] | None:
    found = summary.screened_out
    if found is None:
        return None
    return {"turns": found.turns.total(), "votes": found.votes(summary.passes)}


def _meta(header: RunHeader, book: rows.Book) -> dict[str, Any]:
    """What the script needs to read the rows."""
    return {
        "columns": rows.COLUMNS,
        "passes": header.protocol.passes,
        "sides": {letter: side.value for side, letter in rows.SIDES.items()},
        "verdicts": {letter: verdict.value for verdict, letter in rows.VERDICTS.items()},
        "abstentions": {letter: reason.value for reason, letter in rows.ABSTENTIONS.items()},
        "rules": [rule.name for rule in RULES],
        "meanings": charts.meanings(book.cues.table()),
        **book.tables(),
    }


def _flat(figures: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, float]]:
    """Every figure that is known, those of a part under its name."""
    for key, value in figures.items():
        name = f"{of}_{key}" if of else key
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        elif isinstance(value, int | float):
            yield name, value


def _labels(tallies: Tallies) -> list[tuple[str, Sequence[int]]]:
    """By label, the conversations of each verdict and all of them."""
    return [
        (plain(label), [*(counts[verdict] for verdict in wording.ORDER), counts.total()])
        for label, counts in sorted(tallies.labels.items(), key=lambda item: -item[1].total())
    ]


def _median(tallies: Tallies) -> str:
    """The lower median of the first blocking turns; nothing if there is none."""
    turns = tallies.first_blocks[Side.PROMPT] + tallies.first_blocks[Side.RESPONSE]
    rank = (turns.total() + 1) // 2
    for turn, count in sorted(turns.items()):
        rank -= count
        if rank <= 0:
            return str(charts.Bin(turn, turn))
    return ""
