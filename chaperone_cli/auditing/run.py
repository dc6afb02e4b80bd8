"""A run: what the reader yields goes through the auditor and on to the reporters."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.auditing.host import QUIET, Host
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.digest import Digester
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.pseudonym import Names, PlainNames
from chaperone_cli.domain.run import Ending, RunHeader, Summary
from chaperone_cli.domain.selection import Selection
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.domain.vote import Answer
from chaperone_cli.errors import BudgetExhausted, ChaperoneError, OutputError, VotesPending
from chaperone_cli.readers import LogReader
from chaperone_cli.reports.interface import Quotes, Reporter


def ended(work: Callable[[], object], names: Names) -> tuple[Ending, ChaperoneError | None]:
    """Does `work`, and returns how it ended, with what ended it early.

    Raises OutputError: what cannot be written is no way for a run to end.
    """
    try:
        work()
    except (KeyboardInterrupt, asyncio.CancelledError):
        return Ending.INTERRUPTED, None
    except BudgetExhausted as exc:
        return Ending.OUT_OF_BUDGET, names.error(exc)
    except OutputError:
        raise
    except ChaperoneError as exc:
        return Ending.FAILED, names.error(exc)
    return Ending.COMPLETE, None


class Run:
    """One pass of a log through an auditor, and how it ended."""

    def __init__(
        self,
        auditor: Auditor,
        reporters: Sequence[Reporter],
        *,
        quote: bool = False,
        names: Names | None = None,
        key: bytes = b"",
        host: Host = QUIET,
    ) -> None:
        """`names` says how ids and paths are shown; `key` makes digests nobody else can check."""
        self.summary = Summary.of(auditor.protocol)
        self.error: ChaperoneError | None = None
        """What ended the run early."""
        self.reported = False
        """Whether there was anything to report, and the reports are written."""
        self._auditor = auditor
        self._reporters = reporters
        self._quote = quote
        self._names: Names = names or PlainNames()
        self._key = key
        self._host = host

    def over(
        self,
        header: RunHeader,
        reader: LogReader,
        chosen: Selection,
        seen: Callable[[Conversation], object] = lambda _: None,
    ) -> None:
        """Audits what is `chosen` of a log, and writes the reports, also where it is cut short.

        `seen` is given every conversation as it is read. Raises only what goes wrong with the
        reports themselves.
        """
        for warning in self._auditor.evaluator.warnings:
            self._host.note(f"note: {warning}")
        started = time.monotonic()
        self._digester = Digester(header, self._key)
        opened = self._open(self._names.header(header))
        try:
            with self._host.watching(self._auditor.progress, reader):
                self._conduct(_seen(chosen.over(reader, self.summary.left_out), seen))
        except BaseException:
            _abandon(opened)
            raise
        # As precise as reports keep it, so that a saved run reads as when it was made.
        self._auditor.usage.seconds = round(time.monotonic() - started, 3)
        if self.summary.ending is Ending.FAILED and not self._something_came_of_it():
            _abandon(opened)
        else:
            self._close(opened)
            self.reported = True
        for remark in self._auditor.remarks:
            self._host.note(f"note: {remark}")

    def _something_came_of_it(self) -> bool:
        """Says whether there is a verdict, or calls were answered, which somebody paid for.

        A report of neither would only take the place of an earlier one. Votes that are still out
        are reported by the run that collects them.
        """
        spend = self._auditor.usage.spend
        answered = spend is not None and spend.calls > spend.failed
        return bool(self.summary.total) or (answered and not isinstance(self.error, VotesPending))

    def _open(self, header: RunHeader) -> list[Reporter]:
        opened: list[Reporter] = []
        for reporter in self._reporters:
            try:
                reporter.open(header)
            except ChaperoneError:
                _abandon(opened)
                raise
            opened.append(reporter)
        return opened

    def _close(self, opened: Sequence[Reporter]) -> None:
        for done, reporter in enumerate(opened, start=1):
            try:
                reporter.close(self.summary, self._auditor.usage)
            except BaseException:
                _abandon(opened[done:])
                raise

    def _conduct(self, items: Iterable[Conversation | Problem]) -> None:
        outcome = ended(lambda: self._host.run(self._audit(items)), self._names)
        self.summary.ending, self.error = outcome

    async def _audit(self, items: Iterable[Conversation | Problem]) -> None:
        results = self._auditor.run(self._host.reading(items))
        async with contextlib.aclosing(results):
            async for result in results:
                if isinstance(result, Problem):
                    self._take_problem(result)
                else:
                    self._take(result.conversation, result.verdict)

    def _take(self, conversation: Conversation, verdict: ConversationVerdict) -> None:
        self.summary.add(verdict)
        self.summary.add_reading(conversation)
        quotes = quotes_for(verdict, conversation) if self._quote else {}
        digests = self._digester.digests(conversation)
        verdict = self._names.verdict(replace(verdict, digests=digests))
        for reporter in self._reporters:
            reporter.add(verdict, quotes)

    def _take_problem(self, problem: Problem) -> None:
        self.summary.add_problem(problem)
        problem = self._names.problem(problem)
        for reporter in self._reporters:
            reporter.add_problem(problem)


def _seen(
    items: Iterable[Conversation | Problem], see: Callable[[Conversation], object]
) -> Iterator[Conversation | Problem]:
    for item in items:
        if isinstance(item, Conversation):
            see(item)
        yield item


def quotes_for(verdict: ConversationVerdict, conversation: Conversation) -> Quotes:
    """Gives the text of every span for which a turn was blocked, by a vote or an explanation."""
    spans = {
        vote.evidence.span
        for turn in verdict.turns
        if turn.verdict is Verdict.BLOCK
        for vote in turn.votes
        if vote.answer is Answer.YES and vote.evidence is not None and vote.evidence.span
    }
    if verdict.explanation is not None and verdict.explanation.span is not None:
        spans.add(verdict.explanation.span)
    return {span: conversation.turns[span.turn - 1].text[span.start : span.end] for span in spans}


def _abandon(reporters: Sequence[Reporter]) -> None:
    for reporter in reporters:
        reporter.abandon()
