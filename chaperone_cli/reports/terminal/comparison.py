"""What changed between two runs, on the terminal: the gravest changes first."""

from typing import TYPE_CHECKING

from rich.cells import cell_len

from chaperone_cli.domain.comparison import Change, ChangedConversation, Comparison
from chaperone_cli.domain.run import Ending, RunHeader
from chaperone_cli.reports.comparison import (
    WORDS,
    ComparisonReporter,
    Foremost,
    headline,
    outcome,
)
from chaperone_cli.reports.comparison_markdown import said
from chaperone_cli.reports.terminal.screen import Screen

if TYPE_CHECKING:
    from rich.console import Console

_GAP = "  "
_HEAD = ("conversation", "change", "before", "now", "because of")
_GRAVE = {Change.NEWLY_BLOCKED: "bold red", Change.NEWLY_UNDECIDED: "bold yellow"}


class TerminalComparison(ComparisonReporter):
    """Shows at most `rows` changed conversations; prints nothing before `show`."""

    def __init__(self, console: "Console", rows: int = 40) -> None:
        self._screen = Screen(console)
        self._foremost = Foremost(rows)

    def open(self, old: RunHeader | None, new: RunHeader | None) -> None:
        """Does nothing yet."""

    def add(self, found: ChangedConversation) -> None:
        """Keeps one change, if it is among the first of its kind."""
        self._foremost.add(found)

    def close(self, comparison: Comparison, ending: Ending) -> None:
        """Keeps the totals."""
        self._comparison = comparison

    def show(self) -> None:
        """Prints changes and totals."""
        shown, comparison = self._foremost.shown(), self._comparison
        self._put_table(shown)
        more = comparison.changed - len(shown)
        if more > 0:
            self._screen.put(f"not shown: {more:,} more changes; -o changes.json keeps all")
        grave = next((style for change, style in _GRAVE.items() if comparison.changes[change]), "")
        self._screen.put(headline(comparison), style=grave or "bold")
        self._put_judgement(comparison)

    def abandon(self) -> None:
        """Prints nothing."""

    def _put_table(self, shown: list[ChangedConversation]) -> None:
        rows = [_HEAD, *map(self._row, shown)]
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        for number, row in enumerate(rows if shown else ()):
            cells = (
                cell + " " * (width - cell_len(cell))
                for cell, width in zip(row, widths, strict=True)
            )
            style = _GRAVE.get(shown[number - 1].changes[0], "") if number else "bold"
            self._screen.put(_GAP.join(cells).rstrip(), style=style)
        if shown:
            self._screen.put()

    def _row(self, found: ChangedConversation) -> tuple[str, ...]:
        return (
            self._screen.plain(found.conversation),
            ", ".join(WORDS[change] for change in found.changes),
            outcome(found.old),
            outcome(found.new),
            said(found.cause),
        )

    def _put_judgement(self, comparison: Comparison) -> None:
        if comparison.judgement_changed is None:
            self._screen.put("whether evaluator, rubric and rule are the same is not known")
        elif not comparison.judgement_changed:
            self._screen.put("evaluator, rubric and rule are the same in both runs")
        elif not comparison.facets:
            self._screen.put("evaluator, rubric or rule changed")
        for name, old, new in comparison.facets or ():
            plain = self._screen.plain
            self._screen.put(f"{name} changed from {plain(old)} to {plain(new)}")
