"""The local evaluator as a screen: how near its most suspicious member is to a yes."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Final

from chaperone_cli.domain.conversation import Conversation, Side, Turn
from chaperone_cli.evaluators.interface import Identity, Screen
from chaperone_cli.evaluators.local import members, model
from chaperone_cli.evaluators.local.language import LanguageWatch
from chaperone_cli.evaluators.local.ledger import Ledger

if TYPE_CHECKING:
    from pathlib import Path

CHUNK: Final = 64
"""Turns read at once."""
LARGEST_TEXT: Final = 200_000
"""Characters after which a chunk ends, so that a few huge turns are not held at once."""


class LocalScreen(Screen):
    """Reads with the local evaluator's members, and gives their odds instead of their votes."""

    level = -2.5
    rubrics = ("parasocial",)

    def __init__(self, folder: "Path | None" = None) -> None:
        """Names the folder with the weights, by default the package's own; reads only its manifest.

        Raises EvaluatorError where there is none.
        """
        self._source = model.Source.at(folder)
        self._loaded: model.Model | None = None

    @property
    def identity(self) -> Identity:  # noqa: D102
        return Identity("local", self._source.digest[:16])

    def suspicions(self, conversation: Conversation) -> Iterator[float]:  # noqa: D102
        if self._loaded is None:
            self._loaded = self._source.load()
        return _read(self._loaded, conversation.turns)


def _read(loaded: "model.Model", turns: Sequence[Turn]) -> Iterator[float]:
    import numpy as np

    ledger, language = Ledger(len(members.NAMES)), LanguageWatch()
    for chunk in _chunks(turns):
        sides = [int(turn.side is Side.RESPONSE) for turn in chunk]
        scored = loaded.scorer.score([turn.text for turn in chunk], sides)
        heard = members.listen(scored.evidence, np.array(sides, np.intp))
        unread = [language.advance(counts) is not None for counts in scored.counts]
        heard[unread] = 0.0
        kept = members.keep(ledger, heard)
        nearest = loaded.panel.margins(kept.numbers).max(axis=1).tolist()
        yield from (inf if hidden else near for near, hidden in zip(nearest, unread, strict=True))


def _chunks(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    starts, size = [0], 0
    for place, turn in enumerate(turns):
        if place - starts[-1] == CHUNK or size > LARGEST_TEXT:
            starts.append(place)
            size = 0
        size += len(turn.text)
    return (turns[start:end] for start, end in pairwise([*starts, len(turns)]) if start < end)
