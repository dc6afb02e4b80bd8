"""Fits the members: how each weighs its ledger, and from where on it votes yes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.optimize import minimize

from chaperone_cli.evaluators.local import members
from chaperone_cli.evaluators.local.cues import CORPUS_NAMES
from chaperone_cli.evaluators.local.ledger import SIZE, Ledger
from training.dialogues import Dialogue, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

PENALTY: Final = 1e-3
"""Weight of the squared weights beside the mean log loss."""
LENGTHS: Final = (2, 3, 4, 6, 4, 6)
"""Made-up long conversations to learn from: for each of these, every dialogue without a bond in a
chain of so many of its kind, and as many times one without and one with a bond."""
DOUBT: Final = 0.5
"""Weight of dialogues in which the chatbot alone crosses a line and gets a yes for it."""


@dataclass(frozen=True)
class Heard:
    """What the members hear of all dialogues, and which rows are whose."""

    dialogues: Sequence[Dialogue]
    evidence: "NDArray[np.float64]"
    """(utterances, members, both sides' cues)."""
    starts: "NDArray[np.intp]"

    def numbers(self, chain: Sequence[int]) -> "NDArray[np.float64]":
        """Gives the ledgers' numbers over the dialogues of `chain`, read as one conversation."""
        rows = [np.arange(self.starts[d], self.starts[d + 1]) for d in chain]
        return members.keep(Ledger(len(members.NAMES)), self.evidence[np.concatenate(rows)]).numbers


def fit(heard: Heard, chosen: Sequence[int], seed: int) -> "NDArray[np.float64]":
    """Fits all members on the dialogues numbered `chosen`; gives (members, SIZE + 1).

    The last number is the log odds of an empty ledger. What speaks for a bond never lowers the
    odds.
    """
    chains = [[d] for d in chosen] + _chains(heard, chosen, seed)
    numbers = np.concatenate([heard.numbers(chain) for chain in chains])
    votes = np.concatenate([heard.dialogues[d].votes for chain in chains for d in chain]) > 0
    weight = np.concatenate([_weights(heard, chain) for chain in chains])
    return np.stack(
        [_logistic(numbers[:, m], votes, weight / weight.sum()) for m in range(len(members.NAMES))]
    )


def odds(weights: "NDArray[np.float64]", numbers: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Gives each member's log odds, (turns, members)."""
    found: NDArray[np.float64] = (numbers * weights[:, :-1]).sum(axis=-1) + weights[:, -1]
    return found


def chains_of_a_kind(
    dialogues: Sequence[Dialogue], chosen: Sequence[int], length: int
) -> list[list[int]]:
    """Divides those of `chosen` without a yes into made-up long conversations of one kind each."""
    kinds: dict[str, list[int]] = {}
    for number in chosen:
        if dialogues[number].first_yes is None:
            kinds.setdefault(dialogues[number].kind, []).append(number)
    return [
        numbers[start : start + length]
        for numbers in kinds.values()
        for start in range(0, len(numbers) - length + 1, length)
    ]


def _chains(heard: Heard, chosen: Sequence[int], seed: int) -> list[list[int]]:
    random = np.random.default_rng(seed)
    without = [d for d in chosen if heard.dialogues[d].first_yes is None]
    bonded = [d for d in chosen if heard.dialogues[d].first_yes is not None]
    found: list[list[int]] = []
    for length in LENGTHS:
        drawn = random.permutation(chosen).tolist()
        found += chains_of_a_kind(heard.dialogues, drawn, length)
        late = random.choice(without, len(without) // length)
        found += [[int(early), int(random.choice(bonded))] for early in late]
    return found


def _weights(heard: Heard, chain: Sequence[int]) -> "NDArray[np.float64]":
    turns = sum(len(heard.dialogues[d].texts) for d in chain)
    trust = DOUBT if heard.dialogues[chain[-1]].disputed else 1.0
    return np.full(turns, trust / np.sqrt(turns))


def _bounds() -> list[tuple[float | None, float | None]]:
    found: list[tuple[float | None, float | None]] = []
    for name in (name for side in (0, 1) for name in columns(side)):
        speaks_for = name in CORPUS_NAMES or name in ("bond", "vote")
        found.append((0, None) if speaks_for else (-2, 2) if name else (0, 0))
    return [*found, (None, None)]


def _logistic(
    numbers: "NDArray[np.float64]",
    votes: "NDArray[np.bool_]",
    weight: "NDArray[np.float64]",
) -> "NDArray[np.float64]":
    data = np.column_stack([numbers, np.ones(len(numbers))])
    sign = np.where(votes, 1.0, -1.0)

    def loss(at: "NDArray[np.float64]") -> "tuple[float, NDArray[np.float64]]":
        margin = sign * (data @ at)
        slope = -sign * np.exp(-np.logaddexp(0, margin))
        shrink = np.append(at[:-1], 0.0)
        value = weight @ np.logaddexp(0, -margin) + PENALTY * (shrink @ shrink) / 2
        return float(value), data.T @ (weight * slope) + PENALTY * shrink

    start = np.append(np.zeros(SIZE), -2.0)
    found = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=_bounds(),
        options={"maxiter": 400},
    )
    weights: NDArray[np.float64] = np.round(found.x, 3)
    return weights
