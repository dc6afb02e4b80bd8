"""`chaperone doctor`: what is wrong before money or time is spent."""

from pathlib import Path
from typing import Annotated

from chaperone_cli.cli import options
from chaperone_cli.config import Settings


@options.takes("config", "evaluator", "model", "base_url", "prices", "store")
def doctor(
    settings: Settings,
    config: Path | None,
    spend: Annotated[
        bool,
        options.own(
            "Ask the model one question about a made-up line, for a fraction of a cent.", "--spend"
        ),
    ] = False,
) -> int:
    """Check what an audit needs: 0 if the chosen evaluator can work. Free, but for --spend.

    Of the others it says what is missing. A server is only asked for the claude evaluator:
    --evaluator claude, --base-url, --model or --spend chooses it. Exits with 2 for what you can
    mend, with 1 for what else fails.
    """
    from chaperone_cli.auditing.checkup import checkup, chosen_by
    from chaperone_cli.cli import console
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.cli.places import keep_apart
    from chaperone_cli.evaluators.claude.checks import Status
    from chaperone_cli.reports.text import plain

    keep_apart(settings, config)
    chosen = "claude" if spend else chosen_by(settings)
    out = console.result()
    failed = []
    for name, checks in checkup(settings, chosen, spend=spend).items():
        for check in checks:
            needed = name in ("", chosen)
            missing = check.status is Status.FAILED and not needed
            status = "missing" if missing else check.status
            only = f"; only --evaluator {name} needs it" if missing else ""
            line = plain(f"{status:7}  {check.name:7}  {check.message}{only}")
            out.print(line, markup=False, soft_wrap=True)
            if check.hint:
                out.print(plain(f"{'':18}{check.hint}"), markup=False, soft_wrap=True)
            if check.status is Status.FAILED and needed:
                failed.append(check)
    if not failed:
        return ExitCode.OK
    return ExitCode.USAGE if all(check.mendable for check in failed) else ExitCode.FAILED
