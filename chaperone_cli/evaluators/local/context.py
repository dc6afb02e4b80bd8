"""Follows one conversation for the encoder, and works through only the utterances that matter.

What is called an utterance here is a part of one where it is long.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.encoder import REACH, Page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chaperone_cli.evaluators.local.encoder import Encoder, Memory

MOST_PIECES: Final = 1_500
"""Pieces worked through in one go; bounds the memory that long utterances take."""


class Context:
    """What the encoder made of the last few utterances of a conversation, where it was asked.

    What is given for an utterance depends on it and on those before it that were asked about, never
    on how a conversation is cut into runs.
    """

    def __init__(self, encoder: "Encoder") -> None:
        self._encoder = encoder
        self._recent: list[Memory | None] = []

    def advance(
        self, texts: Sequence[str], sides: Sequence[int], wanted: Sequence[bool]
    ) -> "NDArray[np.float64]":
        """Takes in a run of turns; gives the outputs of those `wanted`, and NaN for the others."""
        import numpy as np

        before = len(self._recent)
        line = [*self._recent, *[None] * len(texts)]
        given = np.full((len(line), self._encoder.outputs), np.nan)
        pages = {
            at: self._encoder.page(text, side)
            for at, (text, side, want) in enumerate(zip(texts, sides, wanted, strict=True), before)
            if want
        }
        for group in _groups(pages):
            given[group] = self._read(line, {at: pages[at] for at in group})
            line[: max(0, group[-1] - REACH)] = [None] * max(0, group[-1] - REACH)
        self._recent = line[-REACH:]
        return given[before:]

    def _read(
        self, line: "list[Memory | None]", pages: Mapping[int, Page]
    ) -> "NDArray[np.float32]":
        first = min(pages)
        nearby = {
            at: memory
            for at in range(max(0, first - REACH), first)
            if (memory := line[at]) is not None
        }
        place = {at: number for number, at in enumerate([*nearby, *pages])}
        reaches = [[place.get(at - far, -1) for far in range(1, REACH + 1)] for at in pages]
        outputs, memories = self._encoder.read(list(pages.values()), reaches, list(nearby.values()))
        for at, memory in zip(pages, memories, strict=True):
            line[at] = memory
        return outputs


def _groups(pages: Mapping[int, Page]) -> Iterator[list[int]]:
    group: list[int] = []
    size = 0
    for at, page in pages.items():
        if group and size + len(page.pieces) > MOST_PIECES:
            yield group
            group, size = [], 0
        group.append(at)
        size += len(page.pieces)
    if group:
        yield group
