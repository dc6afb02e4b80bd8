"""Reads a conversation with both stages, in chunks, and says how near each member is to a yes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from chaperone_cli.domain.conversation import Side, Turn
from chaperone_cli.domain.vote import AbstainReason
from chaperone_cli.evaluators.local import members, parts
from chaperone_cli.evaluators.local.context import Context
from chaperone_cli.evaluators.local.cores import one_core
from chaperone_cli.evaluators.local.gate import Approach
from chaperone_cli.evaluators.local.language import Counts, LanguageWatch
from chaperone_cli.evaluators.local.ledger import Ledger

if TYPE_CHECKING:
    from chaperone_cli.evaluators.local.model import Model

FIRST_CHUNK: Final = 16
"""Turns read at once at the start of a conversation; later chunks double, up to the largest."""
LARGEST_CHUNK: Final = 64
LARGEST_TEXT: Final = 200_000
"""Characters after which a chunk ends, so that a few huge turns are not held at once."""


class Heard(NamedTuple):
    """What was made of a chunk of turns."""

    margins: list[list[float]]
    """Per turn, per member: by how much its odds exceed those from which it votes yes."""
    reasons: list[AbstainReason | None]
    """Per turn: why it could not be read, if so."""
    kept: members.Kept


class Listener:
    """One conversation, read in chunks as far as it is asked about.

    What a turn shows depends on its own text and the turns before it; reading a chunk at once only
    saves time.
    """

    def __init__(self, loaded: "Model", turns: Sequence[Turn]) -> None:
        self._model = loaded
        self._turns = turns
        self._read = 0
        self._ledger = Ledger(len(members.NAMES))
        self._language = LanguageWatch()
        self._approach = Approach()
        self._context = None if loaded.encoder is None else Context(loaded.encoder)

    def read_on(self) -> Heard:
        """Reads the next chunk of turns."""
        with one_core():
            return self._read_on()

    def _read_on(self) -> Heard:
        import numpy as np

        chunk = self._chunk()
        self._read += len(chunk)
        said = parts.divide(
            [turn.text for turn in chunk], [int(turn.side is Side.RESPONSE) for turn in chunk]
        )
        scored = self._model.scorer.score(said.texts, said.sides)
        counts = np.add.reduceat(scored.counts, said.first, axis=0).tolist()
        reasons = [self._language.advance(Counts(*row)) for row in counts]
        unread = np.array([reason is not None for reason in reasons])
        side = np.array(said.sides, np.intp)
        outputs = None
        if self._context is not None:
            numbers = self._approach.advance(scored.evidence, scored.best, side)
            wanted = self._model.gate.open(numbers, side) & ~said.each(unread)
            outputs = self._context.advance(said.texts, said.sides, wanted.tolist())
        heard = said.highest(members.listen(scored.evidence, side, outputs))
        heard[unread] = 0.0
        kept = members.keep(self._ledger, heard)
        return Heard(self._model.panel.margins(kept.numbers).tolist(), reasons, kept)

    def _chunk(self) -> Sequence[Turn]:
        start = self._read
        chunk = self._turns[start : start + min(max(FIRST_CHUNK, start), LARGEST_CHUNK)]
        size = 0
        for count, turn in enumerate(chunk, 1):
            size += len(turn.text)
            if size > LARGEST_TEXT:
                return chunk[:count]
        return chunk
