"""Logs read for their own sake: checked, or written as one canonical log."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from chaperone_cli.auditing import build
from chaperone_cli.auditing.host import Host
from chaperone_cli.codec.conversation import to_line
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.readers import LogReader
from chaperone_cli.readers.account import Account
from chaperone_cli.readers.times import instant


@dataclass
class Converted:
    """What was written as a canonical log, and what was not."""

    conversations: int = 0
    turns: int = 0
    blank_turns: int = 0
    placeholders: int = 0
    errors: int = 0
    """Problems on account of which something is missing from the canonical log."""
    left_out: LeftOut = field(default_factory=LeftOut)


def convert(
    paths: Sequence[str],
    settings: Settings,
    write: Callable[[bytes], None],
    host: Host,
    done: Converted,
) -> None:
    """Writes every conversation that `settings` select of the logs, and tells every problem.

    What was written is counted in `done`, also where nobody reads it any more.
    """
    chosen = build.selection(settings)
    for item in chosen.over(build.log_reader(paths, settings), done.left_out):
        if isinstance(item, Problem):
            problem: Problem | None = item
        else:
            line, problem = _line(item)
            write(line)
            done.conversations += 1
            done.turns += len(item.turns)
            done.blank_turns += item.blank_turns
            done.placeholders += item.placeholders
        if problem is not None:
            done.errors += problem.severity is Severity.ERROR
            host.problem(problem)


def _line(conversation: Conversation) -> tuple[bytes, Problem | None]:
    try:
        return to_line(conversation), None
    except TypeError:  # orjson writes no JSON nested as deeply as it reads
        source, warning = conversation.source, Severity.WARNING
        message = "its meta is nested too deeply to be written and is left out"
        told = Problem(warning, source.path, message, source.line, conversation.id)
        return to_line(replace(conversation, meta={})), told


class Checked:
    """The conversations of the logs at `paths`, and every single problem."""

    def __init__(self, paths: Sequence[str], settings: Settings) -> None:
        self._reader = LogReader(
            paths, format=settings.format, problem_limit=None, branches=settings.branches
        )

    @property
    def account(self) -> Account:
        """What became of the text that was read so far."""
        return self._reader.account

    def __iter__(self) -> Iterator[Conversation | Problem]:
        for item in self._reader:
            yield item
            if isinstance(item, Conversation) and (undated := _undated_turn(item)) is not None:
                yield undated


def _undated_turn(conversation: Conversation) -> Problem | None:
    """Warns of the first message whose time is not ISO 8601, so that no time selects by it."""
    for number, message in enumerate(conversation.messages, 1):
        if message.at is not None and instant(message.at) is None:
            source, entry = conversation.source, message.place or number
            clause = f"entry {entry}: `at` is no ISO 8601 time; --since and --until pass it over"
            return Problem(Severity.WARNING, source.path, clause, source.line, conversation.id)
    return None
