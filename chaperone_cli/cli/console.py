"""The two streams: stdout carries the result, stderr the talk."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from chaperone_cli.domain.problem import Problem
from chaperone_cli.errors import ChaperoneError, VotesPending

if TYPE_CHECKING:
    from rich.console import Console


def result() -> "Console":
    """Gives the console on stdout, for what the command was asked for."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def talk() -> "Console":
    """Gives the console on stderr, for progress, notes and errors."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def note(message: str) -> None:
    """Says one line on stderr."""
    sys.stderr.write(f"{message}\n")


def remark(remarks: Iterable[str]) -> None:
    """Says on stderr what whoever started a run should know of it."""
    for one in remarks:
        note(f"note: {one}")


def complain(error: ChaperoneError) -> None:
    """Says on stderr what was wrong and, on a second line, what to do."""
    from chaperone_cli.reporters.sanitise import plain

    kind = "pending" if isinstance(error, VotesPending) else "error"
    note(f"{kind}: {plain(error.message)}")
    if error.hint:
        note(f"  hint: {plain(error.hint)}")


def report_problem(problem: Problem) -> None:
    """Says one problem of the input on stderr."""
    from chaperone_cli.reporters.sanitise import plain

    note(plain(f"{problem.severity}: {problem}"))
