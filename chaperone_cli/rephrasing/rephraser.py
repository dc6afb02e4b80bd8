"""Rewrites responses and judges each rewrite in its place, by the same votes as the original."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.auditing.turn_loop import TurnLoop
from chaperone_cli.auditing.votes import replay
from chaperone_cli.domain.rephrasing import Attempt, Floor, Rephrasing
from chaperone_cli.domain.rewrite import Draft, Failure, Target
from chaperone_cli.domain.rewrite_checks import Phrasebook, check
from chaperone_cli.domain.run import Progress
from chaperone_cli.domain.strategy import Strategy
from chaperone_cli.domain.verdict import TurnVerdict, Verdict
from chaperone_cli.errors import ChaperoneError, UsageError
from chaperone_cli.rewriters.interface import Rewriter


@dataclass(frozen=True)
class Rephraser:
    """Lets `rewriter` try up to `attempts` times, and puts every rewrite to the vote."""

    auditor: Auditor
    """Whose evaluator, rule, N and store judge original and rewrites alike."""
    rewriter: Rewriter
    book: Phrasebook
    probes: tuple[str, ...]
    """Replies without a bond, tried where no rewrite passes."""
    attempts: int = 3
    flagged_only: bool = False
    """Refuse a response that is not blocked."""

    async def run(
        self, targets: Sequence[Target], strategies: Sequence[Strategy]
    ) -> AsyncGenerator[Rephrasing, None]:
        """Rewrites each of `targets` under each of `strategies`, several targets at a time.

        The results come in order, by target and then by strategy. Raises what the evaluator or the
        rewriter raises, once everything before it was given.
        """
        size = self.auditor.concurrency
        for start in range(0, len(targets), size):
            batch = targets[start : start + size]
            tasks = [asyncio.create_task(self._all(target, strategies)) for target in batch]
            try:
                for task in tasks:
                    for rephrasing in await _result(task):
                        yield rephrasing
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _all(self, target: Target, strategies: Sequence[Strategy]) -> list[Rephrasing]:
        original = await self.judge(target)
        if self.flagged_only and original.verdict is not Verdict.BLOCK:
            raise self._not_flagged(target, original)
        place = _Place(self, target, original)
        return [await place.rephrase(strategy) for strategy in strategies]

    def _not_flagged(self, target: Target, original: TurnVerdict) -> UsageError:
        protocol, name = self.auditor.protocol, target.conversation.id
        yes = f"{original.score} of {protocol.passes} votes say yes"
        needed = protocol.rule.threshold(protocol.passes)
        was = "was not flagged"
        if original.verdict is Verdict.UNDECIDED:
            was, yes = "is undecided", f"{yes}, {original.tally.abstain} abstained"
        return UsageError(
            f"turn {target.turn.number} of conversation {name!r} {was}: {yes}, "
            f"and rule {protocol.rule.name} blocks from {needed}",
            hint="add --force to rewrite it all the same",
            conversation=name,
        )

    async def judged(self, target: Target, strategy: Strategy, draft: Draft) -> Attempt:
        """Puts a rewrite to the vote and to the checks."""
        judged = await self.judge(target.saying(draft.text))
        checks = check(self.book, strategy, target, draft.text, judged)
        return Attempt(draft, judged, checks, self.book.topic(target, draft.text))

    async def judge(self, target: Target) -> TurnVerdict:
        """Casts all N votes on the response of `target`, so that scores can be compared."""
        protocol = replace(self.auditor.protocol, all_votes=True)
        loop = TurnLoop(target.conversation, protocol, only=target.turn)
        source = self.auditor.votes(target.conversation)
        try:
            [judged] = (await replay(loop, source, Progress())).turns
        finally:
            await source.close()
        return judged


@dataclass
class _Place:
    """One response's place, where the votes on original and plain replies are cast once."""

    rephraser: Rephraser
    target: Target
    original: TurnVerdict
    floor: Floor | None = None

    async def rephrase(self, strategy: Strategy) -> Rephrasing:
        tried: list[Attempt] = []
        while len(tried) < self.rephraser.attempts:
            outcome = await self.rephraser.rewriter.rewrite(self.target, strategy, tried)
            if outcome is None:
                break
            tried.append(await self._attempt(strategy, outcome))
            if tried[-1].passes or await self._hopeless(tried[-1]):
                break
        passes = bool(tried) and tried[-1].passes
        floor = None if passes else self.floor
        return Rephrasing(self.target, strategy, self.original, tuple(tried), floor)

    async def _attempt(self, strategy: Strategy, outcome: Draft | Failure) -> Attempt:
        if isinstance(outcome, Failure):
            return Attempt(outcome)
        return await self.rephraser.judged(self.target, strategy, outcome)

    async def _hopeless(self, attempt: Attempt) -> bool:
        """Says whether no reply can pass here, so that further rewrites would only cost votes."""
        if attempt.judged is None or attempt.judged.verdict is not Verdict.BLOCK:
            return False
        if self.floor is None:
            replies = [self.target.saying(reply) for reply in self.rephraser.probes]
            self.floor = Floor(tuple([await self.rephraser.judge(reply) for reply in replies]))
        return self.floor.blocks


async def _result(task: asyncio.Task[list[Rephrasing]]) -> list[Rephrasing]:
    try:
        return await task
    except BaseExceptionGroup as group:
        known = group.subgroup(ChaperoneError)
        raise _leaf(known or group) from group


def _leaf(error: BaseException) -> BaseException:
    return _leaf(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
