"""Says which turns the encoder is asked about: those in which words alone see anything at all."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.ledger import BOND, VOTE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIZE: Final = WIDTH + 2
"""Numbers per turn that the gate goes by."""
PRECISION: Final = 6
"""Decimals of a turn's odds; keeps the last bits of a sum from deciding."""


@dataclass(frozen=True)
class Gate:
    """What was learned of which turns matter to the encoder."""

    weights: "NDArray[np.float64]"
    """(sides, SIZE)."""
    bias: "NDArray[np.float64]"
    """Per side; the gate is open from log odds of 0."""

    def open(
        self, evidence: "NDArray[np.float64]", sides: "NDArray[np.intp]"
    ) -> "NDArray[np.bool_]":
        """Says of each turn whether it matters, from the first stage's (turns, views, cues)."""
        import numpy as np

        odds = (numbers(evidence) * self.weights[sides]).sum(axis=1) + self.bias[sides]
        found: NDArray[np.bool_] = np.round(odds, PRECISION) >= 0
        return found


def numbers(evidence: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Gives what the gate goes by, (turns, SIZE): the mean of the views, and its leads squared."""
    import numpy as np

    common = evidence.mean(axis=1)
    return np.concatenate([common, common[:, [BOND, VOTE]] ** 2], axis=1)
