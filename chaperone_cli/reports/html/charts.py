"""What the charts show: bars with their numbers, and where the marks of the pictures stand.

Places are plain geometry, in the units of each picture's viewBox.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.run import Summary
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.reports.html.tallies import MOST_TURNS, Mean, Tallies
from chaperone_cli.reports.text import plain
from chaperone_cli.reports.wording import NO_TURN, ORDER, WORDS

WIDTH, HEIGHT = 440, 214
LEFT, RIGHT, TOP, BOTTOM = 36, 428, 12, 178
"""The rim of the picture, and the frame in which values stand."""
_MOST_BINS = 40
_MOST_TICKS = 5
_STEPS = (1, 2, 5)
STYLES = {Verdict.BLOCK: "block", Verdict.UNDECIDED: "undecided", Verdict.PASS: "pass"}
"""The classes that the style sheet knows verdicts by."""
_MOST_CUES = 12


@dataclass(frozen=True)
class Tick:
    """A marked place of an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Bin:
    """Turn numbers that share a column."""

    first: int
    last: int

    def __str__(self) -> str:
        if self.first > MOST_TURNS:
            return f">{MOST_TURNS:,}"
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"


def bins_to(last: int) -> tuple[Bin, ...]:
    """Divides turns 1 to `last` evenly; those counted together for being so late stand alone."""
    end = min(last, MOST_TURNS)
    each = ceil(end / _MOST_BINS)
    bins = [Bin(first, min(first + each - 1, end)) for first in range(1, end + 1, each)]
    return tuple(bins) if last <= MOST_TURNS else (*bins, Bin(last, last))


def scale(top: int, *, exact: bool = False) -> list[int]:
    """Round numbers from 0 to `top` or beyond, to `top` itself if `exact`."""
    power = 1
    while True:
        for step in (power * base for base in _STEPS):
            if top <= step * _MOST_TICKS:
                ticks = list(range(0, top + step, step))
                return [*ticks[:-1], top] if exact else ticks
        power *= 10


def y_ticks(values: Sequence[int]) -> tuple[Tick, ...]:
    """Places `values`, the last of which is the top of the picture."""
    top = values[-1]
    return tuple(Tick(BOTTOM - (BOTTOM - TOP) * value / top, f"{value:,}") for value in values)


def x_ticks(bins: Sequence[Bin]) -> tuple[Tick, ...]:
    """Names as many bins as have room by their first turn, the first bin among them."""
    width = (RIGHT - LEFT) / len(bins)
    names = [str(each) if each.first > MOST_TURNS else str(each.first) for each in bins]
    longest = max(len(name) for name in names)
    every = next(n for n in (1, 2, 5, 10, 20, 40) if width * n >= 7 * longest + 6 or n == 40)
    shown = range(0, len(bins), every) if every == 1 else [0, *range(every - 1, len(bins), every)]
    return tuple(Tick(LEFT + width * (i + 0.5), names[i]) for i in shown)


@dataclass(frozen=True)
class StackedBar:
    """One side's share of a column."""

    side: Side
    count: int
    y: float
    height: float


@dataclass(frozen=True)
class Column:
    """First blocking turns of one bin."""

    bin: Bin
    x: float
    width: float
    bars: tuple[StackedBar, ...]

    @property
    def count(self) -> int:
        """Conversations of both sides."""
        return sum(bar.count for bar in self.bars)


