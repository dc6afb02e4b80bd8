"""How far the run has come, on stderr, while somebody watches."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chaperone_cli.cli import console
from chaperone_cli.engine.progress import Progress
from chaperone_cli.readers import LogReader
from chaperone_cli.reports.text import plural

if TYPE_CHECKING:
    from rich.text import Text


@contextmanager
def shown(progress: Progress, reader: LogReader) -> Iterator[None]:
    """Draws `progress` while the block runs, if stderr is a terminal."""
    talk = console.talk()
    if not talk.is_terminal:
        yield
        return
    from rich.live import Live

    started = time.monotonic()

    def line() -> "Text":
        return _line(progress, _share(progress, reader), time.monotonic() - started)

    with Live(get_renderable=line, console=talk, refresh_per_second=4, transient=True):
        yield


def _share(progress: Progress, reader: LogReader) -> float | None:
    """Estimates the share of the work that is done: of the bytes read, the turns judged."""
    if not reader.bytes_total:
        return None
    return min(reader.bytes_read / reader.bytes_total, 1.0) * progress.share_done


def _line(progress: Progress, share: float | None, seconds: float) -> "Text":
    from rich.text import Text

    rate = progress.turns / seconds if seconds > 0 else 0.0
    parts = [
        plural(progress.conversations, "conversation"),
        plural(progress.turns, "turn"),
        plural(progress.votes_cast, "vote"),
        f"{progress.votes_saved:,} saved",
        f"{rate:,.0f} turns/s",
    ]
    # What is waited for comes first: a narrow terminal cuts the end of the line.
    if share and seconds > 1:
        parts.insert(0, f"{_clock(seconds * (1 - share) / share)} left")
    if share is not None:
        parts.insert(0, f"{share:4.0%}")
    return Text(" · ".join(parts), no_wrap=True, overflow="ellipsis")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
