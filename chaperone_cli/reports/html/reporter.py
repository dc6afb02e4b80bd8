"""Reports as one HTML file: the overview first, the rows behind it, read by the page's script."""

from collections.abc import Iterator
from pathlib import Path

from chaperone_cli.codec.report import encode_problem
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import OutputError
from chaperone_cli.reports.html import rows
from chaperone_cli.reports.html.blocks import CLOSING, Blocks, opening
from chaperone_cli.reports.html.facts import Flagged, facts, meta
from chaperone_cli.reports.html.inline import inlined
from chaperone_cli.reports.html.names import Book
from chaperone_cli.reports.html.page import Page
from chaperone_cli.reports.html.tallies import Tallies
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.sanitise import plain
from chaperone_cli.reports.target import Target


class HtmlReporter(Reporter):
    """Writes a page that needs nothing but a browser.

    The overview stands first on the page but is known last, so the rows wait on disk.
    """

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        self._rows = Blocks(path, "rows")
        self._problems = Blocks(path, "problems")
        self._tallies = Tallies()
        self._flagged = Flagged()
        self._book = Book()

    def open(self, header: RunHeader) -> None:
        """Starts the file and reads the templates, so that nothing is missing at the end."""
        self._header = header
        self._page = Page()
        self._target.open()

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Counts one conversation and keeps its row."""
        self._tallies.add(verdict)
        self._flagged.add(verdict)
        self._keep(self._rows, rows.encode(verdict, quotes, self._book))

    def add_problem(self, problem: Problem) -> None:
        """Keeps one problem."""
        self._flagged.add_problem(problem)
        document = encode_problem(problem)
        shown = {
            key: plain(said) if isinstance(said, str) else said for key, said in document.items()
        }
        self._keep(self._problems, shown)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Writes overview, rows and script, and moves the page into place."""
        shown = facts(self._header, summary, usage, self._tallies, self._flagged)
        try:
            for part in self._parts(self._page.top(shown)):
                self._target.write(part)
            self._target.commit(summary.ending)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Removes the unfinished file; an earlier report of its name stays."""
        self._rows.close()
        self._problems.close()
        self._target.abandon()

    def _keep(self, blocks: Blocks, row: object) -> None:
        try:
            blocks.add(row)
        except OutputError:
            self.abandon()
            raise

    def _parts(self, top: bytes) -> Iterator[bytes]:
        yield top
        yield from self._rows.chunks()
        yield from self._problems.chunks()
        yield opening("meta") + inlined(meta(self._header, self._book)) + CLOSING
        yield self._page.bottom()
