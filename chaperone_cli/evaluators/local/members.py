"""The ensemble: which evidence each member goes by, and how it weighs its ledger."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.ledger import SIZE, Ledger
from chaperone_cli.evaluators.local.scoring import VIEWS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMES: Final = (*VIEWS, "user")
"""The members in the order of their pass numbers.

`words` goes by words, pairs and patterns of classes; `gaps` by words with a gap between them;
`resample` was trained on another draw of the dialogues; `pieces` looks inside words; `user` hears
the prompts alone, so that a chatbot's professions never make a bond by themselves.
"""
PRECISION: Final = 6
"""Decimals of a member's odds; keeps the last bits of a sum from deciding a vote."""


def listen(evidence: "NDArray[np.float64]", sides: "NDArray[np.intp]") -> "NDArray[np.float64]":
    """Gives what each member goes by, (turns, members, both sides' cues).

    `evidence` is (turns, views, cues). A view's member goes half by its own view and half by the
    mean of all; the user's member by the mean, of prompts only.
    """
    import numpy as np

    heard = np.zeros((len(sides), len(NAMES), 2 * WIDTH))
    common = evidence.mean(axis=1)
    blend = (evidence + common[:, None]) / 2
    prompts, responses = (sides == 0).nonzero()[0], (sides == 1).nonzero()[0]
    heard[prompts, :-1, :WIDTH] = blend[prompts]
    heard[prompts, -1, :WIDTH] = common[prompts]
    heard[responses, :-1, WIDTH:] = blend[responses]
    return heard


class Kept(NamedTuple):
    """A ledger's pages over a run of turns."""

    numbers: "NDArray[np.float64]"
    """(turns, members, SIZE)."""
    peaks: "NDArray[np.intp]"
    """(turns, members, 2): the turns that a prompt's and a response's bond stand out from."""


def keep(ledger: Ledger, heard: "NDArray[np.float64]") -> Kept:
    """Lets `ledger` take in turns, and copies what it says after each."""
    import numpy as np

    numbers = np.empty((len(heard), len(NAMES), SIZE))
    peaks = np.empty((len(heard), len(NAMES), 2), np.intp)
    for turn, row in enumerate(heard):
        ledger.advance(row, numbers[turn])
        peaks[turn] = ledger.peaks
    return Kept(numbers, peaks)


@dataclass(frozen=True)
class Panel:
    """What the members made of the numbers in their ledgers."""

    weights: "NDArray[np.float64]"
    """(members, SIZE)."""
    thresholds: "NDArray[np.float64]"
    """Per member: the log odds from which it votes yes."""

    def margins(self, numbers: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Gives by how much each member's odds exceed its threshold, (turns, members)."""
        import numpy as np

        odds: NDArray[np.float64] = (numbers * self.weights).sum(axis=-1)
        return np.round(odds - self.thresholds, PRECISION)
