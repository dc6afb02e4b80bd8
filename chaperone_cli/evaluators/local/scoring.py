"""From features to evidence: how strongly each utterance shows each cue, in every view.

All sums are over whole numbers and the rest is plain arithmetic, so the same text gives the same
evidence on every machine, in whatever company it is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.features import (
    BLOCK,
    Index,
    find,
    norms,
    read,
    sizes,
)
from chaperone_cli.evaluators.local.language import Counts
from chaperone_cli.evaluators.local.lexicon import Lexicon, Trait

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chaperone_cli.evaluators.local.features import Features, Reading

VIEWS: Final = ("words", "gaps", "resample", "pieces")
"""What each block of `WIDTH` columns looks at; `pieces` alone sees inside words."""
COLUMNS: Final = WIDTH * len(VIEWS)
LOWEST: Final = -5.0
HIGHEST: Final = 3.0
"""Log odds that stand for no evidence (0) and full evidence (1); what lies outside is cut."""
STEPS: Final = 1024
"""Evidence is a multiple of one over this."""


class Scored(NamedTuple):
    """What a run of texts shows."""

    evidence: "NDArray[np.float64]"
    """(texts, views, cues), each from 0 to 1."""
    best: "NDArray[np.float64]"
    """(texts, cues): the evidence of the best sentence by itself, the mean of all views."""
    counts: list[Counts]
    """Per text."""


@dataclass(frozen=True)
class Scorer:
    """Weighs features; holds the tables of weights of all views side by side."""

    lexicon: Lexicon
    index: Index
    table: "NDArray[np.float32]"
    """(rows x 2 sides, columns): whole numbers, row 2r for prompts and 2r + 1 for responses."""
    scale: "NDArray[np.float64]"
    """(sides, columns): what one unit of the table is worth."""
    bias: "NDArray[np.float64]"
    """(sides, columns): log odds of a text without features."""

    def score(self, texts: Sequence[str], sides: Sequence[int]) -> Scored:
        """Scores each text, which a user (side 0) or a chatbot (side 1) says.

        A text's score is the mean of that of the whole and of its best sentence.
        """
        import numpy as np

        reading = read(self.lexicon, texts)
        side = np.array(sides, np.intp)
        odds = self.bias[side]
        highest = odds.copy()
        counts = np.zeros((len(texts), len(Trait) - Trait.PIECES), np.int64)
        if len(reading.kept):
            kept, first = reading.kept, reading.first
            per_sentence = np.diff(first, append=len(reading.starts))
            sums, size = self.sentences(reading, np.repeat(side[kept], per_sentence))
            best = np.maximum.reduceat(sums / _norm(size), first, axis=0)
            whole = np.add.reduceat(sums, first, axis=0) / _norm(
                np.add.reduceat(size, first, axis=0)
            )
            scale = self.scale[side[kept]]
            odds[kept] += (best + whole) * (scale / 2)
            highest[kept] += best * scale
            begins = reading.starts[first]
            counts[kept] = np.add.reduceat(reading.traits[:, Trait.PIECES :], begins, axis=0)
        shape = len(texts), len(VIEWS), WIDTH
        return Scored(
            evidence(odds).reshape(shape),
            evidence(highest).reshape(shape).mean(axis=1),
            [Counts(*row) for row in counts.tolist()],
        )

    def sentence_scores(
        self, reading: "Reading", side: "NDArray[np.intp]"
    ) -> "NDArray[np.float64]":
        """Gives each sentence's sums over their norm, (sentences, columns), in units of `scale`."""
        sums, size = self.sentences(reading, side)
        return sums / _norm(size)

    def sentences(
        self, reading: "Reading", side: "NDArray[np.intp]"
    ) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Sums the weights of each sentence; `side` is that of each.

        Gives the sums (sentences, columns) and the numbers of features (sentences, 2).
        """
        import numpy as np

        features = find(self.index, reading)
        lengths = np.diff(reading.starts, append=len(reading.rows))
        token_side = np.repeat(side, lengths)
        sums = np.empty((len(side), COLUMNS))
        for low, high in _blocks(reading.starts, len(reading.rows)):
            stop = reading.starts[high] if high < len(side) else len(reading.rows)
            weights = self._weigh(features, reading, token_side, int(reading.starts[low]), stop)
            sums[low:high] = np.add.reduceat(
                weights, reading.starts[low:high] - reading.starts[low], axis=0
            )
        return sums, sizes(reading, features)

    def _weigh(
        self,
        features: "Features",
        reading: "Reading",
        side: "NDArray[np.intp]",
        start: int,
        stop: int,
    ) -> "NDArray[np.float32]":
        """Gives the weights that each token from `start` to `stop` brings, with what ends in it."""
        span = slice(start, stop)
        here = side[span]
        weights: NDArray[np.float32] = self.table[features.word[span] * 2 + here]
        for rows in (features.pair[span], features.gap[span]):
            found = rows.nonzero()[0]
            weights[found] += self.table[rows[found] * 2 + here[found]]
        low, high = features.at.searchsorted((start, stop))
        at = features.at[low:high]
        single, pair, triple = (rows[low:high] * 2 + side[at] for rows in features.groups)
        weights[at - start] += self.table[single] + self.table[pair] + self.table[triple]
        pieces = self.lexicon.sums.reshape(-1, WIDTH)[reading.rows[span] * 2 + here]
        weights[:, -WIDTH:] += pieces
        return weights


def evidence(
    odds: "NDArray[np.float64]", lowest: float = LOWEST, highest: float = HIGHEST
) -> "NDArray[np.float64]":
    """Turns log odds into evidence, in steps: 0 at `lowest` and below, 1 at `highest` and above."""
    import numpy as np

    share = (odds - lowest) / (highest - lowest)
    return np.rint(np.clip(share, 0.0, 1.0) * STEPS) / STEPS


def _norm(size: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    return np.repeat(norms(size), [COLUMNS - WIDTH, WIDTH], axis=1)


def _blocks(starts: "NDArray[np.intp]", total: int) -> "list[tuple[int, int]]":
    """Divides sentences into runs of about `BLOCK` tokens."""
    cuts = starts.searchsorted(range(0, total, BLOCK)).tolist()
    return [(a, b) for a, b in zip(cuts, [*cuts[1:], len(starts)], strict=True) if a < b]
