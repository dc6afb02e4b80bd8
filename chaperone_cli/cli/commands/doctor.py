"""`chaperone doctor`: what is wrong before money or time is spent."""

from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from chaperone_cli.config import Settings
    from chaperone_cli.evaluators.claude.checks import Check


def doctor(
    config: options.Config = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prices: options.Prices = None,
    store: options.Store = None,
    spend: Annotated[
        bool,
        typer.Option(
            "--spend",
            help="Ask the model one question about a made-up line, for a fraction of a cent.",
            show_default=False,
        ),
    ] = False,
) -> None:
    """Check what an audit by the claude evaluator needs; free, but for --spend; 1 if it fails."""
    settings = options.settings(locals())
    raise typer.Exit(_run(settings, spend=spend))


def _run(settings: "Settings", *, spend: bool) -> int:
    import asyncio

    from chaperone_cli.cli import console, wiring
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.evaluators.claude.checks import Status
    from chaperone_cli.evaluators.claude.preflight import preflight
    from chaperone_cli.reporters.sanitise import plain

    checks = [
        _store(settings),
        *asyncio.run(preflight(wiring.claude_options(settings), spend=spend)),
    ]
    out = console.result()
    for check in checks:
        line = f"{check.status:7}  {check.name:7}  {check.message}"
        out.print(plain(line), markup=False, soft_wrap=True)
        if check.hint:
            out.print(plain(f"{'':18}{check.hint}"), markup=False, soft_wrap=True)
    failed = any(check.status is Status.FAILED for check in checks)
    return ExitCode.FAILED if failed else ExitCode.OK


def _store(settings: "Settings") -> "Check":
    from chaperone_cli.cli import wiring
    from chaperone_cli.errors import ChaperoneError
    from chaperone_cli.evaluators.claude.checks import Check, Status
    from chaperone_cli.store import VoteStore

    path = settings.store or wiring.usual_store()
    try:
        VoteStore(path).close()
    except ChaperoneError as exc:
        return Check.failed("store", exc)
    return Check("store", Status.OK, f"{path} can be written")
