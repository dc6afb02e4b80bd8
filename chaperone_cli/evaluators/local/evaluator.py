"""The evaluator that needs no network: five trained members, read from the package's data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from chaperone_cli.domain.conversation import Conversation, Side, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import NO, AbstainReason, Answer, Vote
from chaperone_cli.errors import UsageError
from chaperone_cli.evaluators.interface import Evaluator, Identity, Session
from chaperone_cli.evaluators.local import members, model
from chaperone_cli.evaluators.local.evidence import Witness
from chaperone_cli.evaluators.local.language import LanguageWatch
from chaperone_cli.evaluators.local.ledger import Ledger

if TYPE_CHECKING:
    from pathlib import Path

FIRST_CHUNK: Final = 16
"""Turns read at once at the start of a conversation; later chunks double, up to the largest."""
LARGEST_CHUNK: Final = 64
LARGEST_TEXT: Final = 200_000
"""Characters after which a chunk ends, so that a few huge turns are not held at once."""

_ALL_NO: Final = [NO] * len(members.NAMES)
_ABSTAIN: Final = {reason: Vote(Answer.ABSTAIN, reason) for reason in AbstainReason}


class LocalEvaluator(Evaluator):
    """Answers from words alone, on this machine, always the same for the same conversation."""

    free_to_repeat = True
    answers_at_once = True
    max_passes = len(members.NAMES)
    rubrics = ("parasocial",)

    def __init__(self, folder: "Path | None" = None) -> None:
        """Names the folder with the weights, by default the package's own; reads only its manifest.

        Raises EvaluatorError where there is none.
        """
        self._source = model.Source.at(folder)
        self._loaded: model.Model | None = None

    @property
    def identity(self) -> Identity:  # noqa: D102
        return Identity("local", self._source.digest[:16], {"members": ",".join(members.NAMES)})

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:  # noqa: D102
        if self._loaded is None:
            self._loaded = self._source.load()
        return LocalSession(self._loaded, conversation)


class LocalSession(Session):
    """One conversation, read in chunks as far as it was asked about.

    What a turn shows depends on its own text and the turns before it; reading a chunk at once only
    saves time.
    """

    def __init__(self, loaded: "model.Model", conversation: Conversation) -> None:
        self._model = loaded
        self._turns = conversation.turns
        self._ledger = Ledger(len(members.NAMES))
        self._language = LanguageWatch()
        self._witness = Witness(loaded, self._turns)
        self._votes: list[list[Vote]] = []

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:  # noqa: D102
        while len(self._votes) < turn.number:
            self._read_on()
        votes = self._votes[turn.number - 1]
        if min(passes, default=1) < 1 or max(passes, default=1) > len(votes):
            raise UsageError(
                f"the local evaluator has {len(votes)} members, one per pass",
                hint=f"ask for at most {len(votes)} votes",
            )
        return [votes[number - 1] for number in passes]

    def _read_on(self) -> None:
        """Votes on the next chunk of turns."""
        import numpy as np

        chunk = self._chunk()
        sides = [int(turn.side is Side.RESPONSE) for turn in chunk]
        scored = self._model.scorer.score([turn.text for turn in chunk], sides)
        heard = members.listen(scored.evidence, np.array(sides, np.intp))
        reasons = [self._language.advance(counts) for counts in scored.counts]
        heard[[reason is not None for reason in reasons]] = 0.0
        kept = members.keep(self._ledger, heard)
        margins = self._model.panel.margins(kept.numbers).tolist()
        for place, (row, reason) in enumerate(zip(margins, reasons, strict=True)):
            if reason is None:
                self._votes.append(self._judge(row, kept, place))
            else:
                self._votes.append(self._hold(reason))

    def _chunk(self) -> Sequence[Turn]:
        start = len(self._votes)
        chunk = self._turns[start : start + min(max(FIRST_CHUNK, start), LARGEST_CHUNK)]
        size = 0
        for count, turn in enumerate(chunk, 1):
            size += len(turn.text)
            if size > LARGEST_TEXT:
                return chunk[:count]
        return chunk

    def _judge(self, margins: Sequence[float], kept: members.Kept, place: int) -> list[Vote]:
        if max(margins) < 0:
            return _ALL_NO
        return [
            Vote(Answer.YES, evidence=self._witness.evidence(kept, place, member))
            if margin >= 0
            else NO
            for member, margin in enumerate(margins)
        ]

    def _hold(self, reason: AbstainReason) -> list[Vote]:
        """Votes on a turn that cannot be read: a yes stands on what was read, a no cannot."""
        before = self._votes[-1] if self._votes else _ALL_NO
        return [vote if vote.answer is Answer.YES else _ABSTAIN[reason] for vote in before]
