"""Reports as one `verdict.v1` document a line, the same bytes for the same verdicts."""

from pathlib import Path

from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.verdict import encode
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.target import Target


class JsonlReporter(Reporter):
    """Writes the verdicts alone: nothing of the run, the time or the machine."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        self._passes = 0

    def open(self, header: RunHeader) -> None:
        """Starts the file."""
        self._passes = header.protocol.passes
        self._target.open()

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds one line."""
        self._target.write(dumps(encode(verdict, self._passes, quotes)) + b"\n")

    def close(self, summary: Summary, usage: Usage) -> None:
        """Moves the file into place."""
        self._target.commit(summary.ending)

    def abandon(self) -> None:
        """Removes the unfinished file; an earlier report of its name stays."""
        self._target.abandon()
