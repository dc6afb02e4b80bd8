"""The two streams: stdout carries the result, stderr the talk.

Whoever reads them may go away: that is no error, and what is left goes nowhere. A full disk behind
stdout is one; one behind stderr leaves nobody to tell.
"""

import os
import sys
from errno import EIO, EPIPE
from typing import TYPE_CHECKING, Any, TextIO, cast

from chaperone_cli.domain.problem import Problem
from chaperone_cli.errors import ChaperoneError, OutputError, UsageError, VotesPending

if TYPE_CHECKING:
    from rich.console import Console


_GONE = (EPIPE, EIO)
"""What a closed pipe and a closed terminal answer."""


class _Guarded:
    """One of the two streams, which a reader that went away does not make fail."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as exc:
            _lost(self._stream, exc)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as exc:
            _lost(self._stream, exc)


def _lost(stream: TextIO, error: OSError) -> None:
    """Lets the rest of `stream` go nowhere; raises OutputError where a result cannot be kept."""
    # What is still in its buffer would fail again when the process ends.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    if stream is sys.stdout and error.errno not in _GONE:
        raise OutputError(
            f"cannot write to standard output: {error.strerror or error}",
            hint="make room, or send standard output elsewhere",
        ) from error


def result() -> "Console":
    """Gives the console on stdout, for what the command was asked for."""
    from rich.console import Console

    return Console(file=cast(TextIO, _Guarded(_stdout())), highlight=False, emoji=False)


def _stdout() -> TextIO:
    if sys.stdout is None:
        raise UsageError("standard output is closed", hint="send it somewhere, as to /dev/null")
    return sys.stdout


def put(data: bytes) -> None:
    """Writes a part of the result as it is.

    Raises OutputError where it cannot be kept, and BrokenPipeError where nobody reads it.
    """
    try:
        _stdout().buffer.write(data)
    except OSError as exc:
        _lost(sys.stdout, exc)
        raise BrokenPipeError from exc


def flush() -> None:
    """Makes sure that the result is out; raises OutputError where it cannot be kept."""
    if sys.stdout is not None:
        _Guarded(sys.stdout).flush()


def talk() -> "Console":
    """Gives the console on stderr, for progress, notes and errors."""
    from rich.console import Console

    return Console(file=cast(TextIO, _Guarded(sys.stderr)), highlight=False, emoji=False)


def note(message: str) -> None:
    """Says one line on stderr."""
    if sys.stderr is not None:
        _Guarded(sys.stderr).write(f"{message}\n")


def complain(error: ChaperoneError) -> None:
    """Says on stderr what was wrong and, on a second line, what to do."""
    from chaperone_cli.reports.text import plain

    kind = "pending" if isinstance(error, VotesPending) else "error"
    note(f"{kind}: {plain(error.message)}")
    if error.hint:
        note(f"  hint: {plain(error.hint)}")


def report_problem(problem: Problem) -> None:
    """Says one problem of the input on stderr."""
    from chaperone_cli.reports.text import plain

    note(plain(f"{problem.severity}: {problem}"))
