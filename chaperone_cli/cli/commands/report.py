"""`chaperone report`: a saved run again, in any format."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from chaperone_cli.config import Settings

Saved = Annotated[
    Path,
    typer.Argument(
        metavar="SAVED",
        help="A .json (report.v1) or .jsonl (verdict.v1) report.",
        show_default=False,
    ),
]


def report(
    saved: Saved,
    config: options.Config = None,
    output: options.Output = None,
    quote: options.Quote = None,
    rows: options.Rows = None,
    hash_ids: options.HashIds = None,
    hash_key_file: options.HashKeyFile = None,
) -> None:
    """Render a saved report again, on the terminal and in any format, without judging anything.

    Quotes that were saved are shown with --quote only.
    """
    from chaperone_cli.cli.places import keep_apart

    settings = options.settings({**locals(), "output": None})
    keep_apart(settings, config, outputs=output or (), also_read=[saved])
    _run(saved, settings, output or [])


def _run(path: Path, settings: "Settings", outputs: list[str]) -> None:
    from chaperone_cli import reports
    from chaperone_cli.cli import console, hashing
    from chaperone_cli.cli.places import place
    from chaperone_cli.cli.rendering import UNKNOWN, header_of, render
    from chaperone_cli.cli.saved import open_run
    from chaperone_cli.domain.run import Ending
    from chaperone_cli.reports.terminal.run import TerminalReporter

    run = open_run(path)
    header = header_of(run, settings)
    if header.evaluator == UNKNOWN:
        console.note(
            f"note: {path} holds verdicts only: evaluator and rubric are not known, and the rule "
            "is worked out from the votes"
        )
    shown = TerminalReporter(console.result(), settings.rows, settings.quote)
    files = [reports.for_path(output) for output in outputs]
    render(
        run,
        header,
        [shown, *files],
        hashing.names(settings, hashing.key(settings)),
        quote=settings.quote,
    )
    ending = run.summary.ending if run.summary else Ending.COMPLETE
    for output in outputs:
        console.note(f"wrote {place(output, ending)}")
