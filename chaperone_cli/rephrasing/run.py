"""One run of rewriting: finds the responses, has them rewritten and judged, and keeps results."""

import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chaperone_cli.auditing import build
from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.auditing.host import QUIET, Host
from chaperone_cli.auditing.rehearse import can_answer
from chaperone_cli.auditing.run import ended
from chaperone_cli.codec import strategy as strategies
from chaperone_cli.codec.phrasebook import phrasebook, probes
from chaperone_cli.codec.rephrase import RephraseRun
from chaperone_cli.config import Settings
from chaperone_cli.domain.rephrasing import Rephrasing, Result
from chaperone_cli.domain.run import Ending, RunHeader
from chaperone_cli.errors import ChaperoneError, MissingKeyError, UsageError
from chaperone_cli.evaluators.interface import Evaluator
from chaperone_cli.readers import LogReader
from chaperone_cli.rephrasing.rephraser import Rephraser
from chaperone_cli.rephrasing.responses import Responses, Wanted
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

    @property
    def all_repaired(self) -> bool:
        """Says whether every response has a rewrite that passes."""
        places = {_place(one) for one in self.results}
        return places == {_place(one) for one in self.results if one.result is Result.PASSING}

    def unpaired(self) -> Iterator[str]:
        """Says of every response without a preference pair why it has none."""
        for one in self.results:
            if one.unpaired is not None:
                name, turn = _place(one)
                where = f"turn {turn} of conversation {name[:80]!r} with {one.strategy.id}"
                yield f"no pair for {where}: {one.unpaired}"


def _place(one: Rephrasing) -> tuple[str, int]:
    return one.target.conversation.id, one.target.turn.number


class Rephrase:
    """One run of the command."""

    def __init__(
        self,
        wanted: Wanted,
        settings: Settings,
        host: Host = QUIET,
        voter: Evaluator | None = None,
    ) -> None:
        """Raises UsageError before anything is read or asked."""
        wanted.check()
        self.names = build.names(settings, build.hash_key(settings))
        self.wanted = wanted
        self.strategies = tuple(strategies.load(name) for name in wanted.strategies)
        # A whole conversation is put to the vote only to find its first block.
        settings = replace(settings, all_votes=False, until_block=True, explain=False, batch=False)
        if settings.evaluator == "recorded":
            raise UsageError(
                "recorded votes were cast on the original and cannot judge a rewrite",
                hint="use --evaluator local or --evaluator claude",
            )
        self._host = host
        self.auditor = build.auditor(settings, voter)
        self.rewriter = rewriter(wanted, settings, self.auditor, phrasebook())
        self._supported()
        self.rewriter.check()
        reader = LogReader([wanted.path], format=settings.format)
        self._responses = Responses(wanted, reader, self.auditor, self.names, host)
        self.outcome = Rephrased()

    def _supported(self) -> None:
        for strategy in self.strategies:
            if not self.rewriter.supports(strategy):
                raise UsageError(
                    f"strategy {strategy.id} needs a model to carry it out",
                    hint="add --rewriter claude, which sends conversations to a server",
                )

    def header(self) -> RunHeader:
        """Return the header of a run that starts now."""
        return self.names.header(build.header(self.auditor, [self.wanted.path]))

    def document(self, header: RunHeader) -> RephraseRun:
        """Return what is kept of the run."""
        done = self.outcome
        return RephraseRun(
            header,
            self.rewriter.identity,
            self.strategies,
            self.wanted.attempts,
            tuple(done.results),
            done.ending,
            self.auditor.usage,
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

        async def go() -> None:
            async with contextlib.aclosing(self.results()) as results:
                async for result in results:
                    show(result)

        outcome.ending, outcome.error = ended(lambda: self._host.run(go()), self.names)
        outcome.unread = self._responses.unread
        outcome.undecided = self._responses.undecided
        self.auditor.usage.seconds = time.monotonic() - started
        for remark in self.auditor.remarks:
            self._host.note(f"note: {remark}")
        return outcome

    async def results(self) -> AsyncGenerator[Rephrasing, None]:
        """Yields every result as it comes, and keeps it; raises what cuts the run short."""
        rephraser = Rephraser(
            self.auditor,
            self.rewriter,
            phrasebook(),
            probes(),
            self.wanted.attempts,
            flagged_only=self.wanted.turn is not None and not self.wanted.force,
        )
        try:
            targets = [target async for target in self._responses.targets()]
            async with contextlib.aclosing(rephraser.run(targets, self.strategies)) as results:
                async for rephrasing in results:
                    result = self.names.rephrasing(rephrasing)
                    self.outcome.results.append(result)
                    yield result
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
        model = ClaudeEvaluator(replace(build.claude_options(settings), kept=None))
        auditor.usage.spend = model.spend
    return ClaudeRewriter(model, book, wanted.locale)


BUILDERS = {"prune": _prune, "claude": _claude}
"""What builds each of `REWRITERS`."""
