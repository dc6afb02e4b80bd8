"""Reports as JSON: one `report.v1` document, or a `verdict.v1` document a line.

Lines hold the verdicts alone, nothing of the run, the time or the machine: the same bytes for the
same verdicts.
"""

from pathlib import Path

from chaperone_cli.codec import report
from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.verdict import encode as encode_verdict
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.files import FileReporter
from chaperone_cli.reports.interface import Quotes


class JsonReporter(FileReporter):
    """Writes a whole run into one JSON file, with one line a conversation and a problem."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._separator = b"\n"
        # They come between verdicts but stand after them in the document.
        self._problems = self._file.section("the problems of the input")

    def open(self, header: RunHeader) -> None:
        """Starts the file with the run's header."""
        super().open(header)
        self._file.write(
            b'{\n"schema": "%b",\n"run": %b,\n"conversations": ['
            % (report.CONTRACT.encode(), dumps(report.encode_header(header)))
        )

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds one line of the array of conversations."""
        document = encode_verdict(verdict, self._header.protocol.passes, quotes)
        self._file.write(self._separator + dumps(document))
        self._separator = b",\n"

    def add_problem(self, problem: Problem) -> None:
        """Keeps one problem until the document comes to problems."""
        separator = b",\n" if self._problems.parts else b"\n"
        self._problems.add(separator + dumps(report.encode_problem(problem)))

    def close(self, summary: Summary, usage: Usage) -> None:
        """Adds problems and totals and moves the document into place."""
        totals = dumps(report.encode_summary(summary)), dumps(report.encode_usage(usage))
        self._file.write(b'\n],\n"problems": [')
        self._problems.write()
        self._file.write(b'\n],\n"summary": %b,\n"usage": %b\n}\n' % totals)
        super().close(summary, usage)


class JsonlReporter(FileReporter):
    """Writes the verdicts alone, one a line."""

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds one line."""
        document = encode_verdict(verdict, self._header.protocol.passes, quotes)
        self._file.write(dumps(document) + b"\n")
