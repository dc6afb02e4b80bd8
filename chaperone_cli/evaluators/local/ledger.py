"""Follows a conversation: a few bounded numbers per member that say what it has shown so far.

Nothing is summed: each number is the highest evidence so far, and fades, so that a long
conversation does not drift towards a yes.
"""

from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.cues import WIDTH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FADING: Final = 0.998
"""What remains of the highest evidence at the next turn."""
BOND: Final = 0
VOTE: Final = 1
"""The columns that sum up a side."""
BONDS: Final = (BOND, WIDTH + BOND)
SIZE: Final = 2 * WIDTH
"""Numbers per member: both sides' cues."""


class Ledger:
    """The state of one conversation for several members, one row each."""

    def __init__(self, members: int) -> None:
        import numpy as np

        self.highest = np.zeros((members, SIZE))
        """The highest evidence so far of each cue, fading."""
        self.peaks = np.zeros((members, 2), np.intp)
        """The turns, from 1, that each side's bond stands out from; 0 for none."""
        self._turn = 0

    def advance(self, evidence: "NDArray[np.float64]") -> None:
        """Takes in the next turn's evidence, (members, both sides' cues)."""
        import numpy as np

        self._turn += 1
        self.highest *= FADING
        self.peaks[evidence[:, BONDS] > self.highest[:, BONDS]] = self._turn
        np.maximum(self.highest, evidence, out=self.highest)
