"""The library: what `import chaperone_cli` offers, as the commands do it.

Work goes on in a thread of its own with an event loop of its own, so that all of this can be called
from a notebook, from several threads and from any event loop. It prints nothing, handles no signal
and changes no logging of its host.
"""

import asyncio
import copy
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from chaperone_cli import reports
from chaperone_cli.auditing import build
from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.auditing.run import quotes_for
from chaperone_cli.auditing.saved import header_of, open_run, render
from chaperone_cli.codec.saved_run import SavedRun
from chaperone_cli.config import Settings, checked
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.digest import Digester
from chaperone_cli.domain.metrics.figures import Evaluation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.pseudonym import PlainNames
from chaperone_cli.domain.rephrasing import Rephrasing
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import BudgetExhausted, ChaperoneError, UsageError
from chaperone_cli.evaluators.interface import Evaluator
from chaperone_cli.measuring.evaluation import builder_for
from chaperone_cli.rephrasing.responses import Wanted
from chaperone_cli.rephrasing.run import Rephrase
from chaperone_cli.reports.interface import Quotes, Reporter

PathName = str | PathLike[str]
Logs = PathName | Iterable[PathName] | Iterable[Conversation | Problem]
"""Paths of logs, or conversations, among which a Problem stands for what could not be read."""
T = TypeVar("T")


def read_logs(
    paths: PathName | Iterable[PathName], **selection: Any
) -> Iterator[Conversation | Problem]:
    """Yields the conversations of logs, and a Problem in the place of whatever cannot be read.

    `selection` takes the settings by which `chaperone audit` selects: `format`, `branches`,
    `where`, `since`, `until`, `limit`, `sample`, `seed`. Raises UsageError for one that is none.
    """
    settings = _settings(selection)
    chosen, reader = build.selection(settings), build.log_reader(_names(paths), settings)
    return iter(chosen.over(reader, LeftOut()))


def open_evaluator(name: str, **settings: Any) -> Evaluator:
    """Return the evaluator `name`: local, claude or recorded; raises UsageError.

    `settings` are those that `chaperone audit` takes, such as `model`, `base_url`, `max_cost` or
    `recorded_votes`. It can be used any number of times, and pickles as its settings.
    """
    return build.evaluator(_settings({**settings, "evaluator": name}))


