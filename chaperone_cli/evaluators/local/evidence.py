"""Says what a yes vote stands on: cues that may be named, and the sentence that weighed most."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from chaperone_cli.domain.conversation import Side, Turn
from chaperone_cli.domain.vote import Evidence, Span
from chaperone_cli.evaluators.local.cores import one_core
from chaperone_cli.evaluators.local.cues import COLUMNS, CORPUS_NAMES, WIDTH
from chaperone_cli.evaluators.local.features import read
from chaperone_cli.evaluators.local.ledger import BONDS
from chaperone_cli.evaluators.local.members import USER, WHOLE
from chaperone_cli.evaluators.local.text import TOKEN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chaperone_cli.evaluators.local.members import Kept
    from chaperone_cli.evaluators.local.model import Model

_NAMES: Final = tuple(
    CORPUS_NAMES[name].value if name in CORPUS_NAMES else ""
    for side in (Side.PROMPT, Side.RESPONSE)
    for name in COLUMNS[side]
)


def witness(
    numbers: "NDArray[np.float64]",
    turns: Sequence[int],
    member: Sequence[int],
    both: bool,
) -> "NDArray[np.float64]":
    """Gives how strongly each cue showed where members voted yes, (votes, both sides' cues).

    `numbers` is of their ledgers, (turns, members, SIZE). Where both stages work, not every member
    looks at cues singly: `whole` speaks for all, and of prompts alone for the user's.
    """
    import numpy as np

    who = np.asarray(member, np.intp)
    strength: NDArray[np.float64] = numbers[turns, WHOLE if both else who]
    strength[who == USER, WIDTH:] = 0.0
    return strength


class Witness:
    """Gives the evidence of one conversation's votes; looks at a turn's sentences once at most."""

    def __init__(self, model: "Model", turns: Sequence[Turn]) -> None:
        self._model = model
        self._turns = turns
        self._spans: dict[int, Span | None] = {}

    def evidence(self, kept: "Kept", place: int, member: int) -> Evidence:
        """Gives what `member`'s yes at turn number `place` of the pages `kept` stands on."""
        both = self._model.encoder is not None
        strength = witness(kept.numbers, [place], [member], both)[0]
        named = (strength >= self._model.levels).nonzero()[0].tolist()
        named.sort(key=strength.__getitem__, reverse=True)
        prompt, response = (strength[column] for column in BONDS)
        speaker = WHOLE if both else member
        peak = int(kept.peaks[place, speaker, int(response > prompt)])
        return Evidence(tuple(_NAMES[column] for column in named), self._span(peak))

    def _span(self, number: int) -> Span | None:
        if number not in self._spans:
            with one_core():
                self._spans[number] = self._best_sentence(number) if number else None
        return self._spans[number]

    def _best_sentence(self, number: int) -> Span | None:
        import numpy as np

        turn = self._turns[number - 1]
        scorer = self._model.scorer
        side = int(turn.side is Side.RESPONSE)
        reading = read(scorer.lexicon, [turn.text])
        if not len(reading.starts):
            return None
        scores = scorer.sentence_scores(reading, np.full(len(reading.starts), side, np.intp))
        bonds = (scores * scorer.scale[side])[:, ::WIDTH].sum(axis=1)
        best = int(bonds.argmax())
        first = int(reading.starts[best])
        stop = (
            int(reading.starts[best + 1]) if best + 1 < len(reading.starts) else len(reading.rows)
        )
        return _stretch(turn, first, stop)


def _stretch(turn: Turn, first: int, stop: int) -> Span:
    """Gives where the tokens from number `first` up to `stop` stand, without outer line ends."""
    places = [
        match.span()
        for number, match in enumerate(TOKEN.finditer(turn.text))
        if first <= number < stop
    ]
    inner = turn.text[places[0][0] : places[-1][1]]
    start = places[0][0] + len(inner) - len(inner.lstrip())
    return Span(turn.number, start, start + len(inner.strip()), turn.side)
