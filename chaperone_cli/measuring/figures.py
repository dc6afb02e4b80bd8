"""What all measurements share: verdicts are added up, and figures go to a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from chaperone_cli.auditing.host import Host
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import UsageError
from chaperone_cli.reports.interface import Quotes, Reporter


class Adding(Reporter):
    """Hands every whole verdict to `take`, in the order of the log; tells of problems at once."""

    def __init__(self, take: Callable[[ConversationVerdict], None], host: Host) -> None:
        self._take = take
        self._host = host

    def open(self, header: RunHeader) -> None:  # noqa: D102
        pass

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:  # noqa: D102
        if not verdict.partial:
            self._take(verdict)

    def add_problem(self, problem: Problem) -> None:  # noqa: D102
        self._host.problem(problem)

    def close(self, summary: Summary, usage: Usage) -> None:  # noqa: D102
        pass

    def abandon(self) -> None:  # noqa: D102
        pass


def json_file(path: str) -> Callable[[Any, Ending], None]:
    """Gives what writes a document to `path`; raises UsageError unless it is a .json file.

    It is told how the measurement ended.
    """
    if not path.endswith(".json"):
        raise UsageError(
            f"cannot write figures to {path!r}", hint="name a .json file with --output"
        )

    def write(document: Any, ending: Ending) -> None:
        from chaperone_cli.codec.fields import dumps
        from chaperone_cli.reports.files import AtomicFile

        target = AtomicFile(Path(path))
        target.open()
        target.write(dumps(document) + b"\n")
        target.commit(ending)

    return write
