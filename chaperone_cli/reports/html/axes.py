"""The axes of the charts: which turn numbers share a column, and where the ticks stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from chaperone_cli.reports.html.tallies import MOST_TURNS

WIDTH, HEIGHT = 440, 214
LEFT, RIGHT, TOP, BOTTOM = 36, 428, 12, 178
"""The rim of the picture, and the frame in which values stand."""
_MOST_BINS = 40
_MOST_TICKS = 5
_STEPS = (1, 2, 5)


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
    """Gives round numbers from 0 to `top` or beyond, to `top` itself if `exact`."""
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
