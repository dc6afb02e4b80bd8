"""Foretells what an audit takes, without asking its evaluator anything.

How many votes a turn needs depends on the answers. They are foretold by an evaluator that is free
to ask; votes that are in the store already are taken as they are.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from chaperone_cli.domain.ballot import Ballot
from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.estimate import Estimate, TurnLoad
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.domain.vote import NO, Answer, Tally, Vote
from chaperone_cli.engine.screening import Screener
from chaperone_cli.evaluators.interface import Evaluator, Session
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
            self.estimate.add([load async for load in self._loads(conversation, session)])
        finally:
            await session.close()

    async def _loads(self, conversation: Conversation, session: Session) -> AsyncIterator[TurnLoad]:
        prefixes = PrefixHasher(conversation)
        screened_out = self.screener.screened_out(conversation)
        protocol, blocked, first = self.protocol, False, True
        fewest = protocol.rule.wave(Tally(), protocol.passes)
        for turn, size in self.sizes(conversation):
            if not protocol.sides.include(turn.side):
                continue
            if blocked:
                yield TurnLoad(size, 0, 0, 0)
                continue
            if turn.number in screened_out:
                self.screened_out += 1
                continue
            answers = await self._foretell(session, turn)
            votes, _, _ = self._count(turn, lambda number: None, answers)
            _, left, verdict = self._count(turn, self._stored(prefixes.up_to(turn)), answers)
            blocked = protocol.until_block and verdict is Verdict.BLOCK
            if protocol.all_votes:
                least = protocol.passes
            elif protocol.until_block:
                # At best the very first turn blocks, which ends it.
                least = protocol.rule.threshold(protocol.passes) if first else 0
            else:
                least = fewest
            first = False
            yield TurnLoad(size, votes, left, least)

    async def _foretell(self, session: Session, turn: Turn) -> Sequence[Vote]:
        most = min(self.protocol.passes, self.oracle.max_passes or self.protocol.passes)
        votes = await session.vote(turn, range(1, most + 1))
        return [NO if vote.answer is Answer.ABSTAIN else vote for vote in votes]

    def _stored(self, prefix: bytes) -> Callable[[int], Vote | None]:
        store, rubric = self.store, self.protocol.rubric.digest
        if store is None:
            return lambda number: None
        digest = self.evaluator.identity.digest
        return lambda number: store.get(vote_key(prefix, rubric, digest, number))

    def _count(
        self, turn: Turn, stored: Callable[[int], Vote | None], foretold: Sequence[Vote]
    ) -> tuple[int, int, Verdict]:
        """Holds the vote on `turn`; gives the votes cast, those not `stored`, and the verdict."""
        protocol = self.protocol
        ballot = Ballot(protocol.rule, protocol.passes, all_votes=protocol.all_votes)
        cast = new = 0
        while wanted := ballot.wanted():
            given = [stored(number) for number in wanted]
            new += sum(vote is None for vote in given)
            cast += len(given)
            ballot.cast(
                [
                    vote or foretold[(number - 1) % len(foretold)]
                    for number, vote in zip(wanted, given, strict=True)
                ]
            )
        return cast, new, ballot.outcome(turn).verdict