class Audit:
    """An audit, which goes on while it is iterated: once, with `for` or with `async for`.

    It yields the verdict of one conversation after the other, in the order of the log. Iterating
    raises EvaluatorError, StoreError or BudgetExhausted where the run cannot go on, once every
    verdict was given; what was cut short is `partial`.
    """

    def __init__(self, logs: Logs, settings: Settings, voter: Evaluator | None) -> None:
        """Raises UsageError for settings that do not go together."""
        build.protocol(settings, build.screen(settings))
        self.header: RunHeader | None = None
        """Who judges what; None before the first verdict is asked for."""
        self.summary = Summary(settings.votes)
        """Totals of the verdicts so far."""
        self.usage = Usage()
        """What the votes took so far."""
        self.problems: list[Problem] = []
        """What of the logs could not be read, so far."""
        self.remarks: tuple[str, ...] = ()
        """What should be known of the run, once it is over."""
        self._logs = logs
        self._settings = settings
        # A copy, so that audits in other threads and loops can use the same evaluator.
        self._voter = copy.copy(voter) if voter is not None else build.evaluator(settings)
        self._begun = False

    def __iter__(self) -> Iterator[ConversationVerdict]:
        return (verdict for verdict, _ in _iterated(self._verdicts()))

    async def __aiter__(self) -> AsyncIterator[ConversationVerdict]:
        with _Loop() as loop:
            async for verdict, _ in loop.awaited(self._verdicts()):
                yield verdict

    def with_quotes(self) -> Iterator[tuple[ConversationVerdict, Quotes]]:
        """Yields the verdicts with the text of the spans for which turns are blocked."""
        return _iterated(self._verdicts())

    async def _verdicts(self) -> AsyncGenerator[tuple[ConversationVerdict, Quotes], None]:
        if self._begun:
            raise UsageError("an audit can be iterated once", hint="start another")
        self._begun = True
        auditor = build.auditor(self._settings, self._voter)
        paths = _paths(self._logs)
        self.header = build.header(auditor, paths or ())
        self.summary, self.usage = Summary.of(auditor.protocol), auditor.usage
        try:
            async for one in self._judged(auditor, self._items(paths)):
                yield one
        except ChaperoneError as exc:
            spent = isinstance(exc, BudgetExhausted)
            self.summary.ending = Ending.OUT_OF_BUDGET if spent else Ending.FAILED
            raise
        finally:
            self.remarks = auditor.remarks
            if auditor.store is not None:
                auditor.store.close()

    async def _judged(
        self, auditor: Auditor, items: Iterable[Conversation | Problem]
    ) -> AsyncGenerator[tuple[ConversationVerdict, Quotes], None]:
        assert self.header is not None
        digester = Digester(self.header)
        results = auditor.run(items)
        try:
            async for result in results:
                if isinstance(result, Problem):
                    self.problems.append(result)
                    self.summary.add_problem(result)
                    continue
                talk = result.conversation
                verdict = replace(result.verdict, digests=digester.digests(talk))
                self.summary.add(verdict)
                self.summary.add_reading(talk)
                yield verdict, quotes_for(verdict, talk)
        finally:
            await results.aclose()

    def _items(self, paths: Sequence[str] | None) -> Iterable[Conversation | Problem]:
        items: Any = self._logs
        if paths is not None:
            items = build.log_reader(paths, self._settings)
        return build.selection(self._settings).over(items, self.summary.left_out)


def audit(
    logs: Logs,
    *,
    evaluator: str | Evaluator = "local",
    rubric: PathName = "parasocial",
    rule: str | int = "unanimous",
    votes: int = 5,
    **settings: Any,
) -> Audit:
    """Return the audit of `logs`, which `for` and `async for` take conversation by conversation.

    `evaluator` is a name or what `open_evaluator` returns, `rubric` an id or a .toml file, `votes`
    how many votes a turn gets, and `rule` how many of them block it. `settings` are further ones of
    `chaperone audit`, such as `sides`, `until_block` or `store`. Raises UsageError.
    """
    named = isinstance(evaluator, str)
    settings |= {"rubric": fspath(rubric), "rule": rule, "votes": votes}
    voter = None if named else evaluator
    given = _settings({**settings, "evaluator": evaluator} if named else settings)
    return Audit(logs, given, voter if isinstance(voter, Evaluator) else None)


def evaluate(logs: Logs, **settings: Any) -> Evaluation:
    """Return how good an evaluator is on labelled logs; takes what `audit` takes.

    All votes are cast, because every rule is computed from them. Raises what an audit raises.
    """
    run = audit(logs, **{**settings, "all_votes": True, "until_block": False})
    builder = builder_for(build.protocol(run._settings))
    for verdict in run:
        builder.add(verdict)
    return builder.evaluation()


def rephrase(
    path: PathName,
    *,
    conversation: str | None = None,
    turn: int | None = None,
    force: bool = False,
    rewriter: str = "prune",
    strategies: Sequence[str] = ("neutral",),
    attempts: int = 3,
    evaluator: str | Evaluator = "local",
    **settings: Any,
) -> Iterator[Rephrasing]:
    """Yields rewrites of flagged responses of a log, each judged in its place.

    Rewritten is the response at `turn`, else the first block of `conversation`, else the first
    block of every conversation. Raises UsageError or InputError where there is nothing to rewrite,
    and what the evaluator or the rewriter raises.
    """
    named = isinstance(evaluator, str)
    given = _settings({**settings, "evaluator": evaluator} if named else settings)
    every = turn is None and conversation is None
    first = turn is None and not every
    wanted = Wanted(
        fspath(path),
        *(conversation, turn, first, every, None, force, rewriter, tuple(strategies), attempts),
    )
    voter = copy.copy(evaluator) if isinstance(evaluator, Evaluator) else None

    async def results() -> AsyncGenerator[Rephrasing, None]:
        run = Rephrase(wanted, given, voter=voter)
        async for result in run.results():
            yield result

    return _iterated(results())


