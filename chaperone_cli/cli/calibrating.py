"""Calibrates a screen: holds the suspicions of turns against votes on all of them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chaperone_cli.cli import console, wiring
from chaperone_cli.cli.running import Run
from chaperone_cli.cli.selecting import log_reader, selection, tell_left_out
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.metrics.calibration import Calibration, CalibrationBuilder
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.screening import Screening
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import ChaperoneError, UsageError
from chaperone_cli.evaluators.interface import Screen
from chaperone_cli.reporters.interface import Quotes, Reporter

DEFAULT = "local"
"""The screen that is calibrated where none is named."""


@dataclass(frozen=True)
class Calibrated:
    """What was measured, and how the run that measured it ended."""

    header: RunHeader
    calibration: Calibration
    summary: Summary
    error: ChaperoneError | None = None
    """What ended the measurement before its end."""


class _Adding(Reporter):
    """Adds up verdicts beside what a screen finds in the same conversations."""

    def __init__(self, screen: Screen, screening: Screening) -> None:
        self.builder = CalibrationBuilder(screening.level, screening.reach)
        self._screen = screen
        # Verdicts come in the order of the conversations, as many as are under way behind them.
        self._under_way: deque[Conversation] = deque()

    def watched(self, items: Iterable[Conversation | Problem]) -> Iterator[Conversation | Problem]:
        """Yields `items`, and keeps each conversation until its verdict comes."""
        for item in items:
            if isinstance(item, Conversation):
                self._under_way.append(item)
            yield item

    def open(self, header: RunHeader) -> None:
        pass

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        self.builder.add(verdict, self._screen.suspicions(self._under_way.popleft()))

    def add_problem(self, problem: Problem) -> None:
        console.report_problem(problem)

    def close(self, summary: Summary, usage: Usage) -> None:
        pass

    def abandon(self) -> None:
        pass


def calibrate(paths: Sequence[str], settings: Settings) -> Calibrated:
    """Puts all turns of the logs at `paths` to the vote, whatever the screen makes of them."""
    from chaperone_cli.cli import progress

    settings = replace(settings, screen=settings.screen or DEFAULT)
    screen = wiring.screen(settings)
    if screen is None:
        raise UsageError("there is no screen to calibrate", hint=f"add --screen {DEFAULT}")
    screened = wiring.protocol(settings, screen)
    assert screened.screening is not None
    auditor = wiring.auditor(
        replace(settings, screen=wiring.NO_SCREEN, screen_level=None, screen_reach=None)
    )
    chosen, reader = selection(settings), log_reader(paths, settings)
    adding = _Adding(screen, screened.screening)
    run = Run(auditor, [adding])
    items = adding.watched(chosen.over(reader, run.summary.left_out))
    header = wiring.header(auditor, paths)
    run.over(header, items, progress.shown(auditor.progress, reader))
    tell_left_out(run.summary.left_out)
    header = replace(header, protocol=screened)
    return Calibrated(header, adding.builder.calibration(), run.summary, run.error)


def writer(path: str) -> Callable[[Calibrated, float], None]:
    """Gives what writes figures to `path`; raises UsageError unless it is a .json file."""
    if not path.endswith(".json"):
        raise UsageError(
            f"cannot write figures to {path!r}", hint="name a .json file with --output"
        )

    def write(found: Calibrated, most: float) -> None:
        from chaperone_cli.codec.calibration import encode
        from chaperone_cli.codec.fields import dumps
        from chaperone_cli.reporters.target import Target

        target = Target(Path(path))
        target.open()
        target.write(dumps(encode(found.calibration, found.header, most)) + b"\n")
        target.commit()

    return write
