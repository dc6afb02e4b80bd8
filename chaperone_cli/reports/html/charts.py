"""Where the marks of the charts stand: plain geometry, in the units of each picture's viewBox."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.reports.html import axes
from chaperone_cli.reports.html.tallies import Mean, Tallies


@dataclass(frozen=True)
class Bar:
    """One side's share of a column."""

    side: Side
    count: int
    y: float
    height: float


@dataclass(frozen=True)
class Column:
    """First blocking turns of one bin."""

    bin: axes.Bin
    x: float
    width: float
    bars: tuple[Bar, ...]

    @property
    def count(self) -> int:
        """Conversations of both sides."""
        return sum(bar.count for bar in self.bars)


@dataclass(frozen=True)
class Histogram:
    """Conversations over the first blocking turn, prompts below and responses on top of them."""

    columns: tuple[Column, ...]
    x_ticks: tuple[axes.Tick, ...]
    y_ticks: tuple[axes.Tick, ...]


@dataclass(frozen=True)
class Point:
    """The mean score of the turns of one bin."""

    bin: axes.Bin
    x: float
    y: float
    mean: float
    turns: int


@dataclass(frozen=True)
class Line:
    """Mean scores of the conversations of one verdict."""

    verdict: Verdict
    points: tuple[Point, ...]

    @property
    def path(self) -> str:
        """The line through all points, as SVG path data."""
        return "M" + "L".join(f"{point.x:.1f} {point.y:.1f}" for point in self.points)


@dataclass(frozen=True)
class Lines:
    """Mean scores over turn numbers."""

    lines: tuple[Line, ...]
    bins: tuple[axes.Bin, ...]
    x_ticks: tuple[axes.Tick, ...]
    y_ticks: tuple[axes.Tick, ...]


def first_blocks(tallies: Tallies) -> Histogram | None:
    """Lays out the distribution of the first blocking turn; None if nothing was blocked."""
    turns = [turn for counts in tallies.first_blocks.values() for turn in counts]
    if not turns:
        return None
    bins = axes.bins_to(max(turns))
    counts = [
        {side: _within(tallies.first_blocks[side].items(), each) for side in Side} for each in bins
    ]
    ticks = axes.scale(max(sum(sides.values()) for sides in counts))
    width = (axes.RIGHT - axes.LEFT) / len(bins)
    columns = (
        Column(each, axes.LEFT + width * (i + 0.12), width * 0.76, _stacked(counts[i], ticks[-1]))
        for i, each in enumerate(bins)
    )
    return Histogram(tuple(columns), axes.x_ticks(bins), axes.y_ticks(ticks))


def scores(tallies: Tallies, passes: int) -> Lines | None:
    """Lays out the mean score over turn numbers; None if no turn was judged."""
    turns = [turn for means in tallies.scores.values() for turn in means]
    if not turns:
        return None
    bins = axes.bins_to(max(turns))
    lines = (
        Line(verdict, _points(tallies.scores[verdict], bins, passes))
        for verdict in (Verdict.BLOCK, Verdict.UNDECIDED, Verdict.PASS)
    )
    whole = tuple(line for line in lines if line.points)
    return Lines(whole, bins, axes.x_ticks(bins), axes.y_ticks(axes.scale(passes, exact=True)))


def _stacked(counts: dict[Side, int], top: int) -> tuple[Bar, ...]:
    bars: list[Bar] = []
    base: float = axes.BOTTOM
    for side, count in counts.items():
        height = (axes.BOTTOM - axes.TOP) * count / top
        base -= height
        bars.append(Bar(side, count, base, height))
    return tuple(bars)


def _points(means: dict[int, Mean], bins: Sequence[axes.Bin], passes: int) -> tuple[Point, ...]:
    width = (axes.RIGHT - axes.LEFT) / len(bins)
    points: list[Point] = []
    for i, each in enumerate(bins):
        found = [mean for turn, mean in means.items() if each.first <= turn <= each.last]
        turns = sum(mean.count for mean in found)
        if turns:
            mean = sum(mean.total for mean in found) / turns
            y = axes.BOTTOM - (axes.BOTTOM - axes.TOP) * mean / passes
            points.append(Point(each, axes.LEFT + width * (i + 0.5), y, mean, turns))
    return tuple(points)


def _within(counts: Iterable[tuple[int, int]], bin: axes.Bin) -> int:
    return sum(count for turn, count in counts if bin.first <= turn <= bin.last)
