"""Calibrates a screen: holds the suspicions of turns against votes on all of them."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chaperone_cli.auditing import build
from chaperone_cli.auditing.host import Host
from chaperone_cli.auditing.rehearse import rehearse
from chaperone_cli.auditing.run import Run
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.metrics.calibration import Calibration, CalibrationBuilder
from chaperone_cli.domain.run import RunHeader, Summary
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import ChaperoneError, UsageError
from chaperone_cli.measuring.figures import Adding, json_file

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


def calibrate(paths: Sequence[str], settings: Settings, host: Host) -> Calibrated:
    """Puts all turns of the logs at `paths` to the vote, whatever the screen makes of them."""
    settings = replace(settings, screen=settings.screen or DEFAULT)
    screen = build.screen(settings)
    if screen is None:
        raise UsageError("there is no screen to calibrate", hint=f"add --screen {DEFAULT}")
    screened = build.protocol(settings, screen)
    assert screened.screening is not None
    settings = replace(settings, screen=build.NO_SCREEN, screen_level=None, screen_reach=None)
    auditor = build.auditor(settings)
    rehearse(auditor, paths, settings, host)
    chosen, reader = build.selection(settings), build.log_reader(paths, settings)
    builder = CalibrationBuilder(screened.screening.level, screened.screening.reach)
    # Verdicts come in the order of the conversations, as many as are under way behind them.
    under_way: deque[Conversation] = deque()

    def add(verdict: ConversationVerdict) -> None:
        conversation = under_way.popleft()
        while conversation.id != verdict.conversation:  # the run was cut short in it
            conversation = under_way.popleft()
        builder.add(verdict, screen.suspicions(conversation))

    run = Run(auditor, [Adding(add, host)], host=host)
    header = build.header(auditor, paths)
    run.over(header, reader, chosen, under_way.append)
    header = replace(header, protocol=screened)
    return Calibrated(header, builder.calibration(), run.summary, run.error)


def writer(path: str) -> Callable[[Calibrated, float], None]:
    """Gives what writes figures to `path`; raises UsageError unless it is a .json file."""
    put = json_file(path)

    def write(found: Calibrated, most: float) -> None:
        from chaperone_cli.codec.calibration import encode

        put(encode(found.calibration, found.header, most), found.summary.ending)

    return write
