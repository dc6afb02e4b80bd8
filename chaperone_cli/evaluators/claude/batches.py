"""Asks for votes in message batches: at half the price, within hours, and across runs.

What is handed in is noted in the vote store's file; a later run, also on another day, collects it
instead of asking again.
"""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from chaperone_cli.domain.estimate import Way
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import Vote
from chaperone_cli.errors import VotesPending
from chaperone_cli.evaluators.claude.batches_desk import Desk
from chaperone_cli.evaluators.claude.batches_pending import PendingVotes
from chaperone_cli.evaluators.claude.caller import KEPT
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from chaperone_cli.evaluators.interface import Bulk, Question


class BatchedClaude(ClaudeEvaluator):
    """The claude evaluator, whose votes are asked for in batches."""

    def __init__(self, options: Options, state: Path, *, detach: bool = False) -> None:
        """Keeps what is out in the vote store's file `state`; with `detach`, waits for nothing."""
        super().__init__(options)
        self._state = state
        self._pending: PendingVotes | None = None
        self._detach = detach
        self._votes: BatchVotes | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Gives its settings."""
        return partial(type(self), self.options, self._state, detach=self._detach), ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Gives none: what is out is what this run collects."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Says besides what the votes would have cost one by one."""
        if self._votes is None or (compared := self._votes.compared) is None:
            return super().remarks
        together, alone = compared
        return (
            *super().remarks,
            f"these votes were estimated at ${together:,.4f} in batches, and at ${alone:,.4f} one "
            "by one, with the cache" + ("; without --batch they cost less" * (alone < together)),
        )

    def bulk(self, rubric: Rubric) -> Bulk:
        """Gives the way to ask many questions together; raises StoreError."""
        if self._pending is None:
            self._pending = PendingVotes(self._state, self.endpoint.shown)
        self._votes = BatchVotes(self, rubric, self._pending, detach=self._detach)
        return self._votes

    async def close(self) -> None:
        """Closes the connections and the file."""
        await super().close()
        if self._pending is not None:
            self._pending.close()
            self._pending = None


class BatchVotes(Bulk):
    """Votes that come in batches; each is asked for once, however many runs it takes."""

    def __init__(
        self, evaluator: ClaudeEvaluator, rubric: Rubric, pending: PendingVotes, *, detach: bool
    ) -> None:
        self._evaluator = evaluator
        self._rubric = rubric
        self._pending = pending
        self._detach = detach
        self._desk: Desk | None = None

    @property
    def compared(self) -> tuple[float, float] | None:
        """What the votes handed in cost by estimate in batches, and would cost one by one."""
        if self._desk is None:
            return None
        ways = self._desk.estimate.ways
        together, alone = ways[Way.BATCHED].dollars, ways[Way.CACHED].dollars
        return (together, alone) if together and alone else None

    async def ask(  # noqa: D102
        self, questions: Sequence[Question]
    ) -> AsyncIterator[tuple[bytes, Vote]]:
        desk = await self._open()
        open_questions = {question.key: question for question in questions}
        async for key, vote in desk.too_long([q for q in questions if not desk.holds(q.key)]):
            yield key, vote
            del open_questions[key]
        while open_questions:
            unsent = [q for key, q in open_questions.items() if not desk.holds(key)]
            while unsent and not desk.proven:
                # Parameters in a batch are checked hours later; a vote asked at once shows a
                # mistake before that.
                first = unsent.pop(0)
                yield first.key, await desk.ask_at_once(first)
                del open_questions[first.key]
            out_of_budget = await desk.hand_in(unsent)
            waiting = desk.waiting(open_questions)
            if not waiting and out_of_budget is not None:
                out_of_budget.hint += f"; {KEPT[True]}"
                raise out_of_budget
            ended = await desk.ended(waiting, wait=not self._detach)
            for submission in ended:
                async for key, vote in desk.collect(submission):
                    open_questions.pop(key, None)
                    yield key, vote
            if self._detach and not ended and open_questions:
                raise self._votes_pending(len(open_questions), desk)

    async def _open(self) -> Desk:
        if self._desk is None:
            connection = await self._evaluator.connection()
            self._desk = Desk(connection, self._evaluator, self._rubric, self._pending)
            await self._desk.recover()
        return self._desk

    @staticmethod
    def _votes_pending(votes: int, desk: Desk) -> VotesPending:
        return VotesPending(
            f"{votes} {'vote is' if votes == 1 else 'votes are'} with the server, "
            f"in {desk.batches_out} batch{'' if desk.batches_out == 1 else 'es'}",
            hint="run the same command again to collect them, on any day of the next 29",
        )
