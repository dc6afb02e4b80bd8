"""`chaperone convert`: any known export as a canonical log."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from chaperone_cli.cli import options
from chaperone_cli.config import Settings

if TYPE_CHECKING:
    from chaperone_cli.auditing.logs import Converted

Output = Annotated[
    Path,
    options.own(
        "The canonical log to write; - for standard output.",
        *("-o", "--output"),
        panel=options.OUTPUT,
        metavar="FILE",
    ),
]


@options.takes(*options.SELECTION, "config")
def convert(paths: options.Paths, output: Output, settings: Settings, config: Path | None) -> int:
    """Write logs of any known format as one canonical log, which converts to itself again.

    Ids, times, labels and what the export says of each conversation are kept; blank turns are not.
    """
    from chaperone_cli.auditing.logs import Converted, convert
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.cli.host import Terminal
    from chaperone_cli.cli.places import keep_apart

    keep_apart(settings, config, paths, outputs=[output])
    done = Converted()
    with suppress(BrokenPipeError):  # nobody reads on, and so nobody wants to know
        with _writer(output) as write:
            convert(paths, settings, write, Terminal(), done)
        _sum_up(done, output)
    return ExitCode.UNREAD if done.errors else ExitCode.OK


@contextmanager
def _writer(output: Path) -> Iterator[Callable[[bytes], None]]:
    """Yields what writes to `output`, which is complete or as it was before."""
    from chaperone_cli.cli import console
    from chaperone_cli.reports.files import written

    if str(output) == "-":
        yield console.put
        return
    with written(output) as target:
        yield target.write


def _sum_up(done: "Converted", output: Path) -> None:
    from chaperone_cli.cli.console import note
    from chaperone_cli.cli.host import tell_left_out
    from chaperone_cli.reports.text import plural

    place = "standard output" if str(output) == "-" else str(output)
    conversations, turns = plural(done.conversations, "conversation"), plural(done.turns, "turn")
    note(f"wrote {conversations} with {turns} to {place}")
    if done.blank_turns:
        note(f"  {plural(done.blank_turns, 'blank turn')} skipped")
    if done.placeholders:
        parts = plural(done.placeholders, "placeholder")
        note(f"  {parts} written for parts that are not text")
    tell_left_out(done.left_out)
