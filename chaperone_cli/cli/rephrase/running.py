"""Conducts `chaperone rephrase`: finds the responses, lets them be rewritten, and keeps results."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chaperone_cli.cli import console, hashing, wiring
from chaperone_cli.cli.interrupt import Interrupts
from chaperone_cli.cli.rehearsing import can_answer
from chaperone_cli.cli.rephrase.finding import Responses
from chaperone_cli.cli.rephrase.wanted import Wanted
from chaperone_cli.codec import strategy as strategies
from chaperone_cli.codec.phrasebook import phrasebook, probes
from chaperone_cli.config import Settings
from chaperone_cli.domain.rephrasing import Rephrasing
from chaperone_cli.domain.run import Ending
from chaperone_cli.engine.auditor import Auditor
from chaperone_cli.engine.rephrase import Rephraser
from chaperone_cli.errors import (
    BudgetExhausted,
    ChaperoneError,
    MissingKeyError,
    UsageError,
)
from chaperone_cli.readers import LogReader
from chaperone_cli.rewriters.interface import Rewriter

if TYPE_CHECKING:
    from chaperone_cli.domain.rewrite_checks import Phrasebook

Show = Callable[[Rephrasing], None]


@dataclass
class Rephrased:
    """What a run came to, also where it was cut short."""

    results: list[Rephrasing] = field(default_factory=list)
    ending: Ending = Ending.COMPLETE
    error: ChaperoneError | None = None
    unread: bool = False
    """Some conversation could not be read."""
    undecided: bool = False
    """Some conversation has no first block, but turns that stayed undecided."""


class Rephrase:
    """One run of the command."""

    def __init__(self, wanted: Wanted, settings: Settings) -> None:
        """Raises UsageError before anything is read or asked."""
        wanted.check()
        self.names = hashing.names(settings, hashing.key(settings))
        self.wanted = wanted
        self.strategies = tuple(strategies.load(name) for name in wanted.strategies)
        # A whole conversation is put to the vote only to find its first block.
        settings = replace(settings, all_votes=False, until_block=True, explain=False, batch=False)
        if settings.evaluator == "recorded":
            raise UsageError(
                "recorded votes were cast on the original and cannot judge a rewrite",
                hint="use --evaluator local or --evaluator claude",
            )
        self.auditor = wiring.auditor(settings)
        self.rewriter = rewriter(wanted, settings, self.auditor, phrasebook())
        self._supported()
        self.rewriter.check()
        reader = LogReader([wanted.path], format=settings.format)
        self._responses = Responses(wanted, reader, self.auditor, self.names)
        self.outcome = Rephrased()

    def _supported(self) -> None:
        for strategy in self.strategies:
            if not self.rewriter.supports(strategy):
                raise UsageError(
                    f"strategy {strategy.id} needs a model to carry it out",
                    hint="add --rewriter claude, which sends conversations to a server",
                )

    def run(self, show: Show) -> Rephrased:
        """Rewrites and judges; `show` is given every result as it comes.

        Where the evaluator cannot answer, results are given once the store had every vote; raises
        EvaluatorError where it had not.
        """
        if can_answer(self.auditor):
            return self._conduct(show)
        held: list[Rephrasing] = []
        outcome = self._conduct(held.append)
        if isinstance(outcome.error, MissingKeyError):
            raise outcome.error
        for result in held:
            show(result)
        return outcome

    def _conduct(self, show: Show) -> Rephrased:
        outcome, started = self.outcome, time.monotonic()
        with Interrupts() as interrupts:
            try:
                asyncio.run(self._run(show, interrupts))
            except (KeyboardInterrupt, asyncio.CancelledError):
                outcome.ending = Ending.INTERRUPTED
            except BudgetExhausted as exc:
                outcome.ending, outcome.error = Ending.OUT_OF_BUDGET, self.names.error(exc)
            except ChaperoneError as exc:
                outcome.ending, outcome.error = Ending.FAILED, self.names.error(exc)
        outcome.unread = self._responses.unread
        outcome.undecided = self._responses.undecided
        self.auditor.usage.seconds = time.monotonic() - started
        console.remark(self.auditor.remarks)
        return outcome

    async def _run(self, show: Show, interrupts: Interrupts) -> None:
        interrupts.cancels(asyncio.current_task())
        rephraser = Rephraser(
            self.auditor,
            self.rewriter,
            phrasebook(),
            probes(),
            self.wanted.attempts,
            flagged_only=self.wanted.turn is not None and not self.wanted.force,
        )
        try:
            targets = [target async for target in self._responses.targets(interrupts)]
            async with contextlib.aclosing(rephraser.run(targets, self.strategies)) as results:
                async for rephrasing in results:
                    result = self.names.rephrasing(rephrasing)
                    self.outcome.results.append(result)
                    show(result)
        finally:
            await self.rewriter.close()
            await self.auditor.evaluator.close()


def rewriter(wanted: Wanted, settings: Settings, auditor: Auditor, book: "Phrasebook") -> Rewriter:
    """Builds the rewriter that is wanted; raises UsageError."""
    build = BUILDERS.get(wanted.rewriter)
    if build is None:
        raise UsageError(
            f"unknown rewriter {wanted.rewriter[:40]!r}", hint=f"use {' or '.join(BUILDERS)}"
        )
    return build(wanted, settings, auditor, book)


def _prune(wanted: Wanted, settings: Settings, auditor: Auditor, book: "Phrasebook") -> Rewriter:
    from chaperone_cli.evaluators.local import LocalEvaluator
    from chaperone_cli.rewriters.prune import PruneRewriter

    plan = auditor.protocol
    return PruneRewriter(book, LocalEvaluator(), plan.rubric, plan.rule, plan.passes, wanted.locale)


def _claude(wanted: Wanted, settings: Settings, auditor: Auditor, book: "Phrasebook") -> Rewriter:
    from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator
    from chaperone_cli.rewriters.claude import ClaudeRewriter

    model = auditor.evaluator
    if not isinstance(model, ClaudeEvaluator):
        # Its votes are not asked for; what it offers is the way to the model, with pace and budget.
        model = ClaudeEvaluator(replace(wiring.claude_options(settings), kept=None))
        auditor.usage.spend = model.spend
    return ClaudeRewriter(model, book, wanted.locale)


BUILDERS = {"prune": _prune, "claude": _claude}
"""What builds each of `REWRITERS`."""
