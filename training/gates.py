"""Fits the gate: what of which words alone make it worth asking the encoder about."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from chaperone_cli.errors import InputError
from chaperone_cli.evaluators.local import gate
from chaperone_cli.evaluators.local.cues import CUES, TRIGGERS
from training.dialogues import Dialogue, part_counts, parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRENGTH: Final = 3.0
"""Inverse regularisation."""
LEVEL: Final = -4.0
"""Log odds from which the gate is open: much less than what settles it, as context counts."""
LISTENED: Final = -3.0
"""Mean of the triggers from which a response is worth reading: prompts after it are understood by
it, and what the user goes along with is often said by the chatbot first."""
SURE: Final = 20.0
"""Log odds of a gate that is always open."""


def numbers(
    dialogues: Sequence[Dialogue],
    evidence: "NDArray[np.float64]",
    best: "NDArray[np.float64]",
) -> "NDArray[np.float64]":
    """Gives what the gate goes by, (parts, SIZE), from what views say of parts and sentences."""
    side = np.array(parts(dialogues).sides, np.intp)
    cuts = np.cumsum(part_counts(dialogues))[:-1]
    each = zip(*(np.split(rows, cuts) for rows in (evidence, best, side)), strict=True)
    return np.concatenate([gate.Approach().advance(*rows) for rows in each])


def fit(
    numbers: "NDArray[np.float64]",
    speaks: "NDArray[np.bool_]",
    side: "NDArray[np.intp]",
) -> gate.Gate:
    """Fits the gate to which parts `speaks` names, from the `numbers` that it goes by.

    Raises InputError where it speaks nowhere.
    """
    if not speaks.any():
        raise InputError(
            "the encoder speaks at no turn: these dialogues teach it too little",
            hint="give it more dialogues, with a bond and without",
        )
    fitted = [_fit(numbers[side == who], speaks[side == who]) for who in (0, 1)]
    weights = np.stack([weights for weights, _ in fitted])
    bias = np.array([bias for _, bias in fitted]) - LEVEL
    return gate.Gate(np.round(weights, 3), np.round(bias, 3))


def _fit(
    data: "NDArray[np.float64]", speaks: "NDArray[np.bool_]"
) -> "tuple[NDArray[np.float64], float]":
    """Fits the gate of a side, which stays shut, or open, where there is nothing to tell apart."""
    if len(np.unique(speaks)) < 2:
        return np.zeros(data.shape[1]), SURE if speaks.all() else -SURE
    fitted = LogisticRegression(C=STRENGTH, max_iter=2000).fit(data, speaks)
    return fitted.coef_[0], float(fitted.intercept_[0])


def speaks(outputs: "NDArray[np.float64]", side: "NDArray[np.intp]") -> "NDArray[np.bool_]":
    """Says which prompts settle it, by some trigger, more likely than not, and which responses may.

    `outputs` is the encoder's, (parts, cues and triggers). The last trigger is of prompts only.
    """
    triggers = outputs[:, CUES : CUES + TRIGGERS]
    common = triggers[:, :-1].mean(axis=1)
    found: NDArray[np.bool_] = np.where(
        side == 0, (common > 0) | (triggers[:, -1] > 0), common > LISTENED
    )
    return found


def out_of_fold(
    dialogues: Sequence[Dialogue],
    numbers: "NDArray[np.float64]",
    outputs: "NDArray[np.float64]",
    fold: "NDArray[np.intp]",
) -> "NDArray[np.bool_]":
    """Says of each part whether it passes a gate that was fitted without its fold."""
    owner = np.repeat(fold, part_counts(dialogues))
    side = np.array(parts(dialogues).sides, np.intp)
    wanted = speaks(outputs, side)
    found = np.zeros(len(side), bool)
    for number in np.unique(fold):
        rest, held = owner != number, owner == number
        fitted = fit(numbers[rest], wanted[rest], side[rest])
        found[held] = fitted.open(numbers[held], side[held])
    return found
