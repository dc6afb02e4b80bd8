"""Which logs and which of their conversations the settings ask for."""

from collections.abc import Sequence

from chaperone_cli.config import Settings
from chaperone_cli.domain.selection import Condition, Selection, moment
from chaperone_cli.readers import LogReader


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
