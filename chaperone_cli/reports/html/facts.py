"""What the templates and the script are told of a run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chaperone_cli.codec.report import encode_header, encode_summary, encode_usage
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.html import axes, bars, charts, rows
from chaperone_cli.reports.html.names import Book
from chaperone_cli.reports.html.tallies import Tallies
from chaperone_cli.reports.sanitise import plain
from chaperone_cli.reports.terminal.table import ORDER, WORDS, Shelf
from chaperone_cli.reports.terminal.totals import tampering

STATIC_ROWS = 100
"""Conversations that stand in the page for browsers without script."""
STATIC_PROBLEMS = 10

_ENDINGS = {
    Ending.COMPLETE: "",
    Ending.INTERRUPTED: "was interrupted",
    Ending.FAILED: "failed",
    Ending.OUT_OF_BUDGET: "ran out of budget",
}


class Flagged:
    """The few conversations and problems that stand in the page itself, flagged ones first."""

    def __init__(self) -> None:
        self._shelf = Shelf(STATIC_ROWS)
        self._problems: dict[Severity, list[Problem]] = {severity: [] for severity in Severity}
        self.rows = self._shelf.shown

    def add(self, verdict: ConversationVerdict) -> None:
        """Takes one conversation."""
        self._shelf.add(verdict, {})

    def add_problem(self, problem: Problem) -> None:
        """Takes one problem."""
        kept = self._problems[problem.severity]
        if len(kept) < STATIC_PROBLEMS:
            kept.append(problem)

    def problems(self) -> list[Problem]:
        """Gives the problems to show, errors first."""
        return [problem for kept in self._problems.values() for problem in kept][:STATIC_PROBLEMS]


def facts(
    header: RunHeader, summary: Summary, usage: Usage, tallies: Tallies, flagged: Flagged
) -> dict[str, Any]:
    """Gives everything that the overview shows; its totals are those of `report.v1`."""
    passes = header.protocol.passes
    return {
        "run": encode_header(header),
        "rubric": header.protocol.rubric.name,
        "screen": str(header.protocol.screening or ""),
        "screened": _screened(summary),
        "summary": encode_summary(summary),
        "tampering": tampering(summary),
        "usage_rows": list(_flat(encode_usage(usage))),
        "ending": _ENDINGS[summary.ending],
        "verdicts": bars.verdicts(summary),
        "passed": summary.passed,
        "sides": bars.sides(summary),
        "rules": bars.rules(summary, tallies),
        "labels": _labels(tallies),
        "cues": bars.cues(tallies),
        "cues_in_all": len(tallies.cues),
        "histogram": charts.first_blocks(tallies),
        "lines": charts.scores(tallies, passes),
        "frame": axes,
        "mean_first": tallies.first.value,
        "median_first": _median(tallies),
        "rows": flagged.rows(),
        "problems": flagged.problems(),
        "words": WORDS,
        "styles": bars.STYLES,
    }


def _screened(summary: Summary) -> dict[str, int] | None:
    found = summary.screened_out
    if found is None:
        return None
    return {"turns": found.turns.total(), "votes": found.votes(summary.passes)}


def meta(header: RunHeader, book: Book) -> dict[str, Any]:
    """Gives what the script needs to read the rows."""
    return {
        "columns": rows.COLUMNS,
        "passes": header.protocol.passes,
        "sides": {letter: side.value for side, letter in rows.SIDES.items()},
        "verdicts": {letter: verdict.value for verdict, letter in rows.VERDICTS.items()},
        "abstentions": {letter: reason.value for reason, letter in rows.ABSTENTIONS.items()},
        "rules": [rule.name for rule in RULES],
        "meanings": bars.meanings(book.cues.table()),
        **book.tables(),
    }


def _flat(figures: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, float]]:
    """Gives every figure that is known, those of a part under its name."""
    for key, value in figures.items():
        name = f"{of}_{key}" if of else key
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        elif isinstance(value, int | float):
            yield name, value


def _labels(tallies: Tallies) -> list[tuple[str, Sequence[int]]]:
    """Gives, by label, the conversations of each verdict and all of them."""
    return [
        (plain(label), [*(counts[verdict] for verdict in ORDER), counts.total()])
        for label, counts in sorted(tallies.labels.items(), key=lambda item: -item[1].total())
    ]


def _median(tallies: Tallies) -> str:
    """Gives the lower median of the first blocking turns; nothing if there is none."""
    turns = tallies.first_blocks[Side.PROMPT] + tallies.first_blocks[Side.RESPONSE]
    rank = (turns.total() + 1) // 2
    for turn, count in sorted(turns.items()):
        rank -= count
        if rank <= 0:
            return str(axes.Bin(turn, turn))
    return ""