@dataclass(frozen=True)
class Histogram:
    """Conversations over the first blocking turn, prompts below and responses on top of them."""

    columns: tuple[Column, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Point:
    """The mean score of the turns of one bin."""

    bin: Bin
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
    bins: tuple[Bin, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


def first_blocks(tallies: Tallies) -> Histogram | None:
    """Lays out the distribution of the first blocking turn; None if nothing was blocked."""
    turns = [turn for counts in tallies.first_blocks.values() for turn in counts]
    if not turns:
        return None
    bins = bins_to(max(turns))
    counts = [
        {side: _within(tallies.first_blocks[side].items(), each) for side in Side} for each in bins
    ]
    ticks = scale(max(sum(sides.values()) for sides in counts))
    width = (RIGHT - LEFT) / len(bins)
    columns = (
        Column(each, LEFT + width * (i + 0.12), width * 0.76, _stacked(counts[i], ticks[-1]))
        for i, each in enumerate(bins)
    )
    return Histogram(tuple(columns), x_ticks(bins), y_ticks(ticks))


def scores(tallies: Tallies, passes: int) -> Lines | None:
    """Lays out the mean score over turn numbers; None if no turn was judged."""
    turns = [turn for means in tallies.scores.values() for turn in means]
    if not turns:
        return None
    bins = bins_to(max(turns))
    lines = (
        Line(verdict, _points(tallies.scores[verdict], bins, passes))
        for verdict in (Verdict.BLOCK, Verdict.UNDECIDED, Verdict.PASS)
    )
    whole = tuple(line for line in lines if line.points)
    return Lines(whole, bins, x_ticks(bins), y_ticks(scale(passes, exact=True)))


def _stacked(counts: dict[Side, int], top: int) -> tuple[StackedBar, ...]:
    bars: list[StackedBar] = []
    base: float = BOTTOM
    for side, count in counts.items():
        height = (BOTTOM - TOP) * count / top
        base -= height
        bars.append(StackedBar(side, count, base, height))
    return tuple(bars)


def _points(means: dict[int, Mean], bins: Sequence[Bin], passes: int) -> tuple[Point, ...]:
    width = (RIGHT - LEFT) / len(bins)
    points: list[Point] = []
    for i, each in enumerate(bins):
        found = [mean for turn, mean in means.items() if each.first <= turn <= each.last]
        turns = sum(mean.count for mean in found)
        if turns:
            mean = sum(mean.total for mean in found) / turns
            y = BOTTOM - (BOTTOM - TOP) * mean / passes
            points.append(Point(each, LEFT + width * (i + 0.5), y, mean, turns))
    return tuple(points)


def _within(counts: Iterable[tuple[int, int]], bin: Bin) -> int:
    return sum(count for turn, count in counts if bin.first <= turn <= bin.last)


@dataclass(frozen=True)
class BarRow:
    """One labelled bar, with its number beside it."""

    name: str
    count: int
    style: str
    link: str = ""
    """The filter that shows what was counted."""
    note: str = ""
    title: str = ""


def verdicts(summary: Summary) -> list[BarRow]:
    """The conversations by verdict."""
    unasked = summary.screened_out.conversations if summary.screened_out else 0
    said = [f"and {summary.empty:,} {NO_TURN}"] if summary.empty else []
    said += [f"{unasked:,} of them screened out as a whole"] if unasked else []
    notes = {Verdict.PASS: "; ".join(said)}
    counts = {**summary.conversations, Verdict.PASS: summary.passed}
    return [
        BarRow(
            WORDS[verdict].lower(),
            counts.get(verdict, 0),
            STYLES[verdict],
            f"#verdict={verdict}",
            notes.get(verdict, ""),
        )
        for verdict in ORDER
    ]


def sides(summary: Summary) -> list[BarRow]:
    """The first blocking turns by side."""
    counts = summary.attribution
    return [BarRow(side.value, counts[side], side.value, f"#side={side.value}") for side in Side]


def rules(summary: Summary, tallies: Tallies) -> list[BarRow]:
    """The conversations that each named rule blocks; nothing where that is not known."""
    return [
        BarRow(
            rule.name,
            summary.blocked_by_rule[rule.name],
            "block",
            note=_first_note(tallies.first_by_rule[rule.name].value),
        )
        for rule in RULES
        if rule.name in summary.blocked_by_rule
    ]


def _first_note(mean: float | None) -> str:
    return "" if mean is None else f"mean first block {mean:.1f}"


def cues(tallies: Tallies) -> list[BarRow]:
    """The conversations in which votes name a cue, for the most frequent ones."""
    said = meanings(tallies.cues)
    return [
        BarRow(plain(cue), count, "cue", title=said.get(cue, ""))
        for cue, count in tallies.cues.most_common(_MOST_CUES)
    ]


def meanings(cues: Iterable[str]) -> dict[str, str]:
    """Says what the cues mean that the local evaluator names; others explain themselves."""
    from chaperone_cli.evaluators.local.cues import MEANINGS

    known: Mapping[str, str] = {cue.value: meaning for cue, meaning in MEANINGS.items()}
    return {cue: known[cue] for cue in cues if cue in known}
