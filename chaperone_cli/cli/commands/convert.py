"""`chaperone convert`: any known export as a canonical log."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chaperone_cli.config import Settings

Output = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="The canonical log to write; - for standard output.",
        show_default=False,
        rich_help_panel=options.OUTPUT,
    ),
]


def convert(
    paths: options.Paths,
    output: Output,
    format: options.Format = None,
    branches: options.BranchesOption = None,
    where: options.Where = None,
    since: options.Since = None,
    until: options.Until = None,
    limit: options.Limit = None,
    sample: options.Sample = None,
    seed: options.Seed = None,
    config: options.Config = None,
) -> None:
    """Write logs of any known format as one canonical log, which converts to itself again.

    Ids, times, labels and what the export says of each conversation are kept; blank turns are not.
    """
    from chaperone_cli.cli.places import keep_apart

    settings = options.settings({**locals(), "output": None})
    keep_apart(settings, config, paths, outputs=[output])
    raise typer.Exit(_run(paths, settings, output))


def _run(paths: "Sequence[str]", settings: "Settings", output: Path) -> int:
    from chaperone_cli.cli.converting import Conversion, writer
    from chaperone_cli.cli.exit_codes import ExitCode

    conversion = Conversion(paths, settings)
    with suppress(BrokenPipeError):  # nobody reads on, and so nobody wants to know
        with writer(output) as write:
            conversion.run(write)
        conversion.sum_up(output)
    return ExitCode.UNREAD if conversion.errors else ExitCode.OK
