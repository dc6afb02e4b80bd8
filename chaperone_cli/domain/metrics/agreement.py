"""How far the passes agree with each other on the same turns."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.pairs import PairFigures
from chaperone_cli.domain.metrics.proportion import Proportion
from chaperone_cli.domain.vote import Tally


def fleiss_kappa(turns: Mapping[Tally, int]) -> float | None:
    """The agreement among passes beyond chance: 1 is perfect, 0 is what chance would give.

    Fleiss (1971), Measuring nominal scale agreement among many raters, over the categories yes, no
    and abstain; a category that no vote fell into changes nothing. `turns` counts turns by tally,
    every tally of the same N votes. Where all votes of all turns are the same, chance agreement is
    perfect too and the formula is 0/0; as the passes never differed, 1 is given. None where there
    is no turn, or a single pass that has no other to agree with.
    """
    size = sum(turns.values())
    if not size or (passes := max(tally.cast for tally in turns)) < 2:
        return None
    pairs = sum(n * sum(k * (k - 1) for k in tally) for tally, n in turns.items())
    observed = pairs / (size * passes * (passes - 1))
    totals = [sum(n * tally[kind] for tally, n in turns.items()) for kind in range(3)]
    chance = sum(total**2 for total in totals) / (size * passes) ** 2
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


@dataclass(frozen=True)
class Agreement:
    """How the passes voted on all judged turns, labelled or not."""

    turns: int
    split: int
    """Turns whose votes are not all the same; an abstention differs from yes and from no."""
    abstentions: Proportion
    """Votes that abstain, of all votes cast."""
    kappa: float | None
    scores: Distribution
    """Turns by S, the number of yes votes."""
    pairs: PairFigures

    @classmethod
    def of(cls, turns: Mapping[Tally, int], pairs: PairFigures) -> "Agreement":
        """Sums up `turns`, which counts turns by tally; `pairs` are the figures of the same."""
        scores: Counter[int] = Counter()
        for tally, n in turns.items():
            scores[tally.yes] += n
        return cls(
            turns=sum(turns.values()),
            split=sum(n for tally, n in turns.items() if max(tally) < tally.cast),
            abstentions=Proportion(
                sum(n * tally.abstain for tally, n in turns.items()),
                sum(n * tally.cast for tally, n in turns.items()),
            ),
            kappa=fleiss_kappa(turns),
            scores=Distribution.of(scores),
            pairs=pairs,
        )
