"""What every reporter offers: it is opened once, given results as they come, and closed once."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.domain.vote import Span

Quotes = Mapping[Span, str]
"""The text of the spans that the user asked to see; empty otherwise, so that none can leak."""


class Reporter(ABC):
    """A sink for verdicts, in input order; it keeps nothing that grows with the log."""

    @abstractmethod
    def open(self, header: RunHeader) -> None:
        """Starts the report; raises OutputError where it cannot be written."""

    @abstractmethod
    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds one conversation."""

    def add_problem(self, problem: Problem) -> None:  # noqa: B027  (most formats hold verdicts only)
        """Adds one problem of the input."""

    @abstractmethod
    def close(self, summary: Summary, usage: Usage) -> None:
        """Completes the report, also where `summary.ending` says that the run was cut short."""

    @abstractmethod
    def abandon(self) -> None:
        """Removes what was written, for a run that failed before it had anything to report."""
