"""`chaperone calibrate`: what a screen would have missed, on a log whose votes are known."""

from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chaperone_cli.config import Settings

Output = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--output",
        help="Write the figures to a .json file (calibration.v1). Repeatable.",
        rich_help_panel=options.OUTPUT,
        show_default=False,
    ),
]
MaxMissed = Annotated[
    float | None,
    typer.Option(
        "--max-missed",
        min=0,
        max=1,
        metavar="SHARE",
        help="The share of blocked conversations, from 0 to 1, whose first block a level may miss "
        "or delay: the highest such level is suggested, and the exit code is 12 where the level in "
        "force misses more. Default: none may be, and the exit code does not say.",
        rich_help_panel=options.EVALUATION,
        show_default=False,
    ),
]


def calibrate(
    paths: options.Paths,
    format: options.Format = None,
    branches: options.BranchesOption = None,
    where: options.Where = None,
    since: options.Since = None,
    until: options.Until = None,
    limit: options.Limit = None,
    sample: options.Sample = None,
    seed: options.Seed = None,
    config: options.Config = None,
    screen: options.ScreenName = None,
    screen_level: options.ScreenLevel = None,
    screen_reach: options.ScreenReach = None,
    max_missed: MaxMissed = None,
    evaluator: options.Evaluator = None,
    recorded_votes: options.RecordedVotes = None,
    rubric: options.RubricName = None,
    votes: options.Votes = None,
    rule: options.RuleName = None,
    sides: options.SidesOption = None,
    concurrency: options.Concurrency = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    max_cost: options.MaxCost = None,
    max_calls: options.MaxCalls = None,
    prices: options.Prices = None,
    output: Output = None,
    store: options.Store = None,
    no_store: options.NoStore = None,
) -> None:
    """Measure what a screen would have missed at every level, against votes on all turns.

    Use it with --evaluator recorded, or with one that is asked. The screen is the local one unless
    another is named. A label in the log adds a table.
    """
    from chaperone_cli.cli.places import keep_apart

    # The votes must be on every turn; early stopping leaves them as an audit would cast them.
    whole = {"all_votes": False, "until_block": False}
    settings = options.settings({**locals(), **whole, "output": None})
    keep_apart(settings, config, paths, outputs=output or ())
    raise typer.Exit(_run(paths, settings, max_missed, output or []))


def _run(
    paths: "Sequence[str]", settings: "Settings", max_missed: float | None, outputs: "Sequence[str]"
) -> int:
    from chaperone_cli.cli import console, exit_codes
    from chaperone_cli.cli.calibrating import calibrate, writer
    from chaperone_cli.cli.places import place
    from chaperone_cli.reports.terminal.calibration import render_calibration

    writers = [writer(path) for path in outputs]
    found = calibrate(paths, settings)
    if found.error is not None:
        raise found.error
    most = max_missed or 0.0
    render_calibration(console.result(), found.calibration, found.header, most)
    for path, write in zip(outputs, writers, strict=True):
        write(found, most)
        console.note(f"wrote {place(path, found.summary.ending)}")
    displaced = found.calibration.share_displaced(found.calibration.in_force)
    met = max_missed is None or displaced <= max_missed
    return exit_codes.of_measurement(found.summary, met=met)
