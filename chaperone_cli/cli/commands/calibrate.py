"""`chaperone calibrate`: what a screen would have missed, on a log whose votes are known."""

from pathlib import Path
from typing import Annotated

from chaperone_cli.cli import options
from chaperone_cli.config import Settings

Output = Annotated[
    list[str] | None,
    options.own(
        "Write the figures to a .json file (calibration.v1). Repeatable.",
        *("-o", "--output"),
        panel=options.OUTPUT,
    ),
]
MaxMissed = Annotated[
    float | None,
    options.own(
        "The share of blocked conversations, from 0 to 1, whose first block a level may miss "
        "or delay: the highest such level is suggested, and the exit code is 12 where the level in "
        "force misses more. Default: none may be, and the exit code does not say.",
        "--max-missed",
        panel=options.EVALUATION,
        metavar="SHARE",
        min=0,
        max=1,
    ),
]


# The votes must be on every turn; early stopping leaves them as an audit would cast them.
@options.takes(
    *(*options.SELECTION, "config", *options.SCREEN, "*", "evaluator", "recorded_votes", "rubric"),
    *("votes", "rule", "sides", "concurrency", *options.MODEL, "output", "store", "no_store"),
    all_votes=False,
    until_block=False,
)
def calibrate(
    paths: options.Paths,
    settings: Settings,
    config: Path | None,
    max_missed: MaxMissed = None,
    output: Output = None,
) -> int:
    """Measure what a screen would have missed at every level, against votes on all turns.

    Use it with --evaluator recorded, or with one that is asked. The screen is the local one unless
    another is named. A label in the log adds a table.
    """
    from chaperone_cli.cli import console, exit_codes
    from chaperone_cli.cli.host import Terminal, tell_left_out
    from chaperone_cli.cli.places import keep_apart, place
    from chaperone_cli.measuring.calibration import calibrate, writer
    from chaperone_cli.reports.terminal.calibration import render_calibration

    outputs, most = output or [], max_missed or 0.0
    keep_apart(settings, config, paths, outputs=outputs)
    writers = [writer(path) for path in outputs]
    found = calibrate(paths, settings, Terminal())
    tell_left_out(found.summary.left_out)
    if found.error is not None:
        raise found.error
    render_calibration(console.result(), found.calibration, found.header, most)
    for path, write in zip(outputs, writers, strict=True):
        write(found, most)
        console.note(f"wrote {place(path, found.summary.ending)}")
    displaced = found.calibration.share_displaced(found.calibration.in_force)
    met = max_missed is None or displaced <= max_missed
    return exit_codes.of_measurement(found.summary, met=met)
