"""The entry point: the commands, and the one place where errors become messages and exit codes."""

import os
import sys
from typing import Annotated

import typer

from chaperone_cli import __version__
from chaperone_cli.cli.commands.audit import audit
from chaperone_cli.cli.commands.calibrate import calibrate
from chaperone_cli.cli.commands.convert import convert
from chaperone_cli.cli.commands.diff import diff
from chaperone_cli.cli.commands.doctor import doctor
from chaperone_cli.cli.commands.evaluate import evaluate
from chaperone_cli.cli.commands.rephrase import rephrase
from chaperone_cli.cli.commands.report import report
from chaperone_cli.cli.commands.rubrics import rubrics
from chaperone_cli.cli.commands.show import show
from chaperone_cli.cli.commands.validate import validate
from chaperone_cli.cli.commands.verify import verify
from chaperone_cli.cli.interrupt import Stopped, stopping
from chaperone_cli.errors import ChaperoneError, OutputError

EPILOG = (
    "Every option of audit can also be set as a variable (--fail-on as CHAPERONE_FAIL_ON) and as a "
    "key in chaperone.toml or the table tool.chaperone of pyproject.toml (fail-on).\n\n"
    "Exit codes: 0 nothing blocked, 1 chaperone failed, 2 usage, 3 some input could not be read, "
    "10 a turn was blocked, 11 a turn stayed undecided, 12 a criterion was not met, 13 the budget "
    "ran out, 130 interrupted."
)

app = typer.Typer(
    name="chaperone",
    help="Audits exported chat logs for parasocial relationships between user and chatbot.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    # Local variables hold private conversations.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    audit,
    evaluate,
    calibrate,
    show,
    rephrase,
    report,
    diff,
    verify,
    convert,
    validate,
    rubrics,
    doctor,
):
    app.command(epilog=EPILOG)(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"chaperone {__version__}")
        raise typer.Exit


@app.callback()
def _chaperone(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the command line and exits."""
    try:
        with stopping():
            _run()
    except Stopped:
        from chaperone_cli.cli.console import note

        note("interrupted: what was not finished was not written, and is as it was before")
        sys.exit(130)
    except ChaperoneError as error:
        _end_with(error)
    except Exception as exc:
        if os.environ.get("CHAPERONE_DEBUG"):
            raise
        # The message of a foreign error may quote a log, so that only its kind is shown.
        from chaperone_cli.cli.console import note

        note(f"error: chaperone failed unexpectedly ({type(exc).__name__}); this is a bug")
        note("  hint: set CHAPERONE_DEBUG=1 to see where, and report it")
        sys.exit(1)


def _run() -> None:
    from chaperone_cli.cli.console import flush

    try:
        app()
    except OSError as exc:
        # Files have errors of their own; what is left is a stream that help is printed to.
        raise OutputError(
            f"reading or writing failed: {exc.strerror or type(exc).__name__}",
            hint="make room, or look at the disk",
        ) from exc
    finally:
        flush()


def _end_with(error: ChaperoneError) -> None:
    from chaperone_cli.cli.console import complain
    from chaperone_cli.cli.exit_codes import of_error

    if os.environ.get("CHAPERONE_DEBUG"):
        raise error
    complain(error)
    sys.exit(of_error(error))
