"""The evaluator that needs no network: five trained members, read from the package's data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import NO, AbstainReason, Answer, Vote
from chaperone_cli.errors import UsageError
from chaperone_cli.evaluators.interface import Evaluator, Identity, Session
from chaperone_cli.evaluators.local import members, model
from chaperone_cli.evaluators.local.evidence import Witness
from chaperone_cli.evaluators.local.listener import Listener

if TYPE_CHECKING:
    from pathlib import Path

    from chaperone_cli.evaluators.local.listener import Heard

_ALL_NO: Final = [NO] * len(members.NAMES)
_ABSTAIN: Final = {reason: Vote(Answer.ABSTAIN, reason) for reason in AbstainReason}


class LocalEvaluator(Evaluator):
    """Answers on this machine alone, always the same for the same conversation.

    Where the encoder's weights are missing, the first stage votes by itself, and a remark says so.
    """

    free_to_repeat = True
    answers_at_once = True
    max_passes = len(members.NAMES)
    rubrics = ("parasocial",)

    def __init__(self, folder: "Path | None" = None) -> None:
        """Names the folder with the weights, by default the package's own; reads only its manifest.

        Raises EvaluatorError where there is none.
        """
        self._source = model.Source.at(folder)

    @property
    def identity(self) -> Identity:  # noqa: D102
        stages = "words,encoder" if self._source.encoder else "words"
        names = members.NAMES if self._source.encoder else members.WITHOUT_ENCODER
        settings = {"members": ",".join(names), "stages": stages}
        return Identity("local", self._source.version, settings)

    @property
    def remarks(self) -> tuple[str, ...]:  # noqa: D102
        return self._source.remarks

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:  # noqa: D102
        return LocalSession(self._source.model, conversation)


class LocalSession(Session):
    """One conversation, read as far as it was asked about."""

    def __init__(self, loaded: "model.Model", conversation: Conversation) -> None:
        self._listener = Listener(loaded, conversation.turns)
        self._witness = Witness(loaded, conversation.turns)
        self._votes: list[list[Vote]] = []

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:  # noqa: D102
        while len(self._votes) < turn.number:
            heard = self._listener.read_on()
            for place, reason in enumerate(heard.reasons):
                self._votes.append(
                    self._judge(heard, place) if reason is None else self._hold(reason)
                )
        votes = self._votes[turn.number - 1]
        if min(passes, default=1) < 1 or max(passes, default=1) > len(votes):
            raise UsageError(
                f"the local evaluator has {len(votes)} members, one per pass",
                hint=f"ask for at most {len(votes)} votes",
            )
        return [votes[number - 1] for number in passes]

    def _judge(self, heard: "Heard", place: int) -> list[Vote]:
        margins = heard.margins[place]
        if max(margins) < 0:
            return _ALL_NO
        return [
            Vote(Answer.YES, evidence=self._witness.evidence(heard.kept, place, member))
            if margin >= 0
            else NO
            for member, margin in enumerate(margins)
        ]

    def _hold(self, reason: AbstainReason) -> list[Vote]:
        """Votes on a turn that cannot be read: a yes stands on what was read, a no cannot."""
        before = self._votes[-1] if self._votes else _ALL_NO
        return [vote if vote.answer is Answer.YES else _ABSTAIN[reason] for vote in before]
