"""The command line with one evaluator more, as costly ones are: slow, and telling when asked.

`python -m tests.support.stalling audit LOG --evaluator stalling` answers from a hash of the
conversation so far, and appends a line to the file STALLING_ASKED before each answer and another
to STALLING_ANSWERED after it, so that a test can see which votes were asked for and when.
"""

import asyncio
import os
from collections.abc import Sequence
from hashlib import sha256

from chaperone_cli.auditing import build
from chaperone_cli.cli.main import main
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.evaluators.interface import Evaluator, Identity, Session


class StallingEvaluator(Evaluator):
    """Answers after STALLING_SECONDS, the same for the same prefix and pass."""

    @property
    def identity(self) -> Identity:
        return Identity("stalling", os.environ.get("STALLING_VERSION", "1"))

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:
        return _StallingSession(conversation)


class _StallingSession(Session):
    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._prefixes = PrefixHasher(conversation)
        self._prefix = (0, b"")

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:
        if self._prefix[0] != turn.number:
            self._prefix = (turn.number, self._prefixes.up_to(turn))
        prefix = self._prefix[1]
        for number in passes:
            _append("STALLING_ASKED", f"{self._conversation.id} {turn.number} {number}")
        await asyncio.sleep(float(os.environ.get("STALLING_SECONDS", "0")))
        votes = [_answer(prefix, turn, number) for number in passes]
        for number in passes:
            _append("STALLING_ANSWERED", f"{self._conversation.id} {turn.number} {number}")
        return votes


def _answer(prefix: bytes, turn: Turn, number: int) -> Vote:
    draw = sha256(prefix + bytes([number])).digest()[0]
    if draw < 60:
        return NO
    if draw < 80:
        return Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
    return (
        Vote(Answer.YES, evidence=Evidence(("attachment",), Span(turn.number, 0, 3, turn.side)))
        if (draw % 2)
        else YES
    )


def _append(variable: str, line: str) -> None:
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def _stalling(settings: Settings) -> Evaluator:
    return StallingEvaluator()


if __name__ == "__main__":
    build.EVALUATORS["stalling"] = _stalling
    main()
