"""How a figure of an evaluation is written: digits, intervals, and the paper's beside ours."""

from dataclasses import dataclass
from itertools import pairwise

from rich.text import Text

from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.proportion import Interval, Proportion

ABSENT = "—"
TIMES = "\N{MULTIPLICATION SIGN}"
TO = "\N{EN DASH}"
ASCII = str.maketrans({ABSENT: "-", TIMES: "x", TO: "-"})
"""What stands for these where the output's encoding has only ASCII."""
MUTED = "dim"
MOST_VALUES = 8
"""A distribution with more values is written in ranges."""
RANGE_STARTS = (-20, -10, -5, -2, -1, 0, 1, 2, 3, 4, 6, 11, 21, 51, 101)


def percent(rate: float | None) -> str:
    """Writes a rate so that 0 % and 100 % mean none and all."""
    if rate is None:
        return ABSENT
    text = f"{100 * rate:.0f}"
    if text == "0" and rate > 0:
        return "<1 %"
    if text == "100" and rate < 1:
        return ">99 %"
    return f"{text} %"


def span(interval: Interval | None) -> str:
    """Writes an interval of rates."""
    if interval is None:
        return ABSENT
    return f"{100 * interval.low:.0f}{TO}{100 * interval.high:.0f} %"


def of(proportion: Proportion) -> str:
    """Writes a proportion as its count and its total."""
    return f"{proportion.count}/{proportion.total}"


def decimal(value: float | None) -> str:
    """Writes a mean or median with one or two decimals."""
    if value is None:
        return ABSENT
    # The sum turns a rounded -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}".removesuffix("0")


def kappa(value: float | None) -> str:
    """Writes kappa so that 1 means perfect agreement."""
    if value is None:
        return ABSENT
    text = f"{value:.2f}"
    return ">0.99" if text == "1.00" and value < 1 else text


def spread(distribution: Distribution) -> str:
    """Writes how often each value occurred, a 2 that occurred six times as 2 times 6."""
    counts = distribution.counts
    if len(counts) > MOST_VALUES:
        return " ".join(f"{name}{TIMES}{count}" for name, count in _ranges(distribution).items())
    return " ".join(f"{value}{TIMES}{count}" for value, count in counts) or ABSENT


def _ranges(distribution: Distribution) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value, count in distribution.counts:
        name = _range(value)
        counts[name] = counts.get(name, 0) + count
    return counts


def _range(value: int) -> str:
    if value < RANGE_STARTS[0]:
        return f"<{RANGE_STARTS[0]}"
    for start, following in pairwise(RANGE_STARTS):
        if value < following:
            return str(start) if following == start + 1 else f"{start}..{following - 1}"
    return f"{RANGE_STARTS[-1]}+"


def count_or_absent(value: int | None) -> str:
    """Writes a count that may not have been published."""
    return ABSENT if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Cells:
    """Lays out the cells of one evaluation."""

    wide: bool
    """Notes stand beside their figure rather than below it."""
    beside_paper: bool
    """The paper's figure follows ours in parentheses."""

    def cell(self, figure: str, paper: str | None, *notes: str) -> Text:
        """Builds a cell from a figure, the paper's and what qualifies ours; empty notes vanish."""
        text = Text(figure)
        if self.beside_paper and paper is not None:
            text.append(f" ({paper})", style=MUTED)
        for note in filter(None, notes):
            text.append("  " if self.wide else "\n").append(note, style=MUTED)
        return text
