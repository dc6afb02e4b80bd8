"""One conversation before a model: its votes, turn by turn."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.verdict import Explanation
from chaperone_cli.domain.vote import Evidence, Vote
from chaperone_cli.evaluators.claude import explain, reply
from chaperone_cli.evaluators.claude.caller import GivenUpError, Message
from chaperone_cli.evaluators.claude.meter import tokens_of
from chaperone_cli.evaluators.claude.prompt import Transcript
from chaperone_cli.evaluators.claude.warmth import Warmth
from chaperone_cli.evaluators.interface import Session
from chaperone_cli.evaluators.tampering import marks_of

if TYPE_CHECKING:
    from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator


class ClaudeSession(Session):
    """Asks once for every vote; the votes of a turn and its followers share one cached prefix."""

    def __init__(
        self, evaluator: "ClaudeEvaluator", conversation: Conversation, rubric: Rubric
    ) -> None:
        self._evaluator = evaluator
        self._conversation = conversation
        self._rubric = rubric
        self._transcript: Transcript | None = None
        self._turn = 0
        self._warmth = Warmth()
        self._marks: tuple[str, ...] = ()
        self._too_long = False
        """Whether a turn was too long; then all that come after it are."""

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:  # noqa: D102
        self._move_to(turn)
        if len(passes) == 1:
            return [await self._vote(turn)]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._vote(turn)) for _ in passes]
        return [task.result() for task in tasks]

    async def explain(self, turn: Turn) -> Explanation | None:  # noqa: D102
        connection = await self._evaluator.connection()
        asking = explain.prompt(
            self._rubric, connection.model, connection.offer.form, connection.marker
        )
        transcript = Transcript(asking, self._conversation)
        request = transcript.request(turn)

        def read(message: Message) -> Explanation | None:
            return explain.read(message, self._conversation, turn)

        try:
            message = await connection.caller.ask(
                request, transcript.most_tokens(turn), lambda message: read(message) is not None
            )
        except GivenUpError:
            return None
        return read(message)

    def _move_to(self, turn: Turn) -> None:
        if turn.number != self._turn:
            self._turn, self._warmth = turn.number, Warmth()
            self._marks = marks_of(self._conversation, turn)

    async def _vote(self, turn: Turn) -> Vote:
        warmth, marks = self._warmth, self._marks
        try:
            vote = await self._ask(turn, warmth)
        except GivenUpError as exc:
            vote = exc.vote
        if vote == reply.TOO_LONG:
            self._too_long = True
            self._evaluator.note_too_long(self._conversation.id, turn)
        return replace(vote, evidence=Evidence(marks)) if marks else vote

    async def _ask(self, turn: Turn, warmth: Warmth) -> Vote:
        connection = await self._evaluator.connection()
        prompt = connection.prompt(self._rubric)
        if self._transcript is None:
            self._transcript = Transcript(prompt, self._conversation)
        transcript, request = self._transcript, self._transcript.request(turn)
        if self._too_long or not await connection.fits(request, transcript.most_tokens(turn)):
            return reply.TOO_LONG
        usable = reply.casts_vote(prompt.label.id)

        async def call() -> Message:
            return await connection.caller.ask(request, transcript.most_tokens(turn), usable)

        if connection.offer.form.caching:
            message = await warmth.call(lambda: connection.warmth.call(call))
        else:
            message = await call()
        transcript.wrote(turn, tokens_of(message.get("usage")).prompt)
        return reply.read(message, prompt.label.id)
