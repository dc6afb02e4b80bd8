"""Says what an audit by the claude evaluator would take, before it takes anything."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from chaperone_cli.cli import wiring
from chaperone_cli.cli.selecting import log_reader, selection
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.cost import Spend
from chaperone_cli.domain.estimate import Estimate, Way
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.engine.dry_run import DryRun
from chaperone_cli.engine.screening import Screener
from chaperone_cli.evaluators.claude.endpoint import Endpoint
from chaperone_cli.evaluators.claude.sizing import Sizing
from chaperone_cli.evaluators.local.evaluator import LocalEvaluator
from chaperone_cli.reports.text import plural
from chaperone_cli.store import VoteStore

if TYPE_CHECKING:
    from rich.console import Console

_WAYS = {
    Way.PAPER: "the paper's way",
    Way.EARLY: "early stopping",
    Way.CACHED: "early stopping, cached",
    Way.BATCHED: "early stopping, batches",
    Way.THIS_RUN: "this run",
}


def forecast(paths: Sequence[str], settings: Settings) -> DryRun:
    """Goes through the logs at `paths` as an audit would, without any call."""
    evaluator = wiring.evaluator(settings)
    screen = wiring.screen(settings)
    protocol = wiring.protocol(settings, screen)
    options = wiring.claude_options(settings)
    sizing = Sizing.of(
        protocol.rubric, settings.model, Endpoint.at(settings.base_url), batch=settings.batch
    )
    estimate = Estimate(sizing.shape, settings.votes, options.price)
    run = DryRun(
        protocol,
        evaluator,
        LocalEvaluator(),
        sizing.prefixes,
        estimate,
        _store(settings),
        Screener(protocol.screening, screen),
    )
    items = selection(settings).over(log_reader(paths, settings), LeftOut())
    asyncio.run(_conduct(run, items))
    return run


async def _conduct(run: DryRun, items: Iterable[Conversation | Problem]) -> None:
    try:
        await run.run(items)
    finally:
        await run.evaluator.close()
        if run.store is not None:
            run.store.close()


def _store(settings: Settings) -> VoteStore | None:
    """Opens the store if there is one; a dry run makes none."""
    path = settings.store or wiring.usual_store()
    if settings.no_store or not path.exists():
        return None
    return VoteStore(path, keep_abstentions=settings.keep_abstentions or settings.detach)


def show(run: DryRun, settings: Settings, console: "Console") -> None:
    """Prints the forecast as a table, with what it rests on."""
    from rich.table import Table

    estimate = run.estimate
    console.print(
        f"{plural(estimate.conversations, 'conversation')}, "
        f"{plural(estimate.turns, 'turn')} to vote on, "
        f"N = {estimate.passes}, {settings.model}",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False)
    for name in ("", "calls", "input tokens", "cached", "output", "US dollars"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for way, spend in estimate.ways.items():
        table.add_row(_WAYS[way], *_row(spend))
    console.print(table)
    for line in _notes(run, settings):
        console.print(line, highlight=False, soft_wrap=True)


def _row(spend: Spend) -> tuple[str, ...]:
    return (
        f"{spend.calls:,}",
        f"{spend.tokens.prompt:,}",
        f"{spend.tokens.read:,}",
        f"{spend.tokens.output:,}",
        "not known" if spend.dollars is None else f"{spend.dollars:,.4f}",
    )


def _notes(run: DryRun, settings: Settings) -> list[str]:
    from chaperone_cli.codec import prices

    notes = [
        "Votes are foretold by the local evaluator; tokens are estimated from the text, give or "
        "take a quarter."
    ]
    if run.estimate.price is not None:
        as_of = prices.load(settings.prices).as_of
        notes.append(f"Prices as of {as_of}; votes already cast cost nothing in this run.")
    else:
        notes.append(f"The price of {settings.model} is not known: state it with --prices.")
    if run.protocol.screening is not None:
        notes.append(
            f"The screen ({run.protocol.screening}) keeps "
            f"{plural(run.screened_out, 'further turn')} from the vote, which count in no row here."
        )
    if settings.explain:
        notes.append("Explanations take one more call for each conversation that blocks.")
    if run.problems:
        problems = plural(run.problems, "problem")
        notes.append(f"Left out: {problems} of the log; see chaperone validate.")
    return notes
