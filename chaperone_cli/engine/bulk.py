"""Replays many conversations at once, for evaluators that answer many questions together.

A turn's vote depends on the conversation up to that turn alone, so the ballots of all turns can be
open at the same time. Round by round they ask for the votes that a replay turn by turn asks for,
and come to the same verdicts.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Protocol, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.domain.vote import AbstainReason, Vote
from chaperone_cli.engine.open_ballots import Ask, KeyOf, OpenBallots
from chaperone_cli.engine.progress import Progress
from chaperone_cli.engine.screening import Screener
from chaperone_cli.errors import EvaluatorError, VotesPending
from chaperone_cli.evaluators.interface import Bulk, Evaluator, Question
from chaperone_cli.store import VoteStore, vote_key

MOST_TURNS = 50_000
"""Turns whose ballots are open at once, unless one conversation has more."""
MOST_CHARACTERS = 50_000_000
"""Text that is held at once, unless one conversation has more."""

PAUSE = 1.0
"""Seconds until votes that another run asks for are looked up again."""

Item = Conversation | Problem
Result = tuple[Conversation, ConversationVerdict] | Problem


@dataclass
class BulkReplay:
    """Replays conversations chunk by chunk, so that memory does not grow with the log."""

    protocol: Protocol
    evaluator: Evaluator
    bulk: Bulk
    store: VoteStore
    usage: Usage
    progress: Progress
    screener: Screener = field(default_factory=Screener)
    stop: BaseException | None = None
    """What ends the run once the verdicts of the present chunk are given out."""

    async def run(self, items: Iterable[Item]) -> AsyncGenerator[Result, None]:
        """Gives the verdicts in the order of `items`, and their problems in their place.

        Raises VotesPending where votes are out that nobody waits for: once every chunk has asked
        for what it can ask for now, and once every verdict before the first gap was given out.
        Whatever else cuts it short is raised once what was judged until then was given out.
        """
        pending: VotesPending | None = None
        for chunk in chunks(items):
            held = _Held(chunk)
            try:
                await self._judge(held)
            except VotesPending as exc:
                pending = pending or exc
                continue
            except BaseException as exc:
                self.stop = exc
            if pending is None:
                for result in held.results():
                    yield result
            if self.stop is not None:
                raise self.stop
        if pending is not None:
            raise pending

    async def _judge(self, held: "_Held") -> None:
        ballots = held.ballots
        for index, item in enumerate(held.chunk):
            if isinstance(item, Conversation):
                screened_out = self.screener.screened_out(item)
                ballots[index] = OpenBallots(item, self.protocol, screened_out)
                self.progress.read(len(item.turns))
        key_of = self._keys()
        while ballots:
            asks = [ask for one in ballots.values() for ask in one.asks(key_of, self._look_up)]
            for index in [index for index, one in ballots.items() if one.settled]:
                held.verdicts[index] = ballots.pop(index).verdict(self.progress)
            if asks:
                await self._ask(asks)

    async def _ask(self, asks: Sequence[Ask]) -> None:
        """Asks for votes and hands them out; conversations that begin alike share theirs."""
        waiting: dict[bytes, list[Ask]] = {}
        for ask in asks:
            waiting.setdefault(ask.key, []).append(ask)
        # What another run asks for already is looked up again once there is nothing else to ask.
        claimed = {key: waiting[key] for key in self.store.claim_all(waiting)}
        if not claimed:
            await asyncio.sleep(PAUSE)
            return
        try:
            await self._gather(dict(claimed))
        finally:
            self.store.release(*claimed)

    async def _gather(self, waiting: dict[bytes, list[Ask]]) -> None:
        questions = [
            Question(key, those[0].conversation, those[0].open_turn.turn)
            for key, those in waiting.items()
        ]
        self.usage.votes_asked += len(questions)
        async for key, vote in self.bulk.ask(questions):
            kept = self._keep(key, vote)
            for ask in waiting.pop(key, ()):
                ask.answer(kept)
        if waiting:
            raise EvaluatorError(
                f"{self.evaluator.identity.name} left {len(waiting)} votes unanswered",
                hint="every vote so far is kept: run the same command again",
            )

    def _keep(self, key: bytes, vote: Vote) -> Vote:
        # A passing failure says nothing of the turn: a later run may well get an answer.
        return vote if vote.reason is AbstainReason.ERROR else self.store.add(key, vote)

    def _look_up(self, key: bytes) -> Vote | None:
        if (vote := self.store.get(key)) is not None:
            self.usage.votes_from_store += 1
        return vote

    def _keys(self) -> KeyOf:
        digests = (self.protocol.rubric.digest, self.evaluator.identity.digest)
        return partial(_key, *digests)


class _Held:
    """A chunk with what is known of its conversations so far, by their place in it."""

    def __init__(self, chunk: Sequence[Item]) -> None:
        self.chunk = chunk
        self.ballots: dict[int, OpenBallots] = {}
        self.verdicts: dict[int, ConversationVerdict] = {}

    def results(self) -> Iterator[Result]:
        """Gives problems and verdicts in order, but no conversation of which no turn is judged."""
        for index, item in enumerate(self.chunk):
            if isinstance(item, Problem):
                yield item
            elif (verdict := self._verdict(index)) is not None:
                yield item, verdict

    def _verdict(self, index: int) -> ConversationVerdict | None:
        if index in self.verdicts:
            return self.verdicts[index]
        return self.ballots[index].so_far() if index in self.ballots else None


def chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Divides `items` into runs that are small enough to be held, and replayed, at once."""
    chunk: list[Item] = []
    turns = characters = 0
    for item in items:
        more_turns, more_characters = _size(item)
        turns, characters = turns + more_turns, characters + more_characters
        if chunk and (turns > MOST_TURNS or characters > MOST_CHARACTERS):
            yield chunk
            chunk, turns, characters = [], more_turns, more_characters
        chunk.append(item)
    if chunk:
        yield chunk


def _size(item: Item) -> tuple[int, int]:
    if isinstance(item, Problem):
        return 0, 0
    return len(item.turns), sum(len(message.text) for message in item.messages)


def _key(rubric_digest: str, evaluator_digest: bytes, prefix: bytes, number: int) -> bytes:
    return vote_key(prefix, rubric_digest, evaluator_digest, number)
