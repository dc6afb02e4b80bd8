"""How far the passes agree two by two, and how many independent votes all of them amount to.

Only turns on which all N votes were cast may be counted. Where votes stop once the verdict is
settled, how many are cast depends on what they say: under the rule unanimous the first no ends the
vote, so that turns with all N votes are those whose first N - 1 votes agree. Figures from such
turns would be far off, whether of the full turns alone or of all.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import fsum, sqrt
from typing import NamedTuple

from chaperone_cli.domain.metrics.proportion import Proportion
from chaperone_cli.domain.vote import Answer, Vote


class Pair(NamedTuple):
    """Turns by what two passes say of them, the earlier pass first."""

    yes_yes: int = 0
    yes_no: int = 0
    no_yes: int = 0
    no_no: int = 0
    abstained: int = 0
    """Turns on which one of the two abstains, or both; they are in no figure."""

    @property
    def alike(self) -> int:
        """Turns on which both say yes or both say no."""
        return self.yes_yes + self.no_no

    @property
    def compared(self) -> int:
        """Turns on which neither abstains."""
        return self.alike + self.yes_no + self.no_yes

    @property
    def phi(self) -> float | None:
        """The correlation of the two, from -1 to 1; None where one of them always says the same.

        The mean square contingency coefficient (Pearson's correlation of two 0/1 variables):
        Yule (1912), On the methods of measuring association between two attributes.
        """
        first = (self.yes_yes + self.yes_no) * (self.no_yes + self.no_no)
        second = (self.yes_yes + self.no_yes) * (self.yes_no + self.no_no)
        if not first * second:
            return None
        return (self.yes_yes * self.no_no - self.yes_no * self.no_yes) / sqrt(first * second)


@dataclass(frozen=True)
class PairFigures:
    """What the passes, taken two by two, say of the turns on which all N votes were cast."""

    turns: int = 0
    split: int = 0
    """Turns whose votes are not all the same; an abstention differs from yes and from no."""
    pairs: Mapping[tuple[int, int], Pair] = field(default_factory=dict)
    """By the numbers of the two passes, from 1, the lower one first; empty for a single pass."""

    @property
    def passes(self) -> int:
        """N, the votes on each turn."""
        return max((later for _, later in self.pairs), default=1)

    @property
    def alike(self) -> Proportion:
        """Pairs of votes that say the same, of those in which neither abstains.

        It is the share of turns on which two passes say the same, averaged over all pairs of
        passes, each weighed by the turns on which neither abstains.
        """
        pairs = self.pairs.values()
        return Proportion(sum(pair.alike for pair in pairs), sum(pair.compared for pair in pairs))

    @property
    def abstained(self) -> int:
        """Pairs of votes left out because one of the two abstains, or both."""
        return sum(pair.abstained for pair in self.pairs.values())

    @property
    def correlation(self) -> float | None:
        """The mean phi over all pairs of passes that have one; None where none has.

        A pass that always says the same correlates with nothing, but not because it judges for
        itself. Its pairs say nothing either way and are left out.
        """
        known = [phi for pair in self.pairs.values() if (phi := pair.phi) is not None]
        # Exact, so that the order of the passes makes no difference.
        return fsum(known) / len(known) if known else None

    @property
    def independent_votes(self) -> float | None:
        """How many votes without any correlation would tell as much, from 1 to N; None if unknown.

        N / (1 + (N - 1) * rho), with the mean correlation rho cut to [0, 1]: the effective sample
        size by the design effect of Kish (1965), Survey Sampling, for clusters of equal size; a
        turn is a cluster, its votes are the elements. Votes correlate when they err together, but
        also when they are right together, so the figure errs on the low side.
        """
        if (rho := self.correlation) is None:
            return None
        return self.passes / (1 + (self.passes - 1) * min(max(rho, 0.0), 1.0))


_YES_YES, _YES_NO, _NO_YES, _NO_NO, _ABSTAINED = range(len(Pair._fields))
_YES, _NO, _OTHER = 0, 1, 2
_KIND = (
    (_YES_YES, _YES_NO, _ABSTAINED),
    (_NO_YES, _NO_NO, _ABSTAINED),
    (_ABSTAINED, _ABSTAINED, _ABSTAINED),
)
"""The place in a `Pair`, by what the earlier and what the later pass says."""


@dataclass
class PairCount:
    """Counts pairs of votes turn by turn; it grows with the square of N and not with the log."""

    turns: int = 0
    split: int = 0
    pairs: defaultdict[tuple[int, int], list[int]] = field(
        default_factory=lambda: defaultdict(lambda: [0] * len(Pair._fields))
    )
    """The counts of a `Pair`, by the numbers of its passes."""

    def add(self, votes: Sequence[Vote]) -> None:
        """Counts one turn with all its `votes`, in the order of their passes."""
        said = [_said(vote.answer) for vote in votes]
        self.turns += 1
        self.split += len(set(said)) > 1
        for (one, first), (other, second) in combinations(enumerate(said, start=1), 2):
            self.pairs[one, other][_KIND[first][second]] += 1

    def update(self, other: "PairCount") -> None:
        """Adds the turns that `other` counted."""
        self.turns += other.turns
        self.split += other.split
        for passes, counts in other.pairs.items():
            self.pairs[passes] = [
                sum(both) for both in zip(self.pairs[passes], counts, strict=True)
            ]

    def figures(self) -> PairFigures:
        """The figures of all turns so far."""
        pairs = {passes: Pair(*counts) for passes, counts in sorted(self.pairs.items())}
        return PairFigures(self.turns, self.split, pairs)


def _said(answer: Answer) -> int:
    if answer is Answer.YES:
        return _YES
    return _NO if answer is Answer.NO else _OTHER
