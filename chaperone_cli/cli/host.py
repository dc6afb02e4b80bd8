"""The terminal as a use case's host: progress and notes on stderr, and signals that end a run."""

import time
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from chaperone_cli.auditing.host import Host
from chaperone_cli.cli import console
from chaperone_cli.cli.interrupt import Interrupts
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Progress
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.readers import LogReader
from chaperone_cli.reports.text import plural

if TYPE_CHECKING:
    from rich.text import Text

T = TypeVar("T")


class Terminal(Host):
    """Draws how far a run has come while somebody watches."""

    def __init__(self) -> None:
        self._interrupts = Interrupts()

    def run(self, work: Coroutine[Any, Any, T]) -> T:  # noqa: D102
        return self._interrupts.run(work)

    def reading(self, items: Iterable[T]) -> Iterable[T]:  # noqa: D102
        return self._interrupts.reading(items)

    def watching(  # noqa: D102
        self, progress: Progress, reader: LogReader
    ) -> AbstractContextManager[None]:
        return _shown(progress, reader)

    def counting(  # noqa: D102
        self, items: Iterable[T], doing: str, what: str = "conversations"
    ) -> Iterable[T]:
        return _counted(items, doing, what)

    def note(self, line: str) -> None:  # noqa: D102
        console.note(line)

    def problem(self, problem: Problem) -> None:  # noqa: D102
        console.report_problem(problem)


def tell_left_out(left_out: LeftOut) -> None:
    """Says on stderr what a selection left out, and why."""
    if left_out.reasons:
        counted = sorted(left_out.reasons.items())
        why = ", ".join(f"{count:,} by {reason.value}" for reason, count in counted)
        conversations = plural(left_out.reasons.total(), "conversation")
        console.note(f"  {conversations} left out: {why}")
    if left_out.limited:
        console.note("  nothing read behind --limit")


@contextmanager
def _shown(progress: Progress, reader: LogReader) -> Iterator[None]:
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


def _counted(items: Iterable[T], doing: str, what: str) -> Iterator[T]:
    """Yields `items`, and draws how many have gone by if stderr is a terminal."""
    talk = console.talk()
    if not talk.is_terminal:
        yield from items
        return
    from rich.live import Live
    from rich.text import Text

    done = 0

    def line() -> "Text":
        return Text(f"{doing}: {done:,} {what}", "dim")

    with Live(get_renderable=line, console=talk, refresh_per_second=4, transient=True):
        for item in items:
            yield item
            done += 1
