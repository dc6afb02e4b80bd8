"""Says what the encoder is asked about: that in which words alone see anything at all."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.ledger import BOND, VOTE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BEFORE: Final = 4
"""Parts just before one that the gate goes by as well: what follows an avowal matters sooner."""
SIZE: Final = 2 * (WIDTH + 2) + 2 * WIDTH
"""Numbers per part of an utterance that the gate goes by."""
PRECISION: Final = 6
"""Decimals of its odds; keeps the last bits of a sum from deciding."""


@dataclass(frozen=True)
class Gate:
    """What was learned of what matters to the encoder."""

    weights: "NDArray[np.float64]"
    """(sides, SIZE)."""
    bias: "NDArray[np.float64]"
    """Per side; the gate is open from log odds of 0."""

    def open(
        self, numbers: "NDArray[np.float64]", sides: "NDArray[np.intp]"
    ) -> "NDArray[np.bool_]":
        """Says of each part whether it matters, from its numbers, (parts, SIZE)."""
        import numpy as np

        odds = (numbers * self.weights[sides]).sum(axis=1) + self.bias[sides]
        found: NDArray[np.bool_] = np.round(odds, PRECISION) >= 0
        return found


class Approach:
    """One conversation on its way to the gate: remembers what the last few parts showed."""

    def __init__(self) -> None:
        import numpy as np

        self._before = np.zeros((BEFORE, 2 * WIDTH))

    def advance(
        self,
        evidence: "NDArray[np.float64]",
        best: "NDArray[np.float64]",
        sides: "NDArray[np.intp]",
    ) -> "NDArray[np.float64]":
        """Takes in a run of parts; gives what the gate goes by, (parts, SIZE).

        This is what a part shows, the mean of the views' `evidence`, then what its `best` sentence
        shows, both with their leads squared, and the most that those `BEFORE` it showed, the
        prompts' beside the responses'.
        """
        import numpy as np

        shown = evidence.mean(axis=1)
        count = len(shown)
        line = np.concatenate([self._before, np.zeros((count, 2 * WIDTH))])
        for side, columns in enumerate((slice(0, WIDTH), slice(WIDTH, 2 * WIDTH))):
            spoke = (sides == side).nonzero()[0]
            line[BEFORE + spoke, columns] = shown[spoke]
        before = np.max([line[far : far + count] for far in range(BEFORE)], axis=0)
        self._before = line[count:]
        own = (_with_squares(one) for one in (shown, best))
        return np.concatenate([*own, before], axis=1)


def _with_squares(shown: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    return np.concatenate([shown, shown[:, [BOND, VOTE]] ** 2], axis=1)
