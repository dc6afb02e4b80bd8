"""Divides long utterances into parts, which are heard one by one, so that no sentence is drowned.

An utterance shows what the part of it shows that shows most.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WHOLE: Final = 480
"""Characters of an utterance that is not divided; some hundred words of the encoder's."""
LONGEST: Final = (240, 480)
"""Characters of a part of a longer one, of a prompt and of a response.

The less is read at once, the less one sentence is drowned; but a response in many parts would push
the prompt before it out of the encoder's reach.
"""
_SENTENCE: Final = re.compile(r"[.!?;\u2026][\"'\u2019\u201d)\]*_]*\s+|[\u3002\uff01\uff1f]|\n\s*")
_SPACE: Final = re.compile(r"\s+")


class Parts(NamedTuple):
    """A run of utterances in parts, one after another."""

    texts: list[str]
    sides: list[int]
    first: "NDArray[np.intp]"
    """Number of each utterance's first part; every utterance has one."""

    def each(self, values: "NDArray[Any]") -> "NDArray[Any]":
        """Gives to each part what `values` says of its utterance."""
        import numpy as np

        return np.repeat(values, np.diff(self.first, append=len(self.texts)))

    def highest(self, values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Gives the highest of each utterance's parts' rows, column by column."""
        import numpy as np

        found: NDArray[np.float64] = np.maximum.reduceat(values, self.first, axis=0)
        return found


def divide(texts: Sequence[str], sides: Sequence[int]) -> Parts:
    """Divides utterances, which a user (side 0) or a chatbot (side 1) says."""
    import numpy as np

    found = Parts([], [], np.empty(len(texts), np.intp))
    for number, (text, side) in enumerate(zip(texts, sides, strict=True)):
        own = parts(text, side)
        found.first[number] = len(found.texts)
        found.texts.extend(own)
        found.sides.extend([side] * len(own))
    return found


def parts(text: str, side: int) -> list[str]:
    """Divides one utterance, where a sentence ends if one does, or else between words."""
    if len(text) <= WHOLE:
        return [text]
    found: list[str] = []
    start = 0
    while len(text) - start > LONGEST[side]:
        end = start + LONGEST[side]
        stop = _last(_SENTENCE, text, start, end) or _last(_SPACE, text, start, end) or end
        found.append(text[start:stop])
        start = stop
    return [*found, text[start:]]


def _last(border: re.Pattern[str], text: str, start: int, end: int) -> int | None:
    """Gives where the last `border` in the second half ends, so that no part is short."""
    stop = None
    for match in border.finditer(text, (start + end) // 2, end):
        stop = match.end()
    return stop
