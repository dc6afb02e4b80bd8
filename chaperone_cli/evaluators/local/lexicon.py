"""Turns tokens into numbers: words, word classes, pieces of words, and what they are made of."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import chain
from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.text import ENDS, grams, spellings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LIMIT: Final = 200_000
"""Distinct tokens remembered before the memory is emptied, which bounds a long run's memory."""

_ALIEN_FROM: Final = "\u0250"
"""First letter beyond the Latin alphabets, whose languages the evaluator cannot read."""


_PLAIN: Final = frozenset("'\",-*\u2019")
"""Marks that plain text is full of; other symbols speak of code or figures."""
_SHORT: Final = frozenset("aAiIuU")
"""Single letters that are words."""


class Trait(IntEnum):
    """The columns of `Lexicon.traits`; those from `PIECES` on add up over a turn."""

    WORD = 0
    """Number of the word; 0 where it is unknown."""
    GROUP = 1
    """Number of its word class; 0 for none."""
    END = 2
    """1 where the token ends a sentence."""
    PIECES = 3
    """Known pieces of the word."""
    WORDS = 4
    ENGLISH = 5
    """English function words."""
    FOREIGN = 6
    """Function words of other languages."""
    ALIEN = 7
    """Letters of alphabets other than the Latin one."""
    KNOWN = 8
    """Words of the vocabulary."""
    SYMBOLS = 9


class Lexicon(dict[str, int]):
    """Gives each token the number of its row in `traits` and `sums`.

    A token is looked up once and remembered, so a text costs one dict access per token. What a
    row says depends on the token alone, never on what was read before.
    """

    def __init__(
        self,
        words: Mapping[str, int],
        groups: "NDArray[np.integer]",
        pieces: Mapping[str, int],
        weights: "NDArray[np.float32]",
        english: frozenset[str],
        foreign: frozenset[str],
    ) -> None:
        """Takes what is known of words.

        `words` gives each known word its number, from 1, and `groups` each number its class;
        `pieces` gives each known piece its row of `weights`, (pieces, sides x columns); `english`
        and `foreign` are function words.
        """
        import numpy as np

        super().__init__()
        self._words = words
        self._groups = groups
        self._pieces = pieces
        self._weights = weights
        self._english = english
        self._foreign = foreign
        self._new: list[str] = []
        self.traits: NDArray[np.int32] = np.zeros((4096, len(Trait)), np.int32)
        self.sums: NDArray[np.float32] = np.zeros((4096, weights.shape[1]), np.float32)

    def rows(self, tokens: Sequence[str]) -> list[int]:
        """Gives the row of each token."""
        if len(self) > LIMIT:
            self.clear()
        rows = list(map(self.__getitem__, tokens))
        if self._new:
            self._learn()
        return rows

    def __missing__(self, token: str) -> int:
        row = len(self)
        self[token] = row
        self._new.append(token)
        return row

    def _learn(self) -> None:
        """Fills the rows of the new tokens, all at once because that is several times faster."""
        import numpy as np

        start, stop = len(self) - len(self._new), len(self)
        while stop > len(self.traits):
            self.traits = np.concatenate([self.traits, np.zeros_like(self.traits)])
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
        known = self._pieces
        found = [[known[gram] for gram in grams(token) if gram in known] for token in self._new]
        counts = np.array([len(pieces) for pieces in found], np.intp)
        has = counts.nonzero()[0]
        self.traits[start:stop] = [self._describe(token) for token in self._new]
        self.traits[start:stop, Trait.PIECES] = counts
        self.sums[start:stop] = 0
        if len(has):
            weights = self._weights[list(chain.from_iterable(found))]
            begins = (counts.cumsum() - counts)[has]
            self.sums[start + has] = np.add.reduceat(weights, begins, axis=0)
        self._new.clear()

    def _describe(self, token: str) -> list[int]:
        forms = spellings(token)
        word = next((self._words[form] for form in forms if form in self._words), 0)
        letters = token[0].isalpha()
        alien = len(token) if letters and token[0] >= _ALIEN_FROM else 0
        return [
            word,
            int(self._groups[word]),
            token in ENDS,
            0,
            letters and not alien and (len(token) > 1 or token in _SHORT),
            not self._english.isdisjoint(forms),
            not self._foreign.isdisjoint(forms),
            alien,
            letters and word > 0,
            not letters and token not in ENDS and token not in _PLAIN,
        ]
