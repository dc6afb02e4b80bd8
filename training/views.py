"""Fits the views: one logistic model per cue, side and view, on what each utterance says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from chaperone_cli.evaluators.local import features, model
from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.scoring import COLUMNS, VIEWS
from chaperone_cli.evaluators.local.text import grams, tokens
from training.dialogues import (
    Dialogue,
    columns,
    sides,
    texts,
)
from training.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRENGTH: Final = {"words": 20.0, "gaps": 20.0, "resample": 30.0, "pieces": 15.0}
"""Inverse regularisation of each view's logistic models."""


@dataclass(frozen=True)
class Design:
    """All utterances as rows of features, already divided by their norm."""

    whole: sp.csr_matrix
    """(utterances, table rows)."""
    pieces: sp.csr_matrix
    """(utterances, pieces)."""
    patterns: sp.csr_matrix
    """(utterances, pattern rows), divided by the norm of the view of pieces."""
    kinds: dict[str, slice]
    """The table rows of each kind of feature."""


def design(dialogues: Sequence[Dialogue], vocabulary: Vocabulary) -> Design:
    """Builds the features of all utterances with the code that reads them when judging."""
    blank = model.scorer(arrays(vocabulary, *blank_weights(vocabulary)))
    every = texts(dialogues)
    reading = features.read(blank.lexicon, every)
    found = features.find(blank.index, reading)
    lengths = np.diff(reading.starts[reading.first], append=len(reading.rows))
    utterance = np.repeat(reading.kept, lengths)
    kinds = _kinds(vocabulary)
    rows = kinds["pattern"].stop
    whole = _count(utterance, found.word, len(every), rows)
    for more in (found.pair, found.gap):
        whole += _count(utterance, more, len(every), rows)
    for more in found.groups:
        whole += _count(utterance[found.at], more, len(every), rows)
    size = np.zeros((len(every), 2))
    size[reading.kept] = np.add.reduceat(features.sizes(reading, found), reading.first, axis=0)
    norm = 1 / features.norms(size)
    whole = whole.tocsr()
    return Design(
        sp.csr_matrix(sp.diags(norm[:, 0]) @ whole),
        sp.csr_matrix(sp.diags(norm[:, 1]) @ _pieces(every, vocabulary)),
        sp.csr_matrix(sp.diags(norm[:, 1]) @ whole[:, kinds["pattern"]]),
        kinds,
    )


def fit(
    built: Design, dialogues: Sequence[Dialogue], chosen: "NDArray[np.intp]", seed: int
) -> "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]":
    """Fits every view on the dialogues numbered `chosen`.

    Gives the table (rows, sides, columns), that of pieces (pieces, sides x columns of one view)
    and the bias (sides, columns).
    """
    owner = np.repeat(np.arange(len(dialogues)), [len(d.texts) for d in dialogues])
    side = np.array(sides(dialogues))
    table = np.zeros((built.whole.shape[1], 2, len(VIEWS), WIDTH))
    pieces = np.zeros((built.pieces.shape[1], 2, WIDTH))
    bias = np.full((2, len(VIEWS), WIDTH), -6.0)
    drawn = np.random.default_rng(seed).choice(chosen, len(chosen))
    for number, view in enumerate(VIEWS):
        data, place = _view(built, view)
        for who in (0, 1):
            numbers = _utterances(owner, side, drawn if view == "resample" else chosen, who)
            for column, name in enumerate(columns(who)):
                target = _targets(dialogues, name)[numbers] if name else np.zeros(1, bool)
                if not target.sum() >= 5:
                    continue
                fitted = LogisticRegression(
                    C=STRENGTH[view], solver="liblinear", max_iter=300, random_state=0
                ).fit(data[numbers], target)
                bias[who, number, column] = fitted.intercept_[0]
                weights = fitted.coef_[0]
                table[place, who, number, column] = weights[: len(place)]
                if view == "pieces":
                    pieces[:, who, column] = weights[len(place) :]
    return (
        table.reshape(len(table), 2, COLUMNS),
        pieces.reshape(len(pieces), 2 * WIDTH),
        bias.reshape(2, COLUMNS),
    )


def quantise(
    table: "NDArray[np.float64]",
    pieces: "NDArray[np.float64]",
    bias: "NDArray[np.float64]",
) -> "tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float64], NDArray[np.float64]]":
    """Rounds weights to 127 steps a column; gives table, pieces, scale and bias."""
    peak = np.abs(table).max(axis=0)
    peak[:, -WIDTH:] = np.maximum(peak[:, -WIDTH:], np.abs(pieces).max(axis=0).reshape(2, WIDTH))
    scale = np.round(np.maximum(peak, 1e-6) / 127, 8)
    small = np.rint(table / scale).astype(np.int8)
    small_pieces = np.rint(pieces / scale[:, -WIDTH:].reshape(-1)).astype(np.int8)
    return small, small_pieces, scale, np.round(bias, 4)


