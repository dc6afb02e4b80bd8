"""Reports as SARIF 2.1.0: one result for the first blocking turn of every blocked conversation.

Undecided conversations and problems of the input are notifications of the invocation, so that
nothing is lost and results are blocks only.
"""

from pathlib import Path

from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.report import encode_header, encode_summary
from chaperone_cli.codec.spend import encode_spend
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.errors import OutputError
from chaperone_cli.reports import sarif_parts as parts
from chaperone_cli.reports.aside import Aside
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.sarif_rules import tool
from chaperone_cli.reports.target import Target


class SarifReporter(Reporter):
    """Writes findings for code scanning and other consumers of SARIF."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        # They come between results but stand after them.
        self._notifications = Aside(path)
        self._separator = b"\n"

    def open(self, header: RunHeader) -> None:
        """Starts the log with the tool and all its rules."""
        self._header = header
        self._target.open()
        self._target.write(
            b'{\n"$schema": "%b",\n"version": "2.1.0",\n"runs": [{\n"tool": %b,\n"results": ['
            % (parts.SCHEMA.encode(), dumps(tool(header)))
        )

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds the result of a blocked conversation, or the notification of an undecided one."""
        protocol, first = self._header.protocol, verdict.first_block
        if first is not None:
            found = parts.result(protocol.rubric, protocol.passes, verdict, first, quotes)
            self._target.write(self._separator + dumps(found))
            self._separator = b",\n"
        elif verdict.verdict is Verdict.UNDECIDED:
            self._notify(dumps(parts.undecided(verdict)))

    def add_problem(self, problem: Problem) -> None:
        """Adds the notification of a problem."""
        self._notify(dumps(parts.problem(problem)))

    def _notify(self, notification: bytes) -> None:
        separator = b",\n" if self._notifications.parts else b"\n"
        self._notifications.add(separator + notification)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Adds the invocation and the totals and moves the log into place."""
        invocation = dumps(parts.invocation(self._header, summary))
        run = {"run": encode_header(self._header), "summary": encode_summary(summary)}
        if usage.spend is not None:
            run["spend"] = encode_spend(usage.spend)
        try:
            opening = b'\n],\n"invocations": [%b,"toolExecutionNotifications": ['
            self._target.write(opening % invocation.removesuffix(b"}"))
            for chunk in self._notifications.chunks():
                self._target.write(chunk)
            closing = b'\n]}],\n"columnKind": "unicodeCodePoints",\n"properties": %b\n}]\n}\n'
            self._target.write(closing % dumps(run))
            self._target.commit(summary.ending)
        except OutputError:
            self.abandon()
            raise
        self._notifications.close()

    def abandon(self) -> None:
        """Removes the unfinished log; an earlier report of its name stays."""
        self._notifications.close()
        self._target.abandon()
