"""The figures of a training run: what is caught, what is blocked wrongly, when, and which cues."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from chaperone_cli.evaluators.local import members
from chaperone_cli.evaluators.local.cues import CORPUS_NAMES, WIDTH
from chaperone_cli.evaluators.local.training.crossfit import CrossFit
from chaperone_cli.evaluators.local.training.dialogues import PARASOCIAL, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEEDED: Final = {"unanimous": len(members.NAMES), "balanced": 3, "conservative": 1}
"""Yes votes that block a turn, by rule."""
FLOOR: Final = 0.75
"""Precision that a cue must have to be named in evidence."""
FEWEST: Final = 30
"""Yes votes that must name a cue before its precision counts as measured."""
LEVELS: Final = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
"""Evidence from which a cue might be named; the lowest that keeps the floor is taken."""


def rules(fit: CrossFit) -> dict[str, dict[str, Any]]:
    """Measures every rule, dialogue by dialogue."""
    return {rule: _rule(fit, needed) for rule, needed in NEEDED.items()}


def first_block(yes: "NDArray[np.bool_]", needed: int) -> int | None:
    """Gives the first turn, from 1, with `needed` yes votes; `yes` is (turns, members)."""
    turns = (yes.sum(axis=1) >= needed).nonzero()[0]
    return int(turns[0]) + 1 if len(turns) else None


def _rule(fit: CrossFit, needed: int) -> dict[str, Any]:
    dialogues = fit.heard.dialogues
    first = [first_block(fit.yes(number), needed) for number in range(len(dialogues))]
    blocked = np.array([turn is not None for turn in first])
    labels = np.array([dialogue.label for dialogue in dialogues])
    never = np.array([dialogue.first_yes is None for dialogue in dialogues])
    lags = [
        turn - dialogue.first_yes
        for turn, dialogue in zip(first, dialogues, strict=True)
        if turn and dialogue.first_yes and dialogue.label == PARASOCIAL
    ]
    return {
        "caught": _share(blocked[labels == PARASOCIAL]),
        "others_blocked": _share(blocked[labels != PARASOCIAL]),
        "without_yes_blocked": _share(blocked[never]),
        "long_blocked": _share(
            np.array([first_block(odds >= fit.thresholds, needed) is not None for odds in fit.long])
        ),
        "by_label": {
            label: [int(blocked[labels == label].sum()), int((labels == label).sum())]
            for label in sorted(set(labels.tolist()))
        },
        "lag_mean": round(float(np.mean(lags)), 2),
        "lag_median": float(np.median(lags)),
    }


def turns(fit: CrossFit) -> dict[str, float]:
    """Measures agreement with the language model's votes, turn by turn, of unanimity and all."""
    yes = np.concatenate([fit.yes(number) for number in range(len(fit.odds))])
    wanted = np.concatenate([dialogue.votes for dialogue in fit.heard.dialogues]) > 0
    count = yes.sum(axis=1)
    return {
        "agreement_unanimous": _share((count == len(members.NAMES)) == wanted),
        "agreement_balanced": _share((count >= NEEDED["balanced"]) == wanted),
        "split": _share((count > 0) & (count < len(members.NAMES))),
    }


def levels(fit: CrossFit) -> "tuple[NDArray[np.float64], dict[str, dict[str, float]]]":
    """Finds for each cue the lowest evidence from which naming it keeps the floor.

    A cue is named rightly at a yes vote where some turn so far was labelled with it.
    """
    chosen = np.full(2 * WIDTH, np.inf)
    measured: dict[str, dict[str, float]] = {}
    strength, present = _at_yes_votes(fit)
    for column, name in enumerate(name for side in (0, 1) for name in columns(side)):
        if name not in CORPUS_NAMES:
            continue
        for level in LEVELS:
            named = strength[:, column] >= level
            if named.sum() >= FEWEST and present[named, column].mean() >= FLOOR:
                chosen[column] = level
                measured[CORPUS_NAMES[name].value] = {
                    "level": level,
                    "precision": _share(present[named, column]),
                    "recall": _share(named[present[:, column]]),
                }
                break
    return chosen, measured


def _at_yes_votes(fit: CrossFit) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
    """Gives the cues' strengths at every yes vote, and whether a turn so far shows them."""
    names = [name for side in (0, 1) for name in columns(side)]
    strength: list[NDArray[np.float64]] = []
    present: list[NDArray[np.bool_]] = []
    for number, dialogue in enumerate(fit.heard.dialogues):
        yes = fit.yes(number)
        if not yes.any():
            continue
        so_far = np.logical_or.accumulate(
            [[name in cues for name in names] for cues in dialogue.cues]
        )
        numbers = fit.heard.numbers([number])[:, :, : 2 * WIDTH]
        turns, who = yes.nonzero()
        strength.append(numbers[turns, who])
        present.append(so_far[turns])
    return np.concatenate(strength), np.concatenate(present)


def lines(measured: Mapping[str, Mapping[str, Any]], cues: Mapping[str, Any]) -> Sequence[str]:
    """Gives the figures as lines to read."""
    found = [f"{'rule':13}caught others no-yes   long  lag mean median  by label"]
    for rule, row in measured.items():
        labels = "  ".join(f"{label} {a}/{b}" for label, (a, b) in row["by_label"].items())
        found.append(
            f"{rule:13}{row['caught']:6.3f} {row['others_blocked']:6.3f} "
            f"{row['without_yes_blocked']:6.3f} {row['long_blocked']:6.3f} "
            f"{row['lag_mean']:9.2f} {row['lag_median']:6.1f}  {labels}"
        )
    found += [f"{'cue':18}level precision recall"]
    found += [
        f"{name:18}{row['level']:5.2f} {row['precision']:9.2f} {row['recall']:6.2f}"
        for name, row in cues.items()
    ]
    return found


def _share(values: "NDArray[np.bool_]") -> float:
    return round(float(values.mean()), 4)
