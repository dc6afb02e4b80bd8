"""Shows a calibration: what a screen keeps from the vote at each level, and what it misses."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chaperone_cli.domain.metrics.calibration import Calibration, LevelFigures
from chaperone_cli.domain.metrics.proportion import Proportion
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.reports.terminal.screen import Screen
from chaperone_cli.reports.terminal.totals import put_header
from chaperone_cli.reports.text import percent, plural

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_STEP = 0.5
"""Log odds between the levels of the table; the file of figures has finer ones."""
_NAMED = 10


def render_calibration(
    console: "Console", calibration: Calibration, header: RunHeader, most: float
) -> None:
    """Prints `calibration`; at most the share `most` of first blocks may be missed or delayed."""
    screen = Screen(console)
    put_header(screen, header)
    screen.put()
    if not calibration.all.turns:
        screen.put("No turn was voted on, so that there is nothing to measure.", style="bold")
        return
    _put_basis(screen, calibration)
    console.print(_levels(calibration, header.protocol.passes, most))
    for line in _LEGEND:
        screen.put(line, style="dim")
    if any(one.label is not None for one in calibration.labels):
        screen.put()
        screen.put(f"At level {calibration.in_force.level:g}, by label", style="bold")
        console.print(_labels(screen, calibration))
    screen.put()
    for said in _conclusions(screen, calibration, most):
        screen.put(said)


_IN_FORCE, _SUGGESTED = "*", "<"
_LEGEND = (
    f"{_IN_FORCE} in force   {_SUGGESTED} suggested   voted on: share of turns   saved: N votes a "
    "turn not voted on",
    "as cast: those that early stopping would have cast   blocks lost: turns that block, not voted "
    "on",
    "missed, delayed: conversations that never block, or later by so many turns",
)


def _put_basis(screen: Screen, calibration: Calibration) -> None:
    counts = calibration.all
    screen.put(
        f"{plural(counts.conversations, 'conversation')} with {plural(counts.turns, 'turn')} and "
        f"{plural(counts.votes, 'vote')} cast; the votes block {plural(counts.blocking, 'turn')} "
        f"in {plural(calibration.blocked, 'conversation')}"
    )
    screen.put()


def shown(calibration: Calibration, most: float) -> list[LevelFigures]:
    """The levels to show: every half from where something changes to where nothing does."""
    marked = {calibration.in_force.level}
    if (suggested := calibration.suggested(most)) is not None:
        marked.add(suggested.level)
    coarse = [one for one in calibration.levels if one.level % _STEP == 0]
    kept = [one.screened_out.turns for one in coarse]
    first = max((n for n, turns in enumerate(kept) if not turns), default=0)
    last = min((n for n, turns in enumerate(kept) if turns == kept[-1]), default=len(kept))
    between = {one.level for one in coarse[first : last + 1]}
    return [one for one in calibration.levels if one.level in between | marked]


def _table(*columns: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left", no_wrap=True)
    return table


def _levels(calibration: Calibration, passes: int, most: float) -> "Table":
    table = _table(
        *("level", "voted on", "saved", "as cast"),
        *("blocks lost", "missed", "delayed", "later"),
    )
    suggested = calibration.suggested(most)
    for one in shown(calibration, most):
        marks = _IN_FORCE * (one is calibration.in_force) + _SUGGESTED * (one is suggested)
        table.add_row(f"{one.level:g} {marks}".rstrip(), *_row(calibration, one, passes))
    return table


def _row(calibration: Calibration, one: LevelFigures, passes: int) -> Sequence[str]:
    every, out = calibration.all, one.screened_out
    later = [value for value, _ in one.delays.counts if value]
    return (
        percent(every.turns - out.turns, every.turns),
        f"{passes * out.turns:,}",
        f"{out.votes:,}",
        f"{out.blocking:,}",
        f"{one.missed:,}",
        f"{one.delayed:,}",
        f"{later[0]} to {later[-1]}" if len(later) > 1 else str(later[0]) if later else "",
    )


def _labels(screen: Screen, calibration: Calibration) -> "Table":
    table = _table(
        *("label", "all", "no vote", "voted on"),
        *("blocked", "missed", "delayed"),
    )
    for one in calibration.labels:
        out = one.figures.screened_out
        table.add_row(
            "(none)" if one.label is None else screen.plain(one.label),
            f"{one.all.conversations:,}",
            f"{out.conversations:,}",
            percent(one.all.turns - out.turns, one.all.turns),
            f"{one.blocked:,}",
            f"{one.figures.missed:,}",
            f"{one.figures.delayed:,}",
        )
    return table


def _interval(calibration: Calibration) -> str:
    """Says how many a log of another draw might displace, since one without any proves little."""
    found = Proportion(calibration.in_force.displaced, calibration.blocked).interval
    if found is None:
        return ""
    return f" (both: 95 % interval {100 * found.low:.0f} to {100 * found.high:.0f} %)"


def _conclusions(screen: Screen, calibration: Calibration, most: float) -> Iterator[str]:
    in_force, suggested = calibration.in_force, calibration.suggested(most)
    for one in calibration.displaced[:_NAMED]:
        moved = "missed" if one.screened is None else f"first seen at turn {one.screened}"
        yield f"  {screen.plain(one.conversation)}: blocked at turn {one.first_block}, {moved}"
    if (more := in_force.displaced - len(calibration.displaced[:_NAMED])) > 0:
        yield f"  and {more:,} more: -o figures.json names them"
    yield (
        f"level {in_force.level:g} misses {in_force.missed:,} of "
        f"{plural(calibration.blocked, 'first block')} and delays {in_force.delayed:,}"
        f"{_interval(calibration)}"
    )
    allowed = "none" if not most else f"at most {most:.3g} of them"
    if not calibration.blocked:
        yield "no level can be suggested: the votes block nothing that could be missed"
    elif suggested is None:
        yield f"no level misses or delays {allowed}"
    else:
        yield f"suggested: --screen-level {suggested.level:g}, the highest to displace {allowed}"
