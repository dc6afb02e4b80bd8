"""Follows one conversation for the encoder, and works through only the utterances that matter.

What is called an utterance here is a part of one where it is long.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chaperone_cli.evaluators.local.encoder import REACH, Page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chaperone_cli.evaluators.local.encoder import Encoder, Memory

CLOSE: Final = 2
"""Utterances just before one that matters that are worked through with it; at most REACH."""
KEPT: Final = REACH + CLOSE
"""Utterances kept: one just before may still be worked through, and attends to those before it."""
MOST_PIECES: Final = 1_500
"""Pieces worked through in one go; bounds the memory that long utterances take."""


@dataclass(slots=True)
class Utterance:
    """One utterance within reach, worked through or not."""

    text: str
    side: int
    memory: "Memory | None" = None


class Context:
    """The last few utterances of a conversation, and what the encoder made of them.

    What is given for an utterance depends on it and on what came before it, never on how a
    conversation is cut into runs.
    """

    def __init__(self, encoder: "Encoder") -> None:
        self._encoder = encoder
        self._recent: list[Utterance] = []

    def advance(
        self, texts: Sequence[str], sides: Sequence[int], wanted: Sequence[bool]
    ) -> "NDArray[np.float64]":
        """Takes in a run of turns; gives the outputs of those `wanted`, and NaN for the others."""
        import numpy as np

        before = len(self._recent)
        line = self._recent + [Utterance(*turn) for turn in zip(texts, sides, strict=True)]
        given = np.full((len(line), self._encoder.outputs), np.nan)
        pages = {
            at: self._encoder.page(line[at].text, line[at].side)
            for at in _needed(line, before, wanted)
        }
        for group in _groups(pages):
            asked = [at for at in group if at >= before and wanted[at - before]]
            given[asked] = self._read(line, {at: pages[at] for at in group}, asked)
            for past in line[: max(0, group[-1] - REACH)]:
                past.memory = None
        self._recent = line[-KEPT:]
        return given[before:]

    def _read(
        self, line: Sequence[Utterance], pages: Mapping[int, Page], asked: Container[int]
    ) -> "NDArray[np.float32]":
        first = min(pages)
        nearby = {
            at: memory
            for at in range(max(0, first - REACH), first)
            if (memory := line[at].memory) is not None
        }
        place = {at: number for number, at in enumerate([*nearby, *pages])}
        reaches = [[place.get(at - far, -1) for far in range(1, REACH + 1)] for at in pages]
        wanted = [number for number, at in enumerate(pages) if at in asked]
        outputs, memories = self._encoder.read(
            list(pages.values()), reaches, list(nearby.values()), wanted
        )
        for at, memory in zip(pages, memories, strict=True):
            line[at].memory = memory
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


def _needed(line: Sequence[Utterance], before: int, wanted: Sequence[bool]) -> list[int]:
    needed = {
        at
        for number, want in enumerate(wanted, before)
        if want
        for at in range(max(0, number - CLOSE), number + 1)
    }
    return sorted(at for at in needed if line[at].memory is None)
