"""Replays many conversations at once, for evaluators that answer many questions together.

A turn's vote depends on the conversation up to that turn alone, so the votes on all turns can be
asked for at the same time. Round by round they are those that a replay turn by turn asks for, and
come to the same verdicts.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from chaperone_cli.auditing.turn_loop import Screener, TurnLoop
from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Progress, Protocol, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.domain.vote import AbstainReason, Vote
from chaperone_cli.errors import EvaluatorError, VotesPending
from chaperone_cli.evaluators.interface import Bulk, Evaluator, Question
from chaperone_cli.store import VoteStore, vote_key

MOST_TURNS = 50_000
"""Turns whose votes are open at once, unless one conversation has more."""
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
        for index, item in enumerate(held.chunk):
            if isinstance(item, Conversation):
                screened = self.screener.read(item)
                held.open[index] = _Open(TurnLoop(item, self.protocol, screened))
                self.progress.read(len(item.turns))
        while held.open:
            asks: list[_Ask] = []
            for index, one in list(held.open.items()):
                if missing := one.missing(self._look_up):
                    asks += missing
                else:
                    held.verdicts[index] = self._finish(held.open.pop(index))
            if asks:
                await self._ask(asks)

    def _finish(self, one: "_Open") -> ConversationVerdict:
        verdict, passes = one.loop.verdict(), self.protocol.passes
        for turn in verdict.turns:
            self.progress.judged(len(turn.votes), passes)
        self.progress.finished(verdict, passes)
        return verdict

    async def _ask(self, asks: Sequence["_Ask"]) -> None:
        """Asks for votes and hands them out; conversations that begin alike share theirs."""
        waiting: dict[bytes, list[_Ask]] = {}
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

    async def _gather(self, waiting: dict[bytes, list["_Ask"]]) -> None:
        questions = [
            Question(key, one.asking.loop.conversation, one.turn)
            for key, (one, *_) in waiting.items()
        ]
        self.usage.votes_asked += len(questions)
        async for key, vote in self.bulk.ask(questions):
            kept = self._keep(key, vote)
            for ask in waiting.pop(key, ()):
                ask.asking.answers[ask.turn.number, ask.number] = kept
        if waiting:
            raise EvaluatorError(
                f"{self.evaluator.identity.name} left {len(waiting)} votes unanswered",
                hint="every vote so far is kept: run the same command again",
            )

    def _keep(self, key: bytes, vote: Vote) -> Vote:
        # A passing failure says nothing of the turn: a later run may well get an answer.
        return vote if vote.reason is AbstainReason.ERROR else self.store.add(key, vote)

    @cached_property
    def _evaluator_digest(self) -> bytes:
        return self.evaluator.identity.digest

    def _look_up(self, prefix: bytes, number: int) -> "tuple[bytes, Vote | None]":
        """Return the key of a pass on the conversation `prefix`, with its vote if there is one."""
        key = vote_key(prefix, self.protocol.rubric.digest, self._evaluator_digest, number)
        if (vote := self.store.get(key)) is not None:
            self.usage.votes_from_store += 1
        return key, vote


LookUp = Callable[[bytes, int], tuple[bytes, Vote | None]]


class _Ask(NamedTuple):
    """A vote to be asked for, and the conversation that waits for it."""

    key: bytes
    turn: Turn
    number: int
    asking: "_Open"


class _Open:
    """A conversation some of whose votes are still to be asked for."""

    def __init__(self, loop: TurnLoop) -> None:
        self.loop = loop
        self.answers: dict[tuple[int, int], Vote] = {}
        """Votes that belong to waves of which others are missing, by turn and pass."""
        hasher = PrefixHasher(loop.conversation)
        self._prefixes = {turn.number: hasher.up_to(turn) for turn in loop.conversation.turns}

    def missing(self, look_up: LookUp) -> list[_Ask]:
        """Casts the votes at hand, and returns those that must be asked for to go on."""
        asks = []
        for wave in self.loop.waves():
            absent = [
                _Ask(key, wave.turn, number, self)
                for number in wave.passes
                if (key := self._absent(wave.turn, number, look_up)) is not None
            ]
            if not absent:
                votes = [self.answers.pop((wave.turn.number, number)) for number in wave.passes]
                self.loop.cast(wave, votes)
            asks += absent
        return asks

    def _absent(self, turn: Turn, number: int, look_up: LookUp) -> bytes | None:
        """Return the key of a vote that is not at hand."""
        if (turn.number, number) in self.answers:
            return None
        key, vote = look_up(self._prefixes[turn.number], number)
        if vote is None:
            return key
        self.answers[turn.number, number] = vote
        return None


class _Held:
    """A chunk with what is known of its conversations so far, by their place in it."""

    def __init__(self, chunk: Sequence[Item]) -> None:
        self.chunk = chunk
        self.open: dict[int, _Open] = {}
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
        return self.open[index].loop.so_far() if index in self.open else None


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