def arrays(
    vocabulary: Vocabulary,
    table: "NDArray[np.int8]",
    pieces: "NDArray[np.int8]",
    scale: "NDArray[np.float64]",
    bias: "NDArray[np.float64]",
) -> "dict[str, NDArray[np.generic]]":
    """Gives what the weights file holds of the views."""
    return {
        "words": np.frombuffer("\n".join(vocabulary.words).encode(), np.uint8),
        "groups": np.array(vocabulary.groups, np.uint8),
        "group_count": np.array([vocabulary.group_count], np.int32),
        "pairs": np.array(vocabulary.pairs, np.uint32),
        "gaps": np.array(vocabulary.gaps, np.uint32),
        "patterns": np.array(vocabulary.patterns, np.int32),
        "pieces": np.frombuffer("\n".join(vocabulary.pieces).encode(), np.uint8),
        "english": np.frombuffer("\n".join(vocabulary.english).encode(), np.uint8),
        "foreign": np.frombuffer("\n".join(vocabulary.foreign).encode(), np.uint8),
        "table": table,
        "piece_table": pieces,
        "scale": scale,
        "bias": bias,
    }


def blank_weights(
    vocabulary: Vocabulary,
) -> "tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float64], NDArray[np.float64]]":
    """Gives weights of nothing for the rows of `vocabulary`."""
    rows = _kinds(vocabulary)["pattern"].stop
    return (
        np.zeros((rows, 2, COLUMNS), np.int8),
        np.zeros((len(vocabulary.pieces), 2 * WIDTH), np.int8),
        np.ones((2, COLUMNS)),
        np.zeros((2, COLUMNS)),
    )


def _kinds(vocabulary: Vocabulary) -> dict[str, slice]:
    kinds: dict[str, slice] = {}
    start = 1
    for kind, rows in (
        ("word", vocabulary.words),
        ("pair", vocabulary.pairs),
        ("gap", vocabulary.gaps),
        ("pattern", vocabulary.patterns),
    ):
        kinds[kind] = slice(start, start + len(rows))
        start += len(rows)
    return kinds


def _view(built: Design, view: str) -> "tuple[sp.csr_matrix, NDArray[np.intp]]":
    """Gives a view's features, and the table rows that its first weights go to."""
    every = np.arange(built.whole.shape[1])
    pattern = every[built.kinds["pattern"]]
    if view == "pieces":
        return sp.csr_matrix(sp.hstack([built.patterns, built.pieces])), pattern
    second = built.kinds["gap" if view == "gaps" else "pair"]
    place = np.concatenate([every[built.kinds["word"]], every[second], pattern])
    return built.whole[:, place], place


def _utterances(
    owner: "NDArray[np.intp]",
    side: "NDArray[np.intp]",
    chosen: "NDArray[np.intp]",
    who: int,
) -> "NDArray[np.intp]":
    """Gives the numbers of one side's utterances in `chosen`, as often as those are drawn."""
    starts = np.searchsorted(owner, np.arange(owner[-1] + 2))
    numbers = np.concatenate([np.arange(starts[d], starts[d + 1]) for d in chosen])
    found: NDArray[np.intp] = numbers[side[numbers] == who]
    return found


def _targets(dialogues: Sequence[Dialogue], column: str) -> "NDArray[np.bool_]":
    return np.array([d.target(t, column) for d in dialogues for t in range(len(d.texts))])


def _count(
    utterance: "NDArray[np.intp]", rows: "NDArray[np.intp]", height: int, width: int
) -> sp.csr_matrix:
    present = rows > 0
    ones = np.ones(int(present.sum()), np.float64)
    return sp.csr_matrix((ones, (utterance[present], rows[present])), (height, width))


def _pieces(every: Sequence[str], vocabulary: Vocabulary) -> sp.csr_matrix:
    row_of = {piece: row for row, piece in enumerate(vocabulary.pieces)}
    height: list[int] = []
    width: list[int] = []
    for number, text in enumerate(every):
        for token in tokens(text):
            found = [row_of[gram] for gram in grams(token) if gram in row_of]
            width += found
            height += [number] * len(found)
    shape = (len(every), len(vocabulary.pieces))
    return sp.csr_matrix((np.ones(len(width)), (height, width)), shape)
