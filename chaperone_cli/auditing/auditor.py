"""Audits many conversations at once and gives their verdicts in input order."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field

from chaperone_cli.auditing.annotate import Explaining, marked
from chaperone_cli.auditing.bulk import BulkReplay
from chaperone_cli.auditing.turn_loop import Screener, TurnLoop
from chaperone_cli.auditing.votes import DirectVotes, StoredVotes, VoteSource, replay
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Progress, Protocol, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
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
        what the evaluator or the store raises, and what else cuts the run short, once everything
        that was judged until then was given out: the conversations under way are partial.
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
        together = self._bulk()
        slots = asyncio.Semaphore(self.concurrency)
        window: deque[Problem | _UnderWay] = deque()
        try:
            async with contextlib.aclosing(self._started(items, slots, together)) as started:
                async for item in started:
                    window.append(item)
                    most = READ_AHEAD * self.concurrency
                    while window and (len(window) > most or _ready(window[0])):
                        yield await _result(window[0])
                        window.popleft()
            while window:
                yield await _result(window[0])
                window.popleft()
            if together is not None and together.stop is not None:
                raise together.stop  # an explanation failed after all votes were in
        except GeneratorExit:
            raise
        except BaseException:
            await _cancel(window)
            for one in window:
                known = one if isinstance(one, Problem) else self._so_far(one)
                if known is not None:
                    yield known
            raise
        finally:
            await _cancel(window)

    async def _started(
        self,
        items: Iterable[Conversation | Problem],
        slots: asyncio.Semaphore,
        together: BulkReplay | None,
    ) -> AsyncGenerator["Problem | _UnderWay", None]:
        """Starts a task for every conversation."""
        if together is None:
            for item in items:
                yield item if isinstance(item, Problem) else self._start(item, slots)
            return
        async with contextlib.aclosing(together.run(items)) as results:
            async for result in results:
                if isinstance(result, Problem):
                    yield result
                    continue
                one = _UnderWay(result[0])
                one.verdict = result[1]
                one.task = asyncio.create_task(self._of_bulk(together, *result, slots))
                yield one

    def votes(self, conversation: Conversation) -> VoteSource:
        """Return the way to the votes on `conversation`: by way of the store where there is one."""
        rubric = self.protocol.rubric
        if self.store is None:
            return DirectVotes(self.evaluator.open(conversation, rubric), self.usage)
        return StoredVotes(conversation, rubric, self.evaluator, self.store, self.usage)

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

    def _start(self, conversation: Conversation, slots: asyncio.Semaphore) -> "_UnderWay":
        self.progress.read(len(conversation.turns))
        one = _UnderWay(conversation)
        one.task = asyncio.create_task(self._audit(one, slots))
        return one

    async def _audit(self, one: "_UnderWay", slots: asyncio.Semaphore) -> Audited:
        conversation = one.conversation
        async with slots:
            screened = self._screener.read(conversation)
            source = self.votes(conversation)
            one.loop = TurnLoop(conversation, self.protocol, screened, fast=self.fast)
            try:
                one.verdict = await replay(one.loop, source, self.progress)
            finally:
                await source.close()
        return await self._completed(conversation, one.verdict, slots)

    def _so_far(self, one: "_UnderWay") -> Audited | None:
        """Gives what is known of a conversation that the run was cut short in."""
        if one.task.done() and not one.task.cancelled() and one.task.exception() is None:
            return one.task.result()
        verdict = one.verdict or (one.loop.so_far() if one.loop is not None else None)
        return None if verdict is None else self._marked(one.conversation, verdict)

    async def _of_bulk(
        self,
        together: BulkReplay,
        conversation: Conversation,
        verdict: ConversationVerdict,
        slots: asyncio.Semaphore,
    ) -> Audited:
        if together.stop is None:
            try:
                return await self._completed(conversation, verdict, slots)
            except BaseException as exc:
                together.stop = exc
        return self._marked(conversation, verdict)

    def _marked(self, conversation: Conversation, verdict: ConversationVerdict) -> Audited:
        return Audited(conversation, marked(conversation, verdict, self.evaluator))

    async def _completed(
        self, conversation: Conversation, verdict: ConversationVerdict, slots: asyncio.Semaphore
    ) -> Audited:
        verdict = marked(conversation, verdict, self.evaluator)
        if self.protocol.explain:
            explaining = Explaining(self.protocol.rubric, self.evaluator, self.store)
            async with slots:
                verdict = await explaining.explain(conversation, verdict)
        return Audited(conversation, verdict)


class _UnderWay:
    """A conversation on which votes are gathered, with what is known of it so far."""

    task: asyncio.Task[Audited]

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.loop: TurnLoop | None = None
        self.verdict: ConversationVerdict | None = None
        """Once all its votes are cast, whatever else is still to come."""


def _ready(item: Problem | _UnderWay) -> bool:
    return isinstance(item, Problem) or item.task.done()


async def _result(item: Problem | _UnderWay) -> Audited | Problem:
    if isinstance(item, Problem):
        return item
    try:
        return await item.task
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


async def _cancel(window: deque[Problem | _UnderWay]) -> None:
    tasks = [item.task for item in window if not isinstance(item, Problem)]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
