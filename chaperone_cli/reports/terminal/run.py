"""The report that people read first: on the terminal, flagged conversations at the top."""

from typing import TYPE_CHECKING

from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.terminal.screen import Screen
from chaperone_cli.reports.terminal.table import ConversationTable, Shelf
from chaperone_cli.reports.terminal.totals import (
    put_ending,
    put_header,
    put_problems,
    put_totals,
)
from chaperone_cli.reports.wording import Foremost

if TYPE_CHECKING:
    from rich.console import Console

_PROBLEMS = 10


class TerminalReporter(Reporter):
    """Shows at most `rows` conversations, and with `quote` the text that decided a first block.

    Nothing is printed before `close`: only then is it known which conversations come first.
    """

    def __init__(self, console: "Console", rows: int = 40, quote: bool = False) -> None:
        self._screen = Screen(console)
        self._rows = rows
        self._quote = quote
        self._shelf = Shelf(rows)
        self._problems = Foremost[Severity, Problem](Severity, _PROBLEMS)

    def open(self, header: RunHeader) -> None:
        """Keeps the header for the top of the report."""
        self._header = header

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Keeps what the table may show of one conversation."""
        self._shelf.add(verdict, quotes if self._quote else {})

    def add_problem(self, problem: Problem) -> None:
        """Keeps one problem, if it is among the first."""
        self._problems.add(problem.severity, problem)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Prints the report; what cut a run short is said first and last."""
        screen = self._screen
        if summary.ending is not Ending.COMPLETE:
            put_ending(screen, summary)
            screen.put()
        put_header(screen, self._header)
        screen.put()
        self._put_table()
        put_totals(screen, summary, usage, self._header.protocol)
        put_problems(screen, self._problems.shown(), summary)
        if summary.ending is not Ending.COMPLETE:
            screen.put()
            put_ending(screen, summary)

    def abandon(self) -> None:
        """Prints nothing."""

    def _put_table(self) -> None:
        rows = self._shelf.shown()
        if rows:
            protocol = self._header.protocol
            table = ConversationTable(self._screen, rows, protocol.passes)
            table.put()
            table.put_legend(all_votes=protocol.all_votes)
        self._put_hidden(len(rows))
        if rows:
            self._screen.put()

    def _put_hidden(self, shown: int) -> None:
        hidden = self._shelf.hidden()
        if not any(hidden.values()):
            return
        each = ", ".join(f"{count:,} {past}" for past, count in hidden.items() if count)
        every = shown + sum(hidden.values())
        self._screen.put(
            f"not shown: {each}; --rows {every} shows all, -o report.json keeps all", style="bold"
        )
