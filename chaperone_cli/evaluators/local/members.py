"""The ensemble: which evidence each member goes by, and how it weighs its ledger."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from chaperone_cli.domain.conversation import Side
from chaperone_cli.evaluators.local import scoring
from chaperone_cli.evaluators.local.cues import COLUMNS, CUES, ENCODED, TRIGGERS, WIDTH
from chaperone_cli.evaluators.local.ledger import SIZE, VOTE, Ledger

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMES: Final = ("words", "cues", "triggers", "whole", "user")
"""The members in the order of their pass numbers.

`words` goes by the first stage alone; `cues` by what the encoder recognises in each utterance;
`triggers` by how far the encoder holds the question to be settled; `whole` by all of this; `user`
by the same, but of prompts alone, so that a chatbot's professions weigh less than what users say.
"""
WITHOUT_ENCODER: Final = (*scoring.VIEWS, "user")
"""The members where the first stage works alone: its views, and prompts alone."""
WHOLE: Final = NAMES.index("whole")
USER: Final = NAMES.index("user")
FIRM: Final = slice(0, 2)
"""The encoder's triggers that go by the language model's votes throughout."""
LENIENT: Final = slice(2, TRIGGERS - 1)
"""Those that see no bond where the chatbot alone crosses a line."""
OF_USERS: Final = slice(TRIGGERS - 1, TRIGGERS)
"""The one that was taught on prompts alone."""
LEANING: Final = (0.5, 0.6, 0.6, 0.6, 0.5)
"""How much each member goes by the common odds of the encoder's three, and not by its own.

The rest keeps members apart; what is common steadies them. Only by it does `user` hear of
responses: half, so that under unanimity it neither goes by them alone nor waits for the user to
say all there is.
"""
COMMON: Final = slice(1, 4)
"""The members whose mean odds are the common ones."""
SHARE: Final = 0.75
"""How much of the evidence of `whole` and `user` is the encoder's."""
TRIGGER_RANGE: Final = (-4.0, 5.0)
"""A trigger's log odds that stand for no evidence and for full evidence."""
PRECISION: Final = 6
"""Decimals of a member's odds; keeps the last bits of a sum from deciding a vote."""


def listen(
    evidence: "NDArray[np.float64]",
    sides: "NDArray[np.intp]",
    outputs: "NDArray[np.float64] | None",
) -> "NDArray[np.float64]":
    """Gives what each member goes by, (parts, members, both sides' cues).

    `evidence` is the first stage's, (parts, views, cues), and `outputs` the encoder's, (parts, cues
    and triggers), NaN for those it was not asked about, which show nothing by it; None where there
    is no encoder.
    """
    import numpy as np

    told = _without_encoder(evidence) if outputs is None else _told(evidence, outputs, sides)
    heard = np.zeros((len(sides), told.shape[1], 2 * WIDTH))
    prompts, responses = (sides == 0).nonzero()[0], (sides == 1).nonzero()[0]
    heard[prompts, :, :WIDTH] = told[prompts]
    heard[responses, :USER, WIDTH:] = told[responses, :USER]
    return heard


def _without_encoder(evidence: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """A view's member goes half by its own view and half by the mean of all."""
    import numpy as np

    common = evidence.mean(axis=1)
    return np.concatenate([(evidence + common[:, None]) / 2, common[:, None]], axis=1)


def _told(
    evidence: "NDArray[np.float64]",
    outputs: "NDArray[np.float64]",
    sides: "NDArray[np.intp]",
) -> "NDArray[np.float64]":
    import numpy as np

    words = evidence.mean(axis=1)
    odds = np.where(np.isnan(outputs), -np.inf, outputs)
    cues = _in_columns(scoring.evidence(odds[:, :CUES]), sides)
    triggers = scoring.evidence(odds[:, CUES:], *TRIGGER_RANGE)
    told = np.empty((len(sides), len(NAMES), WIDTH))
    told[:, NAMES.index("words")] = words
    told[:, NAMES.index("cues")] = cues
    told[:, NAMES.index("triggers")] = 0.0
    told[:, NAMES.index("triggers"), VOTE] = triggers[:, FIRM].mean(axis=1)
    for member, goes_by in ((WHOLE, LENIENT), (USER, OF_USERS)):
        told[:, member] = SHARE * cues + (1 - SHARE) * words
        own = triggers[:, goes_by].mean(axis=1)
        told[:, member, VOTE] = SHARE * own + (1 - SHARE) * words[:, VOTE]
    return told


def _in_columns(cues: "NDArray[np.float64]", sides: "NDArray[np.intp]") -> "NDArray[np.float64]":
    """Puts the encoder's cues into the columns of the first stage; the vote's stays empty."""
    import numpy as np

    found = np.zeros((len(sides), WIDTH))
    for number, side in enumerate((Side.PROMPT, Side.RESPONSE)):
        at = (sides == number).nonzero()[0]
        for column, name in enumerate(COLUMNS[side]):
            if name in ENCODED[side]:
                found[at, column] = cues[at, ENCODED[side].index(name)]
    return found


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
        ledger.advance(row)
        numbers[turn] = ledger.highest
        peaks[turn] = ledger.peaks
    return Kept(numbers, peaks)


@dataclass(frozen=True)
class Panel:
    """What the members made of the numbers in their ledgers."""

    weights: "NDArray[np.float64]"
    """(members, SIZE)."""
    mixing: "NDArray[np.float64]"
    """(members, members): how much each goes by each one's odds."""
    thresholds: "NDArray[np.float64]"
    """Per member: the log odds from which it votes yes."""

    def margins(self, numbers: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Gives by how much each member's odds exceed its threshold, (turns, members)."""
        import numpy as np

        own: NDArray[np.float64] = (numbers * self.weights).sum(axis=-1)
        odds = (own[:, None, :] * self.mixing).sum(axis=-1)
        margins: NDArray[np.float64] = np.round(odds - self.thresholds, PRECISION)
        return margins


def mixing(both: bool) -> "NDArray[np.float64]":
    """Gives how much each member goes by each one's odds, with the encoder or without."""
    import numpy as np

    own: NDArray[np.float64] = np.eye(len(NAMES))
    if not both:
        return own
    common = own[COMMON].mean(axis=0)
    leaning = np.array(LEANING)[:, None]
    mixed: NDArray[np.float64] = (1 - leaning) * own + leaning * common
    return mixed
