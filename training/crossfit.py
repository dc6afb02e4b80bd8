"""Judges every dialogue with members that never saw it, which is what all figures rest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from chaperone_cli.evaluators.local import members, model
from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.scoring import VIEWS
from training import ledgers, views
from training.dialogues import (
    PARASOCIAL,
    Dialogue,
    part_counts,
    parts,
)
from training.ledgers import Heard
from training.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDS: Final = 3


@dataclass(frozen=True)
class Shares:
    """The shares of conversations that each member may block by itself."""

    single: tuple[float, ...]
    """Of the dialogues without a single yes."""
    long: tuple[float, ...]
    """Of made-up long conversations, `LONG_OF` dialogues of a kind without a yes each."""


BOTH: Final = Shares((0.097, 0.126, 0.117, 0.126, 0.117), (0.35, 0.4, 0.4, 0.4, 0.45))
"""With both stages: much alike, as each has its say under unanimity, which `words` decides most
often."""
WORDS: Final = Shares((0.14, 0.14, 0.14, 0.14, 0.18), (0.6, 0.6, 0.6, 0.6, 0.65))
"""Without the encoder: the user's member is the strictest by its nature."""
LONG_OF: Final = 4


@dataclass(frozen=True)
class CrossFit:
    """What members that never saw a dialogue make of it."""

    heard: Heard
    odds: "list[NDArray[np.float64]]"
    """Per dialogue: (turns, members)."""
    thresholds: "NDArray[np.float64]"
    long: "list[NDArray[np.float64]]"
    """The same for made-up long conversations of one kind."""
    long_from: list[int]
    """The first dialogue of each."""

    def yes(self, dialogue: int) -> "NDArray[np.bool_]":
        """Gives the votes on a dialogue, (turns, members)."""
        return self.odds[dialogue] >= self.thresholds


def folds(count: int, seed: int) -> "NDArray[np.intp]":
    """Gives each of `count` dialogues its fold, of equal size as near as can be."""
    return np.random.default_rng(seed).permutation(np.arange(count) % FOLDS)


def folds_of_files(dialogues: Sequence[Dialogue], seed: int) -> "NDArray[np.intp]":
    """Gives each dialogue its fold, all of a file the same, as each file has an author of its own.

    Folds have about as many dialogues with a bond, and about as many without.
    """
    kinds = sorted({dialogue.kind for dialogue in dialogues})
    bonds = np.array([[one.label == PARASOCIAL, one.label != PARASOCIAL] for one in dialogues])
    sizes = {kind: bonds[[one.kind == kind for one in dialogues]].sum(axis=0) for kind in kinds}
    share = np.zeros((FOLDS, 2))
    fold: dict[str, int] = {}
    drawn = np.random.default_rng(seed).permutation(kinds).tolist()
    for kind in sorted(drawn, key=lambda kind: -int(sizes[kind].sum())):
        grown = share + sizes[kind] / bonds.sum(axis=0)
        fold[kind] = int(grown.max(axis=1).argmin())
        share[fold[kind]] = grown[fold[kind]]
    return np.array([fold[dialogue.kind] for dialogue in dialogues])


def cross_fit(
    heard: Heard,
    fold: "NDArray[np.intp]",
    mixing: "NDArray[np.float64]",
    shares: Shares,
    seed: int,
) -> CrossFit:
    """Fits members without each fold in turn and judges that fold with them."""
    odds: dict[int, NDArray[np.float64]] = {}
    long: list[NDArray[np.float64]] = []
    long_from: list[int] = []
    for number in range(FOLDS):
        weights = ledgers.fit(heard, (fold != number).nonzero()[0].tolist(), seed)
        held = (fold == number).nonzero()[0].tolist()
        for dialogue in held:
            odds[dialogue] = ledgers.odds(weights, heard.numbers([dialogue])) @ mixing.T
        chains = ledgers.chains_of_a_kind(heard.dialogues, held, LONG_OF)
        long.extend(ledgers.odds(weights, heard.numbers(chain)) @ mixing.T for chain in chains)
        long_from.extend(chain[0] for chain in chains)
    ordered = [odds[dialogue] for dialogue in range(len(heard.dialogues))]
    thresholds = _thresholds(heard.dialogues, ordered, long, shares)
    return CrossFit(heard, ordered, thresholds, long, long_from)


def hear(
    dialogues: Sequence[Dialogue],
    evidence: "NDArray[np.float64]",
    outputs: "NDArray[np.float64] | None",
) -> Heard:
    """Gives what members hear, from the views' evidence and the encoder's outputs, if any."""
    said = parts(dialogues)
    heard = said.highest(members.listen(evidence, np.array(said.sides, np.intp), outputs))
    lengths = [len(dialogue.texts) for dialogue in dialogues]
    return Heard(dialogues, heard, np.concatenate([[0], np.cumsum(lengths)]))


def evidence(
    dialogues: Sequence[Dialogue],
    vocabulary: Vocabulary,
    built: views.Design,
    fold: "NDArray[np.intp]",
    seed: int,
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Gives what views that never saw a dialogue say of it.

    Of its parts, (parts, views, cues), and of the best sentence of each, (parts, cues).
    """
    every, side, _ = parts(dialogues)
    owner = np.repeat(fold, part_counts(dialogues))
    found = np.zeros((len(every), len(VIEWS), WIDTH))
    best = np.zeros((len(every), WIDTH))
    for number in range(FOLDS):
        fitted = views.fit(built, dialogues, (fold != number).nonzero()[0], seed)
        scorer = model.scorer(views.arrays(vocabulary, *views.quantise(*fitted)))
        rows = (owner == number).nonzero()[0]
        scored = scorer.score([every[r] for r in rows], [side[r] for r in rows])
        found[rows], best[rows] = scored.evidence, scored.best
    return found, best


def _thresholds(
    dialogues: Sequence[Dialogue],
    odds: "Sequence[NDArray[np.float64]]",
    long: "Sequence[NDArray[np.float64]]",
    shares: Shares,
) -> "NDArray[np.float64]":
    """Gives the odds that no more than the stated shares of conversations without a yes reach."""
    single = [odds[n] for n, dialogue in enumerate(dialogues) if dialogue.first_yes is None]
    found = [
        [_reached(group, member, share) for member, share in enumerate(most)]
        for group, most in ((single, shares.single), (long, shares.long))
        if group
    ]
    thresholds: NDArray[np.float64] = np.max(found, axis=0).round(3)
    return thresholds


def _reached(group: "Sequence[NDArray[np.float64]]", member: int, share: float) -> float:
    highest = [odds[:, member].max() for odds in group]
    return float(np.quantile(highest, 1 - share, method="higher"))
