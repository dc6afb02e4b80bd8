"""Where the votes on one conversation come from: straight from a session, or by way of the store.

What the store lacks is asked for once: whoever else wants the same answer waits for it.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from chaperone_cli.auditing.turn_loop import TurnLoop
from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.run import Progress, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.domain.vote import AbstainReason, Vote
from chaperone_cli.evaluators.interface import Evaluator, Session
from chaperone_cli.store import VoteStore, vote_key


async def replay(loop: TurnLoop, source: "VoteSource", progress: Progress) -> ConversationVerdict:
    """Votes on the turns of `loop` in order, as if they were said now, and returns the verdict."""
    passes = loop.protocol.passes
    for wave in loop.waves():
        outcome = loop.cast(wave, await source.votes(wave.turn, wave.passes))
        if outcome is not None:
            progress.judged(len(outcome.votes), passes)
    verdict = loop.verdict()
    progress.finished(verdict, passes)
    return verdict


class VoteSource(ABC):
    """The votes on one conversation, turn by turn."""

    @abstractmethod
    async def votes(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:
        """Gives one vote for each of `passes` on `turn`, in their order."""

    @abstractmethod
    async def close(self) -> None:
        """Ends the session, if one was started."""


class DirectVotes(VoteSource):
    """Asks the evaluator every time, for evaluators that cost nothing to ask again."""

    def __init__(self, session: Session, usage: Usage) -> None:
        self._session = session
        self._usage = usage

    async def votes(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:  # noqa: D102
        self._usage.votes_asked += len(passes)
        return await self._session.vote(turn, passes)

    async def close(self) -> None:  # noqa: D102
        await self._session.close()


class StoredVotes(VoteSource):
    """Asks the evaluator only for votes that the store lacks, and files each as it arrives."""

    def __init__(
        self,
        conversation: Conversation,
        rubric: Rubric,
        evaluator: Evaluator,
        store: VoteStore,
        usage: Usage,
    ) -> None:
        self._conversation = conversation
        self._rubric = rubric
        self._evaluator = evaluator
        self._evaluator_digest = evaluator.identity.digest
        self._store = store
        self._usage = usage
        self._prefixes = PrefixHasher(conversation)
        self._prefix: tuple[int, bytes] = (0, b"")
        self._session: Session | None = None

    async def votes(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:  # noqa: D102
        # All at once, each filed on arrival: a crash loses only the votes still in flight.
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._vote(turn, number)) for number in passes]
        return [task.result() for task in tasks]

    async def _vote(self, turn: Turn, number: int) -> Vote:
        key = vote_key(self._prefix_of(turn), self._rubric.digest, self._evaluator_digest, number)
        vote, stored = await once(self._store, key, partial(self._ask, turn, number))
        self._usage.votes_from_store += stored
        assert vote is not None
        return vote

    async def _ask(self, turn: Turn, number: int) -> Vote:
        if self._session is None:
            self._session = self._evaluator.open(self._conversation, self._rubric)
        self._usage.votes_asked += 1
        [vote] = await self._session.vote(turn, [number])
        return vote

    def _prefix_of(self, turn: Turn) -> bytes:
        if self._prefix[0] != turn.number:
            self._prefix = (turn.number, self._prefixes.up_to(turn))
        return self._prefix[1]

    async def close(self) -> None:  # noqa: D102
        if self._session is not None:
            await self._session.close()


PAUSES = (0.01, 0.25)
"""Seconds between two looks at what somebody else asks for: at first, and at most."""


async def once(
    store: VoteStore, key: bytes, ask: Callable[[], Awaitable[Vote | None]]
) -> tuple[Vote | None, bool]:
    """Gives the vote under `key`, and whether it stood there already or came from another run.

    None, like a passing failure, is not filed: a later run may well get an answer.
    """
    pause = PAUSES[0]
    while (stored := store.get(key)) is None:
        if store.claim(key):
            vote = None
            try:
                vote = await ask()
            finally:
                if vote is None or vote.reason is AbstainReason.ERROR:
                    store.release(key)
                else:
                    vote = store.settle(key, vote)
            return vote, False
        await asyncio.sleep(pause)
        pause = min(2 * pause, PAUSES[1])
    return stored, True
