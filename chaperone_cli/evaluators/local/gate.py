"""Says what the encoder is asked about: that in which words alone see anything at all."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.ledger import BOND, VOTE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIZE: Final = WIDTH + 2
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
        self, evidence: "NDArray[np.float64]", sides: "NDArray[np.intp]"
    ) -> "NDArray[np.bool_]":
        """Says of each part whether it matters, from the first stage's (parts, views, cues)."""
        import numpy as np

        odds = (numbers(evidence) * self.weights[sides]).sum(axis=1) + self.bias[sides]
        found: NDArray[np.bool_] = np.round(odds, PRECISION) >= 0
        return found


def numbers(evidence: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Gives what the gate goes by, (parts, SIZE): the mean of the views, and its leads squared."""
    import numpy as np

    common = evidence.mean(axis=1)
    return np.concatenate([common, common[:, [BOND, VOTE]] ** 2], axis=1)
