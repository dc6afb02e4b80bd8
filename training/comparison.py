"""Compares verdicts with what a language model's passes say, and with the labelled onsets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from chaperone_cli.domain.rule import RULES, Rule
from training.dialogues import PARASOCIAL, Dialogue

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNANIMOUS: Final = RULES[0]


def by_onset(dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    """Measures the labelled onsets as if they were an evaluator's verdicts.

    They are what careful judges would all say, and so what a unanimous evaluator can be expected
    to reach.
    """
    verdicts = _onsets(dialogues)
    return {
        **with_votes(dialogues, verdicts),
        "passes": with_passes(dialogues, verdicts, UNANIMOUS),
    }


def by_passes(dialogues: Sequence[Dialogue]) -> list[dict[str, float]]:
    """Measures each further pass of a language model as if it were an evaluator's verdicts."""
    most = max((len(dialogue.more_votes) for dialogue in dialogues), default=0)
    found: list[dict[str, float]] = []
    for number in range(most):
        read = [dialogue for dialogue in dialogues if len(dialogue.more_votes) > number]
        verdicts = [np.array(dialogue.more_votes[number]) == 1 for dialogue in read]
        bonds = np.array([dialogue.label == PARASOCIAL for dialogue in read])
        blocked = np.array([turns.any() for turns in verdicts])
        found.append(
            {
                "caught": share(blocked[bonds]),
                "others_blocked": share(blocked[~bonds]),
                **with_votes(read, verdicts),
            }
        )
    return found


def _onsets(dialogues: Sequence[Dialogue]) -> "list[NDArray[np.bool_]]":
    return [
        np.arange(1, len(dialogue.texts) + 1) >= (dialogue.onset or np.inf)
        for dialogue in dialogues
    ]


def with_votes(
    dialogues: Sequence[Dialogue], verdicts: "Sequence[NDArray[np.bool_]]"
) -> dict[str, float]:
    """Compares verdicts with the votes of the first pass, and with the labelled onsets."""
    behind_onset = _compare(dialogues, verdicts, _onsets(dialogues))["lag_mean"]
    votes = [np.array(dialogue.votes) > 0 for dialogue in dialogues]
    return {**_compare(dialogues, verdicts, votes), "lag_behind_onset": behind_onset}


def with_passes(
    dialogues: Sequence[Dialogue], verdicts: "Sequence[NDArray[np.bool_]]", rule: Rule
) -> dict[str, float]:
    """Compares verdicts with those of all passes by the same rule, where there are several."""
    several = [number for number, one in enumerate(dialogues) if one.more_votes]
    read = [dialogues[number] for number in several]
    wanted = [np.array(dialogue.verdicts(rule)) for dialogue in read]
    return _compare(read, [verdicts[number] for number in several], wanted) if read else {}


def _compare(
    dialogues: Sequence[Dialogue],
    verdicts: "Sequence[NDArray[np.bool_]]",
    wanted: "Sequence[NDArray[np.bool_]]",
) -> dict[str, float]:
    """Measures by how many turns verdicts are behind those `wanted`, and how far they agree.

    Lags are those of parasocial dialogues that both block. They are told apart by the side of the
    turn at which that is wanted: a chatbot's advance is no bond by itself. The agreement is Cohen's
    kappa, turn by turn.
    """
    lags = [
        (int(found.argmax()) - int(goal.argmax()), dialogue.sides[int(goal.argmax())])
        for dialogue, found, goal in zip(dialogues, verdicts, wanted, strict=True)
        if dialogue.label == PARASOCIAL and found.any() and goal.any()
    ]
    behind, side = np.array(lags, np.intp).reshape(-1, 2).T
    one, two = np.concatenate(verdicts), np.concatenate(wanted)
    chance = one.mean() * two.mean() + (1 - one.mean()) * (1 - two.mean())
    return {
        "lag_mean": _mean(behind),
        "lag_median": float(np.median(behind)) if len(behind) else 0.0,
        "lag_at_prompts": _mean(behind[side == 0]),
        "lag_at_responses": _mean(behind[side == 1]),
        "kappa": 1.0
        if chance == 1
        else round(float(((one == two).mean() - chance) / (1 - chance)), 4),
    }


def _mean(values: "NDArray[np.intp]") -> float:
    return round(float(values.mean()), 2) if len(values) else 0.0


def share(values: "NDArray[np.bool_]") -> float:
    """Gives the share that is true, 0 of nothing."""
    return round(float(values.mean()), 4) if len(values) else 0.0
