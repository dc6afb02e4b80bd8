"""Foretells what an audit takes, without asking its evaluator anything.

How many votes a turn needs depends on the answers. They are foretold by an evaluator that is free
to ask; votes that are in the store already are taken as they are.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from chaperone_cli.auditing import build
from chaperone_cli.auditing.turn_loop import Screener, TurnLoop, Wave
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.estimate import Estimate, TurnLoad
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.domain.vote import NO, Answer, Tally, Vote
from chaperone_cli.evaluators.claude.endpoint import Endpoint
from chaperone_cli.evaluators.claude.sizing import Sizing
from chaperone_cli.evaluators.interface import Evaluator, Session
from chaperone_cli.evaluators.local.evaluator import LocalEvaluator
from chaperone_cli.store import VoteStore, vote_key

Sizes = Callable[[Conversation], Iterator[tuple[Turn, int]]]
"""Gives every turn of a conversation with the tokens up to and including it."""


@dataclass
class DryRun:
    """Goes through conversations as an audit would, and adds up what it would ask for."""

    protocol: Protocol
    evaluator: Evaluator
    """The one that would be asked; only its identity is used."""
    oracle: Evaluator
    """Foretells its answers, free of charge."""
    sizes: Sizes
    estimate: Estimate
    store: VoteStore | None = None
    screener: Screener = field(default_factory=Screener)
    screened_out: int = 0
    """Turns that a screen keeps from the vote."""
    problems: int = 0
    """What of the log could not be read, or only with a loss."""

    async def run(self, items: Iterable[Conversation | Problem]) -> None:
        """Adds up what auditing `items` would take."""
        for item in items:
            if isinstance(item, Problem):
                self.problems += 1
            else:
                await self._add(item)

    async def _add(self, conversation: Conversation) -> None:
        session = self.oracle.open(conversation, self.protocol.rubric)
        try:
            self.estimate.add(await self._loads(conversation, session))
        finally:
            await session.close()

    async def _loads(self, conversation: Conversation, session: Session) -> list[TurnLoad]:
        """Replays `conversation` with the votes that are stored, and foretells the others."""
        prefixes = PrefixHasher(conversation)
        loop = TurnLoop(conversation, self.protocol, self.screener.read(conversation))
        foretold: dict[int, Sequence[Vote]] = {}
        missing: Counter[int] = Counter()
        for wave in loop.waves():
            turn = wave.turn
            if turn.number not in foretold:
                foretold[turn.number] = await self._foretell(session, turn)
            stored = self._stored(prefixes.up_to(turn), wave)
            missing[turn.number] += stored.count(None)
            new = _picked(foretold[turn.number], wave)
            loop.cast(wave, [old or vote for old, vote in zip(stored, new, strict=True)])
        passed_over = {screened.turn for screened in loop.verdict().screened_out}
        self.screened_out += len(passed_over)
        loads: list[TurnLoad] = []
        for turn, size in self.sizes(conversation):
            if not self.protocol.sides.include(turn.side) or turn.number in passed_over:
                continue
            votes = self._from_scratch(conversation, turn, foretold.get(turn.number))
            least = self._least(first=not loads) if turn.number in foretold else 0
            loads.append(TurnLoad(size, votes, missing[turn.number], least))
        return loads

    def _least(self, *, first: bool) -> int:
        """Counts the votes that a turn takes at best."""
        protocol = self.protocol
        if protocol.all_votes:
            return protocol.passes
        if protocol.until_block:
            # At best the very first turn blocks, which ends it.
            return protocol.rule.threshold(protocol.passes) if first else 0
        return protocol.rule.wave(Tally(), protocol.passes)

    async def _foretell(self, session: Session, turn: Turn) -> Sequence[Vote]:
        most = min(self.protocol.passes, self.oracle.max_passes or self.protocol.passes)
        votes = await session.vote(turn, range(1, most + 1))
        return [NO if vote.answer is Answer.ABSTAIN else vote for vote in votes]

    def _stored(self, prefix: bytes, wave: Wave) -> list[Vote | None]:
        store, rubric = self.store, self.protocol.rubric.digest
        if store is None:
            return [None] * len(wave.passes)
        digest = self.evaluator.identity.digest
        return [store.get(vote_key(prefix, rubric, digest, number)) for number in wave.passes]

    def _from_scratch(
        self, conversation: Conversation, turn: Turn, foretold: Sequence[Vote] | None
    ) -> int:
        """Counts the votes that `turn` takes where none is stored; 0 for one that is not judged."""
        if foretold is None:
            return 0
        loop, cast = TurnLoop(conversation, self.protocol, only=turn), 0
        for wave in loop.waves():
            loop.cast(wave, _picked(foretold, wave))
            cast += len(wave.passes)
        return cast


def _picked(votes: Sequence[Vote], wave: Wave) -> list[Vote]:
    """Picks the votes of `wave`; passes beyond those that `votes` has answer as the first ones."""
    return [votes[(number - 1) % len(votes)] for number in wave.passes]


def foretell(paths: Sequence[str], settings: Settings) -> DryRun:
    """Goes through the logs at `paths` as an audit would, without any call."""
    evaluator = build.evaluator(settings)
    screen = build.screen(settings)
    protocol = build.protocol(settings, screen)
    options = build.claude_options(settings)
    sizing = Sizing.of(
        protocol.rubric, settings.model, Endpoint.at(settings.base_url), batch=settings.batch
    )
    estimate = Estimate(sizing.shape, settings.votes, options.price)
    run = DryRun(
        protocol,
        evaluator,
        LocalEvaluator(),
        sizing.prefixes,
        estimate,
        _store(settings),
        Screener(protocol.screening, screen),
    )
    items = build.selection(settings).over(build.log_reader(paths, settings), LeftOut())
    asyncio.run(_conduct(run, items))
    return run


async def _conduct(run: DryRun, items: Iterable[Conversation | Problem]) -> None:
    try:
        await run.run(items)
    finally:
        await run.evaluator.close()
        if run.store is not None:
            run.store.close()


def _store(settings: Settings) -> VoteStore | None:
    """Opens the store if there is one; a dry run makes none."""
    path = settings.store or build.usual_store()
    if settings.no_store or not path.exists():
        return None
    return VoteStore(path, keep_abstentions=settings.keep_abstentions or settings.detach)
