"""`chaperone report`: a saved run again, in any format."""

from pathlib import Path
from typing import Annotated

import typer

from chaperone_cli.cli import options
from chaperone_cli.config import Settings

Saved = Annotated[
    Path,
    typer.Argument(
        metavar="SAVED",
        help="A .json (report.v1) or .jsonl (verdict.v1) report.",
        show_default=False,
    ),
]


Output = Annotated[list[str] | None, options.declared("output")]


@options.takes("config", "*", "quote", "rows", "hash_ids", "hash_key_file")
def report(saved: Saved, settings: Settings, config: Path | None, output: Output = None) -> int:
    """Render a saved report again, on the terminal and in any format, without judging anything.

    Quotes that were saved are shown with --quote only.
    """
    from chaperone_cli import reports
    from chaperone_cli.auditing import build
    from chaperone_cli.auditing.saved import UNKNOWN, header_of, open_run, render
    from chaperone_cli.cli import console
    from chaperone_cli.cli.host import Terminal
    from chaperone_cli.cli.places import keep_apart, place
    from chaperone_cli.domain.run import Ending
    from chaperone_cli.reports.terminal.run import TerminalReporter

    outputs = output or []
    keep_apart(settings, config, outputs=outputs, also_read=[saved])
    run = open_run(saved)
    header = header_of(run, settings)
    if header.evaluator == UNKNOWN:
        console.note(
            f"note: {saved} holds verdicts only: evaluator and rubric are not known, and the rule "
            "is worked out from the votes"
        )
    shown = TerminalReporter(console.result(), settings.rows, settings.quote)
    files = [reports.for_path(path) for path in outputs]
    names = build.names(settings, build.hash_key(settings))
    render(run, header, [shown, *files], names, quote=settings.quote, host=Terminal())
    ending = run.summary.ending if run.summary else Ending.COMPLETE
    for path in outputs:
        console.note(f"wrote {place(path, ending)}")
    return 0
