"""A count out of a total, with the interval that its true rate plausibly lies in."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

Z_95 = 1.959963984540054
"""The standard normal quantile that leaves 2.5 % on either side."""


class Interval(NamedTuple):
    """A range of rates, both within 0 and 1."""

    low: float
    high: float


def wilson(count: int, total: int) -> Interval:
    """The 95 % score interval of a rate of `count` out of `total`, which is at least 1.

    Wilson (1927), Probable inference, the law of succession, and statistical inference. It stays
    within 0 and 1, and keeps a width for 0 and for all, where the normal interval has none.
    """
    rate, z2 = count / total, Z_95**2
    centre = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = Z_95 * sqrt(rate * (1 - rate) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    # Both ends are exact there; rounding would put them a hair to the wrong side of the estimate.
    low = 0.0 if count == 0 else centre - half
    high = 1.0 if count == total else centre + half
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class Proportion:
    """A count out of a total; where the total is 0 there is nothing to estimate."""

    count: int
    total: int

    @property
    def rate(self) -> float | None:
        """The count divided by the total."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> Interval | None:
        """The Wilson 95 % interval of the rate; it takes the items counted as independent."""
        return wilson(self.count, self.total) if self.total else None
