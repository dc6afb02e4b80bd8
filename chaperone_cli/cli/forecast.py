"""Prints what an audit by the claude evaluator would take, before it takes anything."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chaperone_cli.auditing.dry_run import DryRun, foretell
from chaperone_cli.cli.console import result
from chaperone_cli.cli.exit_codes import ExitCode
from chaperone_cli.config import Settings
from chaperone_cli.domain.cost import Spend
from chaperone_cli.domain.estimate import HITS, HITS_AT_BEST, HITS_AT_WORST, Estimate, Way
from chaperone_cli.reports.text import plural

if TYPE_CHECKING:
    from rich.console import Console

_WAYS = {
    Way.PAPER: "the paper's way",
    Way.EARLY: "early stopping",
    Way.CACHED: "early stopping, cached",
    Way.BATCHED: "early stopping, batches",
    Way.THIS_RUN: "this run",
}


def show(paths: Sequence[str], settings: Settings) -> int:
    """Prints the forecast as a table, with what it rests on, and returns the exit code."""
    foretold = foretell(paths, settings)
    _print(foretold, settings, result())
    return ExitCode.UNREAD if foretold.problems else ExitCode.OK


def _print(run: DryRun, settings: Settings, console: "Console") -> None:
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


def _both_ways(estimate: Estimate) -> list[str]:
    """Says what the log costs one by one and in batches, and which of them is cheaper."""
    alone, together = estimate.ways[Way.CACHED].dollars, estimate.ways[Way.BATCHED].dollars
    if not alone or not together:
        return []
    lines = [
        f"{name}: {_dollars(estimate.ways[way])}; {_dollars(estimate.least[way])} where every turn "
        f"is settled by the fewest votes{best}, {_dollars(estimate.most[way])} where all votes are "
        f"cast{worst}."
        for name, way, best, worst in (
            ("One by one", Way.CACHED, "", ""),
            (
                *("In batches", Way.BATCHED),
                f" and {HITS_AT_BEST:.0%} of requests find what is cached",
                f" and {HITS_AT_WORST:.0%} do (expected: {HITS:.0%})",
            ),
        )
    ]
    if together > alone:
        return [*lines, f"--batch would make it {together / alone:.1f} times dearer."]
    return [*lines, f"--batch would save {1 - together / alone:.0%}, and take hours."]


def _dollars(spend: Spend) -> str:
    return f"${spend.dollars:,.4f}"


def _notes(run: DryRun, settings: Settings) -> list[str]:
    from chaperone_cli.codec import prices

    notes = [
        "Votes are foretold by the local evaluator; tokens are estimated from the text, give or "
        "take a quarter."
    ]
    notes += _both_ways(run.estimate)
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
