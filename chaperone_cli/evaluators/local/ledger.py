"""Follows a conversation: a few bounded numbers per member that say what it has shown so far.

Nothing is summed without bound: maxima that fade and capped evidence that fades, so that a long
conversation does not drift towards a yes.
"""

from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.cues import WIDTH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SLOW: Final = 0.97
FAST: Final = 0.7
"""What remains of a fading maximum at the next turn."""
GATHERING: Final = 0.85
"""What remains of gathered evidence at the next turn."""
MARGIN: Final = 0.45
"""Evidence of a bond below this is not gathered."""
CAP: Final = 1.5

BOND: Final = 0
VOTE: Final = 1
SIDE: Final = WIDTH
LEADS: Final = (BOND, VOTE, SIDE + BOND, SIDE + VOTE)
"""The columns that sum up a side: those that are gathered and multiplied."""
BONDS: Final = (BOND, SIDE + BOND)
PRODUCTS: Final = 5
SIZE: Final = 4 * WIDTH + len(LEADS) + PRODUCTS
"""Numbers per member."""


class Ledger:
    """The state of one conversation for several members, one row each."""

    def __init__(self, members: int) -> None:
        import numpy as np

        self.slow = np.zeros((members, 2 * WIDTH))
        self.peaks = np.zeros((members, 2), np.intp)
        """The turns, from 1, that the slow maxima of each side's bond come from; 0 for none."""
        self._fast = np.zeros((members, 2 * WIDTH))
        self._gathered = np.zeros((members, len(LEADS)))
        self._turn = 0

    def advance(self, evidence: "NDArray[np.float64]", out: "NDArray[np.float64]") -> None:
        """Takes in the next turn's evidence, (members, both sides' cues).

        Writes the numbers after it to `out`, (members, SIZE).
        """
        import numpy as np

        self._turn += 1
        self.slow *= SLOW
        higher = evidence[:, BONDS] > self.slow[:, BONDS]
        self.peaks[higher] = self._turn
        np.maximum(self.slow, evidence, out=self.slow)
        self._fast *= FAST
        np.maximum(self._fast, evidence, out=self._fast)
        self._gathered *= GATHERING
        self._gathered += np.maximum(evidence[:, LEADS] - MARGIN, 0.0)
        np.minimum(self._gathered, CAP, out=self._gathered)
        self._write(out)

    def _write(self, out: "NDArray[np.float64]") -> None:
        import numpy as np

        n = 2 * WIDTH
        out[:, :n] = self.slow
        out[:, n : 2 * n] = self._fast
        out[:, 2 * n : 2 * n + 4] = self._gathered
        leads = self.slow[:, LEADS]
        np.multiply(leads[:, 0], leads[:, 2], out=out[:, -5])
        np.multiply(leads[:, 1], leads[:, 3], out=out[:, -4])
        np.multiply(leads[:, 0], leads[:, 1], out=out[:, -3])
        np.multiply(leads[:, 2], leads[:, 3], out=out[:, -2])
        np.multiply(self._gathered[:, 0], self._gathered[:, 2], out=out[:, -1])
