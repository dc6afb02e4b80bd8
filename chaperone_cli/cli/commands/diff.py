"""`chaperone diff`: what changed between two runs."""

from pathlib import Path
from typing import Annotated

import typer

from chaperone_cli.cli import options
from chaperone_cli.config import Settings

_HELP = "A .json (report.v1) or .jsonl (verdict.v1) report of the {} run."
Old = Annotated[
    Path, typer.Argument(metavar="OLD", help=_HELP.format("earlier"), show_default=False)
]
New = Annotated[Path, typer.Argument(metavar="NEW", help=_HELP.format("later"), show_default=False)]
Output = Annotated[
    list[str] | None,
    options.own(
        "Write what changed: .json (comparison.v1) or .md. Repeatable.",
        *("-o", "--output"),
        panel=options.OUTPUT,
        metavar="FILE",
    ),
]


@options.takes("config", "*", "rows")
def diff(old: Old, new: New, settings: Settings, config: Path | None, output: Output = None) -> int:
    """Say what changed between two runs; exit with 10 if a conversation is newly blocked.

    Each conversation that is new, gone, newly or no longer blocked, blocked earlier, later or on
    the other side is listed, and whether the log or the evaluator changed beneath it.
    """
    from chaperone_cli.auditing.saved import open_run
    from chaperone_cli.cli import console
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.cli.host import Terminal
    from chaperone_cli.cli.places import keep_apart
    from chaperone_cli.domain.comparison import Change
    from chaperone_cli.measuring.comparison import Earlier, compare_saved, notes
    from chaperone_cli.reports import comparison as reports
    from chaperone_cli.reports.comparison import TerminalComparison

    outputs, host = output or [], Terminal()
    keep_apart(settings, config, outputs=outputs, also_read=[old, new])
    files = [reports.for_path(path) for path in outputs]
    earlier, later = Earlier(old, host), open_run(new)
    shown = TerminalComparison(console.result(), settings.rows)
    comparison = compare_saved(earlier, later, [shown, *files], host)
    shown.show()
    for note in notes(earlier, comparison):
        console.note(f"note: {note}")
    for path in outputs:
        console.note(f"wrote {path}")
    return ExitCode.BLOCKED if comparison.changes[Change.NEWLY_BLOCKED] else ExitCode.OK
