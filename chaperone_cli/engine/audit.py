"""Audits many conversations at once and gives their verdicts in input order."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Protocol, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.engine.bulk import BulkReplay
from chaperone_cli.engine.explaining import Explaining
from chaperone_cli.engine.marking import marked
from chaperone_cli.engine.poll import DirectPoll, Poll, StoredPoll
from chaperone_cli.engine.progress import Progress
from chaperone_cli.engine.replay import replay
from chaperone_cli.engine.screening import Screener
from chaperone_cli.errors import ChaperoneError
from chaperone_cli.evaluators.interface import Evaluator, Screen
from chaperone_cli.store import VoteStore

READ_AHEAD = 4
"""Conversations read for each one that may be under way, so that a long one holds up no other."""


@dataclass(frozen=True)
class Audited:
    """A conversation with its verdict."""

    conversation: Conversation
    verdict: ConversationVerdict


@dataclass
class Auditor:
    """Puts conversations to the vote: `evaluator` under `protocol`, `concurrency` at a time."""

    protocol: Protocol
    evaluator: Evaluator
    store: VoteStore | None = None
    """Where votes are kept; None where each is cheap enough to ask for again."""
    concurrency: int = 8
    usage: Usage = field(default_factory=Usage)
    progress: Progress = field(default_factory=Progress)
    screen: Screen | None = None
    """What chooses the turns that are voted on; the protocol says from which level on."""
    fast: bool = False
    """Ask for the votes on a turn that will probably block together, to save time."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever started the run should know of it, a line each, none twice."""
        screened = () if self.screen is None else self.screen.remarks
        return tuple(dict.fromkeys((*self.evaluator.remarks, *screened)))

    async def run(
        self, items: Iterable[Conversation | Problem]
    ) -> AsyncGenerator[Audited | Problem, None]:
        """Audits what `items` yields, as a reader does, and passes its problems on in their place.

        Memory is bounded: at most `READ_AHEAD` times `concurrency` conversations are held. Raises
        what the evaluator or the store raises, once everything before it has been given out.
        """
        try:
            async with contextlib.aclosing(self._run(items)) as results:
                async for result in results:
                    yield result
        finally:
            await self.evaluator.close()

    async def _run(
        self, items: Iterable[Conversation | Problem]
    ) -> AsyncGenerator[Audited | Problem, None]:
        if (together := self._bulk()) is not None:
            async with contextlib.aclosing(together.run(items)) as results:
                async for result in results:
                    yield result if isinstance(result, Problem) else await self._completed(*result)
            return
        slots = asyncio.Semaphore(self.concurrency)
        window: deque[Problem | asyncio.Task[Audited]] = deque()
        try:
            for item in items:
                window.append(item if isinstance(item, Problem) else self._start(item, slots))
                while window and (len(window) > READ_AHEAD * self.concurrency or _ready(window[0])):
                    yield await _result(window.popleft())
            while window:
                yield await _result(window.popleft())
        finally:
            await _cancel(window)

    def poll(self, conversation: Conversation) -> Poll:
        """Gives the way to the votes on `conversation`: by way of the store where there is one."""
        rubric = self.protocol.rubric
        if self.store is None:
            return DirectPoll(self.evaluator.open(conversation, rubric), self.usage)
        return StoredPoll(conversation, rubric, self.evaluator, self.store, self.usage)

    def _bulk(self) -> BulkReplay | None:
        """Gives the way to ask for all votes together, where the evaluator has one."""
        bulk = self.evaluator.bulk(self.protocol.rubric)
        if bulk is None or self.store is None:
            return None
        return BulkReplay(
            self.protocol,
            self.evaluator,
            bulk,
            self.store,
            self.usage,
            self.progress,
            self._screener,
        )

    @property
    def _screener(self) -> Screener:
        return Screener(self.protocol.screening, self.screen)

    def _start(self, conversation: Conversation, slots: asyncio.Semaphore) -> asyncio.Task[Audited]:
        self.progress.read(len(conversation.turns))
        return asyncio.create_task(self._audit(conversation, slots))

    async def _audit(self, conversation: Conversation, slots: asyncio.Semaphore) -> Audited:
        async with slots:
            reading = self._screener.read(conversation)
            poll = self.poll(conversation)
            try:
                verdict = await replay(
                    conversation, self.protocol, poll, self.progress, reading, fast=self.fast
                )
            finally:
                await poll.close()
            return await self._completed(conversation, verdict)

    async def _completed(self, conversation: Conversation, verdict: ConversationVerdict) -> Audited:
        verdict = marked(conversation, verdict, self.evaluator)
        if self.protocol.explain:
            explaining = Explaining(self.protocol.rubric, self.evaluator, self.store)
            verdict = await explaining.explain(conversation, verdict)
        return Audited(conversation, verdict)


def _ready(item: Problem | asyncio.Task[Audited]) -> bool:
    return isinstance(item, Problem) or item.done()


async def _result(item: Problem | asyncio.Task[Audited]) -> Audited | Problem:
    if isinstance(item, Problem):
        return item
    try:
        return await item
    except BaseExceptionGroup as group:
        raise _first(group) from group


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Picks what to report of the failures of one turn's passes: one of ours, if there is one."""
    while True:
        inner = group.exceptions
        chosen = next((exc for exc in inner if isinstance(exc, ChaperoneError)), inner[0])
        if not isinstance(chosen, BaseExceptionGroup):
            return chosen
        group = chosen


async def _cancel(window: deque[Problem | asyncio.Task[Audited]]) -> None:
    tasks = [item for item in window if not isinstance(item, Problem)]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
