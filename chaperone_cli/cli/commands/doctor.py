"""`chaperone doctor`: what is wrong before money or time is spent."""

from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chaperone_cli.config import Settings
    from chaperone_cli.evaluators.claude.checks import Check


def doctor(
    config: options.Config = None,
    evaluator: options.Evaluator = None,
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
    """Check what an audit needs: 0 if the chosen evaluator can work. Free, but for --spend.

    Of the others it says what is missing. A server is only asked for the claude evaluator:
    --evaluator claude, --base-url, --model or --spend chooses it. Exits with 2 for what you can
    mend, with 1 for what else fails.
    """
    from chaperone_cli.cli.places import keep_apart

    settings = options.settings(locals())
    keep_apart(settings, config)
    raise typer.Exit(_run(settings, spend=spend))


def _run(settings: "Settings", *, spend: bool) -> int:
    from chaperone_cli.cli import console
    from chaperone_cli.evaluators.claude.checks import Status
    from chaperone_cli.reports.text import plain

    chosen = "claude" if spend else _chosen(settings)
    out = console.result()
    failed: list[Check] = []
    for name, checks in _checks(settings, chosen, spend=spend).items():
        for check in checks:
            needed = name in ("", chosen)
            missing = check.status is Status.FAILED and not needed
            status = "missing" if missing else check.status
            only = f"; only --evaluator {name} needs it" if missing else ""
            out.print(
                plain(f"{status:7}  {check.name:7}  {check.message}{only}"),
                markup=False,
                soft_wrap=True,
            )
            if check.hint:
                out.print(plain(f"{'':18}{check.hint}"), markup=False, soft_wrap=True)
            if check.status is Status.FAILED and needed:
                failed.append(check)
    return _exit_code(failed)


def _exit_code(failed: "Sequence[Check]") -> int:
    from chaperone_cli.cli.exit_codes import ExitCode

    if not failed:
        return ExitCode.OK
    return ExitCode.USAGE if all(check.mendable for check in failed) else ExitCode.FAILED


def _chosen(settings: "Settings") -> str:
    """Names the evaluator that is asked about; whoever names a server or a model means claude."""
    from chaperone_cli.config import Settings

    means_claude = settings.base_url is not None or settings.model != Settings.model
    if settings.evaluator == Settings.evaluator and means_claude:
        return "claude"
    return settings.evaluator


def _checks(settings: "Settings", chosen: str, *, spend: bool) -> "dict[str, list[Check]]":
    """Gives what was looked at, by the evaluator that needs it."""
    import asyncio

    from chaperone_cli.cli import wiring
    from chaperone_cli.errors import UsageError
    from chaperone_cli.evaluators.claude.preflight import needs, preflight

    if chosen not in wiring.EVALUATORS:
        raise UsageError(
            f"unknown evaluator {chosen[:40]!r}", hint=f"use {', '.join(wiring.EVALUATORS)}"
        )
    options = wiring.claude_options(settings)
    asked = preflight(options, spend=spend) if chosen == "claude" else needs(options)
    return {
        "local": [_local()],
        "claude": [_store(settings), *asyncio.run(asked)],
    }


def _local() -> "Check":
    from chaperone_cli.errors import ChaperoneError
    from chaperone_cli.evaluators.claude.checks import Check, Status
    from chaperone_cli.evaluators.local.evaluator import LocalEvaluator

    try:
        remarks = LocalEvaluator().remarks
    except ChaperoneError as exc:
        return Check.failed("local", exc)
    if remarks:
        return Check("local", Status.WARNING, "; ".join(remarks))
    return Check("local", Status.OK, "the local evaluator can work, with no key and no network")


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
