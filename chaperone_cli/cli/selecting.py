"""Which logs and which of their conversations the settings ask for."""

from collections.abc import Sequence

from chaperone_cli.cli import console
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.selection import Condition, LeftOut, Selection, moment
from chaperone_cli.readers import LogReader
from chaperone_cli.readers.times import instant
from chaperone_cli.reports.text import plural


def log_reader(paths: Sequence[str], settings: Settings) -> LogReader:
    """Gives the reader of the logs at `paths`; raises UsageError for an unknown format."""
    return LogReader(paths, format=settings.format, branches=settings.branches)


def selection(settings: Settings) -> Selection:
    """Gives what of the logs is to be taken; raises UsageError."""
    since, until = settings.since, settings.until
    return Selection(
        tuple(Condition.parse(text) for text in settings.where),
        None if since is None else moment(since),
        None if until is None else moment(until, end_of_day=True),
        settings.sample,
        settings.seed,
        settings.limit,
    )


def undated_turn(conversation: Conversation) -> Problem | None:
    """Warns of the first message whose time is not ISO 8601, so that no time selects by it."""
    for number, message in enumerate(conversation.messages, 1):
        if message.at is not None and instant(message.at) is None:
            source, entry = conversation.source, message.place or number
            clause = f"entry {entry}: `at` is no ISO 8601 time; --since and --until pass it over"
            return Problem(Severity.WARNING, source.path, clause, source.line, conversation.id)
    return None


def tell_left_out(left_out: LeftOut) -> None:
    """Says on stderr what a selection left out, and why."""
    if left_out.reasons:
        counted = sorted(left_out.reasons.items())
        why = ", ".join(f"{count:,} by {reason.value}" for reason, count in counted)
        conversations = plural(left_out.reasons.total(), "conversation")
        console.note(f"  {conversations} left out: {why}")
    if left_out.limited:
        console.note("  nothing read behind --limit")