def load_report(path: PathName) -> SavedRun:
    """Return the run saved at `path`, a .json or .jsonl report or a folder of evidence.

    It is read as it is iterated, as often as wanted, whatever its length: first its verdicts, then
    the problems of its input. Raises InputError for what is no report.
    """
    return open_run(Path(path))


def write_report(run: Audit | SavedRun, *paths: PathName, quote: bool = False) -> None:
    """Writes `run` to `paths`, whose suffixes choose the formats; iterates it to its end.

    Only with `quote` do reports hold the flagged spans. Each file appears once it is whole; raises
    UsageError for a suffix without a format, OutputError where a file cannot be written, and what
    iterating raises, in which case nothing is written.
    """
    files = [reports.for_path(Path(path)) for path in paths]
    if isinstance(run, SavedRun):
        render(run, header_of(run, Settings()), files, PlainNames(), quote=quote)
        return
    opened: list[Reporter] = []
    try:
        verdicts = run.with_quotes()
        for verdict, quotes in verdicts:
            if not opened:
                _open(files, run, opened)
            for reporter in opened:
                reporter.add(verdict, quotes if quote else {})
        if not opened:
            _open(files, run, opened)
        for reporter in opened:
            for problem in run.problems:
                reporter.add_problem(problem)
            reporter.close(run.summary, run.usage)
    except BaseException:
        for reporter in opened:
            reporter.abandon()
        raise


def _open(files: Iterable[Reporter], run: Audit, opened: list[Reporter]) -> None:
    assert run.header is not None
    for reporter in files:
        reporter.open(run.header)
        opened.append(reporter)


def _settings(given: dict[str, Any]) -> Settings:
    return Settings().with_overrides(checked(given))


def _names(paths: PathName | Iterable[PathName]) -> list[str]:
    return [fspath(paths)] if isinstance(paths, str | PathLike) else [fspath(one) for one in paths]


def _paths(logs: Logs) -> list[str] | None:
    """Return the paths that `logs` are; None where they are conversations."""
    if isinstance(logs, str | PathLike):
        return [fspath(logs)]
    if isinstance(logs, Sequence) and logs and all(isinstance(o, str | PathLike) for o in logs):
        return [fspath(one) for one in logs if isinstance(one, str | PathLike)]
    return None


class _Loop:
    """An event loop in a thread of its own, for callers who may have one of their own already."""

    def __enter__(self) -> "_Loop":
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def waited(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` comes to; cancels it where waiting is interrupted."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def awaited(self, items: AsyncGenerator[T, None]) -> AsyncIterator[T]:
        """Yields `items` in the caller's event loop, which is free meanwhile."""
        try:
            while True:
                future = asyncio.run_coroutine_threadsafe(_next(items), self._loop)
                one = await asyncio.wrap_future(future)
                if not one:
                    return
                yield one[0]
        finally:
            done = asyncio.run_coroutine_threadsafe(items.aclose(), self._loop)
            await asyncio.wrap_future(done)


async def _next(items: AsyncGenerator[T, None]) -> tuple[T] | tuple[()]:
    # StopAsyncIteration does not pass through a future.
    try:
        return (await anext(items),)
    except StopAsyncIteration:
        return ()


def _iterated(items: AsyncGenerator[T, None]) -> Iterator[T]:
    with _Loop() as loop:
        try:
            while one := loop.waited(_next(items)):
                yield one[0]
        finally:
            loop.waited(items.aclose())
