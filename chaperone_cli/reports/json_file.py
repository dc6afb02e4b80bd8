"""Reports as one `report.v1` document, written as the verdicts come."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from chaperone_cli.codec import report
from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.verdict import encode as encode_verdict
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import OutputError
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.target import Target

_CHUNK = 1 << 16
_IN_MEMORY = 1 << 20


class JsonReporter(Reporter):
    """Writes a whole run into one JSON file, with one line a conversation and a problem."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        self._passes = 0
        self._separator = b"\n"
        # Problems come between verdicts but stand after them in the document.
        self._problems: IO[bytes] | None = None

    def open(self, header: RunHeader) -> None:
        """Starts the file with the run's header."""
        self._passes = header.protocol.passes
        run = dumps(report.encode_header(header))
        with self._cleared_on_failure():
            self._target.open()
            self._target.write(
                b'{\n"schema": "%b",\n"run": %b,\n"conversations": ['
                % (report.CONTRACT.encode(), run)
            )

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds one line of the array of conversations."""
        document = encode_verdict(verdict, self._passes, quotes)
        with self._cleared_on_failure():
            self._target.write(self._separator + dumps(document))
        self._separator = b",\n"

    def add_problem(self, problem: Problem) -> None:
        """Keeps one problem, in memory or on disk, until the document comes to problems."""
        row = dumps(report.encode_problem(problem))
        with self._cleared_on_failure():
            if self._problems is None:
                self._problems = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
                self._problems.write(b"\n" + row)
            else:
                self._problems.write(b",\n" + row)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Adds problems and totals and moves the document into place."""
        totals = dumps(report.encode_summary(summary)), dumps(report.encode_usage(usage))
        with self._cleared_on_failure():
            self._target.write(b'\n],\n"problems": [')
            if self._problems is not None:
                self._problems.seek(0)
                while chunk := self._problems.read(_CHUNK):
                    self._target.write(chunk)
            self._target.write(b'\n],\n"summary": %b,\n"usage": %b\n}\n' % totals)
            self._target.commit(summary.ending)
        self.abandon()

    def abandon(self) -> None:
        """Removes the unfinished file; an earlier report of its name stays."""
        if self._problems is not None:
            self._problems.close()
            self._problems = None
        self._target.abandon()

    @contextmanager
    def _cleared_on_failure(self) -> Iterator[None]:
        try:
            yield
        except OutputError:
            self.abandon()
            raise
        except OSError as exc:
            self.abandon()
            raise OutputError(
                f"cannot keep the problems of the input for {self._target.path}: {exc.strerror}",
                hint="make room in the folder for temporary files (TMPDIR)",
            ) from exc
