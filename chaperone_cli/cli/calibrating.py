"""Calibrates a screen: holds the suspicions of turns against votes on all of them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from chaperone_cli.cli import wiring
from chaperone_cli.cli.figures import Adding, json_file
from chaperone_cli.cli.rehearsing import rehearse
from chaperone_cli.cli.running import Run
from chaperone_cli.cli.selecting import log_reader, selection, tell_left_out
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.metrics.calibration import Calibration, CalibrationBuilder
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import ChaperoneError, UsageError

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


def calibrate(paths: Sequence[str], settings: Settings) -> Calibrated:
    """Puts all turns of the logs at `paths` to the vote, whatever the screen makes of them."""
    from chaperone_cli.cli import progress

    settings = replace(settings, screen=settings.screen or DEFAULT)
    screen = wiring.screen(settings)
    if screen is None:
        raise UsageError("there is no screen to calibrate", hint=f"add --screen {DEFAULT}")
    screened = wiring.protocol(settings, screen)
    assert screened.screening is not None
    settings = replace(settings, screen=wiring.NO_SCREEN, screen_level=None, screen_reach=None)
    auditor = wiring.auditor(settings)
    rehearse(auditor, paths, settings)
    chosen, reader = selection(settings), log_reader(paths, settings)
    builder = CalibrationBuilder(screened.screening.level, screened.screening.reach)
    # Verdicts come in the order of the conversations, as many as are under way behind them.
    under_way: deque[Conversation] = deque()

    def add(verdict: ConversationVerdict) -> None:
        conversation = under_way.popleft()
        while conversation.id != verdict.conversation:  # the run was cut short in it
            conversation = under_way.popleft()
        builder.add(verdict, screen.suspicions(conversation))

    run = Run(auditor, [Adding(add)])
    items = _kept(chosen.over(reader, run.summary.left_out), under_way)
    header = wiring.header(auditor, paths)
    run.over(header, items, progress.shown(auditor.progress, reader))
    tell_left_out(run.summary.left_out)
    header = replace(header, protocol=screened)
    return Calibrated(header, builder.calibration(), run.summary, run.error)


def _kept(
    items: Iterable[Conversation | Problem], under_way: deque[Conversation]
) -> Iterator[Conversation | Problem]:
    """Yields `items`, and keeps each conversation until its verdict comes."""
    for item in items:
        if isinstance(item, Conversation):
            under_way.append(item)
        yield item


def writer(path: str) -> Callable[[Calibrated, float], None]:
    """Gives what writes figures to `path`; raises UsageError unless it is a .json file."""
    put = json_file(path)

    def write(found: Calibrated, most: float) -> None:
        from chaperone_cli.codec.calibration import encode

        put(encode(found.calibration, found.header, most), found.summary.ending)

    return write
