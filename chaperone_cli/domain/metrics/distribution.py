"""How often each whole number occurred: first blocking turns, lags, scores."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Distribution:
    """Whole numbers and how often each occurred."""

    counts: tuple[tuple[int, int], ...] = ()
    """Pairs of a value and its count, by rising value; every count is at least 1."""

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> "Distribution":
        """Builds the distribution from counts by value."""
        return cls(tuple(sorted((value, count) for value, count in counts.items() if count)))

    @property
    def size(self) -> int:
        """How many numbers there were."""
        return sum(count for _, count in self.counts)

    @property
    def mean(self) -> float | None:
        """Their arithmetic mean; None where there were none."""
        return (
            sum(value * count for value, count in self.counts) / self.size if self.counts else None
        )

    @property
    def median(self) -> float | None:
        """Their middle, half way between the two middle ones of an even number; None of none."""
        if not self.counts:
            return None
        return (self._ranked((self.size - 1) // 2) + self._ranked(self.size // 2)) / 2

    def below(self, limit: int) -> int:
        """Counts the numbers that are less than `limit`."""
        return sum(count for value, count in self.counts if value < limit)

    def _ranked(self, rank: int) -> int:
        """The number at `rank`, from 0, in rising order."""
        for value, count in self.counts:
            rank -= count
            if rank < 0:
                return value
        raise IndexError(rank)
