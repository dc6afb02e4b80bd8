"""Writes what logs hold as one canonical log, and says what came of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from chaperone_cli.cli import console
from chaperone_cli.cli.selecting import log_reader, selection, tell_left_out
from chaperone_cli.codec.conversation import to_line
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.reports.files import AtomicFile
from chaperone_cli.reports.text import plural

Write = Callable[[bytes], None]


@contextmanager
def writer(output: Path) -> Iterator[Write]:
    """Gives what writes to `output`, which is complete or as it was before; raises OutputError."""
    if str(output) == "-":
        yield console.put
        return
    target = AtomicFile(output)
    target.open()
    try:
        yield target.write
    except BaseException:
        target.abandon()
        raise
    target.commit()


class Conversion:
    """The conversations that `settings` select from the logs at `paths`, on their way."""

    def __init__(self, paths: Sequence[str], settings: Settings) -> None:
        self._selection = selection(settings)
        self._reader = log_reader(paths, settings)
        self._left_out = LeftOut()
        self._written = self._turns = self._blank = self._placeholders = 0
        self.errors = 0
        """Problems on account of which something is missing from the canonical log."""

    def run(self, write: Write) -> None:
        """Writes every conversation, and tells every problem as it is met."""
        for item in self._selection.over(self._reader, self._left_out):
            if isinstance(item, Problem):
                self._tell(item)
            else:
                self._convert(item, write)

    def _convert(self, conversation: Conversation, write: Write) -> None:
        source = conversation.source
        try:
            line = to_line(conversation)
        except TypeError:  # orjson writes no JSON nested as deeply as it reads
            message = "its meta is nested too deeply to be written and is left out"
            warning = Severity.WARNING
            self._tell(Problem(warning, source.path, message, source.line, conversation.id))
            line = to_line(replace(conversation, meta={}))
        write(line)
        self._written += 1
        self._turns += len(conversation.turns)
        self._blank += conversation.blank_turns
        self._placeholders += conversation.placeholders

    def _tell(self, problem: Problem) -> None:
        self.errors += problem.severity is Severity.ERROR
        console.report_problem(problem)

    def sum_up(self, output: Path) -> None:
        """Says on stderr what was written, and what was not."""
        written = plural(self._written, "conversation")
        place = "standard output" if str(output) == "-" else str(output)
        console.note(f"wrote {written} with {plural(self._turns, 'turn')} to {place}")
        if self._blank:
            console.note(f"  {plural(self._blank, 'blank turn')} skipped")
        if self._placeholders:
            parts = plural(self._placeholders, "placeholder")
            console.note(f"  {parts} written for parts that are not text")
        tell_left_out(self._left_out)
