"""What is wrong with what an audit would need, before money or time is spent on one."""

import asyncio

from chaperone_cli.auditing import build
from chaperone_cli.config import Settings
from chaperone_cli.errors import ChaperoneError, UsageError
from chaperone_cli.evaluators.claude.checks import Check, Status
from chaperone_cli.evaluators.claude.preflight import needs, preflight
from chaperone_cli.evaluators.local.evaluator import LocalEvaluator
from chaperone_cli.store import VoteStore


def chosen_by(settings: Settings) -> str:
    """Names the evaluator that is asked about; whoever names a server or a model means claude."""
    means_claude = settings.base_url is not None or settings.model != Settings.model
    if settings.evaluator == Settings.evaluator and means_claude:
        return "claude"
    return settings.evaluator


def checkup(settings: Settings, chosen: str, *, spend: bool) -> dict[str, list[Check]]:
    """Return what was looked at, by the evaluator that needs it; raises UsageError.

    Only if `chosen` is claude is its server asked, for a fraction of a cent with `spend`.
    """
    if chosen not in build.EVALUATORS:
        raise UsageError(
            f"unknown evaluator {chosen[:40]!r}", hint=f"use {', '.join(build.EVALUATORS)}"
        )
    options = build.claude_options(settings)
    asked = preflight(options, spend=spend) if chosen == "claude" else needs(options)
    return {
        "local": [_local()],
        "claude": [_store(settings), *asyncio.run(asked)],
    }


def _local() -> Check:
    try:
        remarks = LocalEvaluator().remarks
    except ChaperoneError as exc:
        return Check.failed("local", exc)
    if remarks:
        return Check("local", Status.WARNING, "; ".join(remarks))
    return Check("local", Status.OK, "the local evaluator can work, with no key and no network")


def _store(settings: Settings) -> Check:
    path = settings.store or build.usual_store()
    try:
        VoteStore(path).close()
    except ChaperoneError as exc:
        return Check.failed("store", exc)
    return Check("store", Status.OK, f"{path} can be written")
