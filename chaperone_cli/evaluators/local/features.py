"""Scores utterances: every view's cues for each of many turns in one pass over arrays.

A view's score of a text is the sum of the weights of its features over their norm, which is
sqrt(features + 4) up to `LONG` features and grows with their number from there on. So text without
known features scores near the intercept, and no score grows with length alone.
"""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from chaperone_cli.evaluators.local.lexicon import Lexicon, Trait
from chaperone_cli.evaluators.local.text import MAX_SENTENCE, tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SMOOTHING: Final = 4
LONG: Final = 400
"""Features of about a hundred words."""
BLOCK: Final = 8192
"""Tokens weighed at once; bounds the memory that a very long turn takes."""


class Features(NamedTuple):
    """The features of a run of tokens: rows of a table of weights, 0 where there is none."""

    word: "NDArray[np.intp]"
    pair: "NDArray[np.intp]"
    gap: "NDArray[np.intp]"
    """Two words with one between them."""
    at: "NDArray[np.intp]"
    """Positions of the tokens that have a class."""
    groups: "tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]"
    """Of each such token: its class, and its class after the one and the two before it."""


class Reading(NamedTuple):
    """A run of turns as numbers."""

    rows: "NDArray[np.intp]"
    """Of each token: its row in the lexicon."""
    traits: "NDArray[np.int32]"
    """(tokens, traits)."""
    starts: "NDArray[np.intp]"
    """First token of each sentence; no sentence is empty."""
    first: "NDArray[np.intp]"
    """First sentence of each turn that has tokens."""
    kept: "NDArray[np.intp]"
    """Which turns those are."""


class Index(NamedTuple):
    """Where the features stand in the table of weights; row 0 of the table is empty."""

    words: "NDArray[np.intp]"
    """Row by word number."""
    pair_keys: "NDArray[np.int64]"
    """Sorted; a pair's key is first x words + second."""
    pairs: "NDArray[np.intp]"
    gap_keys: "NDArray[np.int64]"
    gaps: "NDArray[np.intp]"
    groups: "NDArray[np.intp]"
    """Row by class, class pair and class triple; (classes + 1) cubed, 0 for none before."""
    group_count: int
    """Classes, and one more for none."""


def read(lexicon: Lexicon, texts: Sequence[str]) -> Reading:
    """Splits `texts` into sentences of tokens."""
    import numpy as np

    split = [tokens(text) for text in texts]
    lengths = np.array([len(part) for part in split], np.intp)
    rows = np.array(lexicon.rows(list(chain.from_iterable(split))), np.intp)
    traits = lexicon.traits[rows]
    kept = lengths.nonzero()[0]
    begins = (lengths.cumsum() - lengths)[kept]
    starts = _sentence_starts(traits[:, Trait.END], begins)
    return Reading(rows, traits, starts, np.searchsorted(starts, begins), kept)


def _sentence_starts(end: "NDArray[np.int32]", begins: "NDArray[np.intp]") -> "NDArray[np.intp]":
    import numpy as np

    opens = np.zeros(len(end), bool)
    opens[1:] = end[:-1] > end[1:]
    opens[begins] = True
    starts = opens.nonzero()[0]
    lengths = np.diff(starts, append=len(end))
    if len(lengths) and lengths.max() > MAX_SENTENCE:
        inside = np.arange(len(end)) - np.repeat(starts, lengths)
        starts = (inside % MAX_SENTENCE == 0).nonzero()[0]
    return starts


def find(index: Index, reading: Reading) -> Features:
    """Looks the features of `reading` up; no feature reaches over the end of a sentence."""
    import numpy as np

    word = reading.traits[:, Trait.WORD].astype(np.int64)
    group = reading.traits[:, Trait.GROUP]
    sentence = np.zeros(len(word), np.intp)
    sentence[reading.starts[1:]] = 1
    sentence = sentence.cumsum()
    at = group.nonzero()[0]
    return Features(
        index.words[word],
        _lookup(index.pair_keys, index.pairs, word, sentence, 1, len(index.words)),
        _lookup(index.gap_keys, index.gaps, word, sentence, 2, len(index.words)),
        at,
        _group_rows(index, group[at].astype(np.intp), sentence[at]),
    )


def _lookup(
    keys: "NDArray[np.int64]",
    rows: "NDArray[np.intp]",
    word: "NDArray[np.int64]",
    sentence: "NDArray[np.intp]",
    distance: int,
    base: int,
) -> "NDArray[np.intp]":
    import numpy as np

    found = np.zeros(len(word), np.intp)
    if len(word) > distance and len(keys):
        ahead, behind = word[distance:], word[:-distance]
        wanted = behind * base + ahead
        wanted[(sentence[distance:] != sentence[:-distance]) | (ahead == 0) | (behind == 0)] = -1
        place = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
        found[distance:] = np.where(keys[place] == wanted, rows[place], 0)
    return found


def _group_rows(
    index: Index, group: "NDArray[np.intp]", sentence: "NDArray[np.intp]"
) -> "tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]":
    import numpy as np

    base = index.group_count
    before = np.zeros((2, len(group)), np.intp)
    for distance in (1, 2):
        if len(group) > distance:
            same = sentence[distance:] == sentence[:-distance]
            before[distance - 1, distance:] = np.where(same, group[:-distance], 0)
    pair = np.where(before[0] > 0, before[0] * base + group, 0)
    triple = np.where(before[1] > 0, before[1] * base * base + pair, 0)
    return index.groups[group], index.groups[pair], index.groups[triple]


def sizes(reading: Reading, features: Features) -> "NDArray[np.float64]":
    """Counts the features of each sentence, known or not: (sentences, 2).

    The first column is for views of whole words, the second for the view of pieces.
    """
    import numpy as np

    each = np.empty((len(reading.rows), 2))
    each[:, 0] = 2.0
    each[:, 1] = reading.traits[:, Trait.PIECES]
    each[features.at] += 3.0
    return np.add.reduceat(each, reading.starts, axis=0)


def norms(size: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Gives what a sum over `size` features is divided by."""
    import numpy as np

    raised = size + SMOOTHING
    limit = float(np.sqrt(LONG + SMOOTHING))
    return np.maximum(np.sqrt(raised), raised / limit)
