"""Compares a run with an earlier one, conversation by conversation, while it goes by.

The outcomes of the earlier run are kept on disk meanwhile.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import orjson

from chaperone_cli.auditing.host import QUIET, Host
from chaperone_cli.auditing.saved import open_run
from chaperone_cli.codec.saved_run import SavedRun
from chaperone_cli.domain.comparison import (
    Comparison,
    Outcome,
    changed_facets,
    compare,
    evaluator_changed,
)
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.digest import judgement
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, Digests, Verdict
from chaperone_cli.errors import InputError
from chaperone_cli.readers.scratch import open_scratch, scratch_error
from chaperone_cli.reports.comparison import ComparisonReporter
from chaperone_cli.reports.interface import Quotes, Reporter

_TABLE = "CREATE TABLE old (id TEXT PRIMARY KEY, place INTEGER, outcome BLOB, met INTEGER)"
_FIND = "SELECT outcome FROM old WHERE id = ?"
_MEET = "UPDATE old SET met = 1 WHERE id = ?"
_REST = "SELECT id, outcome FROM old WHERE met = 0 ORDER BY place"


class Earlier:
    """The outcomes of an earlier run, on disk where they are many."""

    def __init__(self, path: Path, host: Host = QUIET) -> None:
        """Reads the run saved at `path`; raises InputError."""
        self._database = open_scratch(_TABLE)
        self.total = 0
        run = open_run(path)
        for saved in host.counting(run.verdicts(), "reading the earlier run"):
            if _settled(saved.verdict):
                self._add(path, saved.verdict, run.header)
        self.header = run.header
        self.cut_short = run.summary is not None and run.summary.ending is not Ending.COMPLETE

    def take(self, conversation: str) -> Outcome | None:
        """Gives the outcome of a conversation, which from then on counts as met."""
        with _reported():
            row = self._database.execute(_FIND, (_key(conversation),)).fetchone()
            if row is None:
                return None
            self._database.execute(_MEET, (_key(conversation),))
        return _decode(row[0])

    def rest(self) -> Iterator[tuple[str, Outcome]]:
        """Gives the conversations that were not met, in their order."""
        for name, outcome in self._database.execute(_REST):
            yield name, _decode(outcome)

    def close(self) -> None:
        """Deletes what was kept."""
        self._database.close()

    def _add(self, path: Path, verdict: ConversationVerdict, header: RunHeader | None) -> None:
        outcome = _outcome_of(verdict, header)
        row = (_key(verdict.conversation), self.total, _encode(outcome))
        with _reported():
            done = self._database.execute("INSERT OR IGNORE INTO old VALUES (?, ?, ?, 0)", row)
        if not done.rowcount:
            raise InputError(
                f"{path}: a conversation stands in it twice",
                hint="compare one run with one other run",
            )
        self.total += 1


def _settled(verdict: ConversationVerdict) -> bool:
    """Says whether `verdict` can be compared: half a conversation without a block says nothing."""
    return not verdict.partial or verdict.first_block is not None


def _outcome_of(verdict: ConversationVerdict, header: RunHeader | None) -> Outcome:
    """Gives what is compared of `verdict`; a header tells who judged where the verdict does not."""
    outcome = Outcome.of(verdict)
    if outcome.digests is None and header is not None:
        return outcome._replace(digests=Digests(None, judgement(header)))
    return outcome


@contextmanager
def _reported() -> Iterator[None]:
    """Raises InputError where the temporary folder cannot take what is set aside."""
    try:
        yield
    except sqlite3.Error as error:
        raise scratch_error(error) from error


def _key(conversation: str) -> str:
    """Gives an id as the database takes it."""
    return conversation.encode("utf-8", "backslashreplace").decode()


def _encode(outcome: Outcome) -> bytes:
    digests = outcome.digests
    return orjson.dumps([*outcome[:-1], None if digests is None else [*digests]])


def _decode(data: bytes) -> Outcome:
    verdict, turn, side, total, digests = orjson.loads(data)
    return Outcome(
        Verdict(verdict),
        turn,
        None if side is None else Side(side),
        total,
        None if digests is None else Digests(*digests),
    )


class Comparing(Reporter):
    """Takes a run as it comes and tells `reporters` what changed since `earlier`."""

    def __init__(self, earlier: Earlier, reporters: Sequence[ComparisonReporter]) -> None:
        self.comparison = Comparison(old_total=earlier.total)
        self._earlier = earlier
        self._reporters = reporters
        self._header: RunHeader | None = None
        self.ended = False
        """Whether the reports are complete."""

    def open(self, header: RunHeader) -> None:
        """Starts the reports with what of the judgement differs."""
        self.begin(header)

    def begin(self, header: RunHeader | None) -> None:
        """Starts the reports; `header` is None where the new run does not say who judged."""
        self._header = header
        facets = changed_facets(self._earlier.header, header)
        self.comparison.facets = facets
        self.comparison.judgement_changed = None if facets is None else bool(facets)
        for reporter in self._reporters:
            reporter.open(self._earlier.header, header)

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Compares one conversation."""
        if not _settled(verdict):
            return
        old = self._earlier.take(verdict.conversation)
        new = _outcome_of(verdict, self._header)
        found = compare(verdict.conversation, old, new)
        if self.comparison.judgement_changed is None and old is not None:
            self.comparison.judgement_changed = evaluator_changed(old, new)
        self.comparison.add(found)
        if found is not None:
            for reporter in self._reporters:
                reporter.add(found)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Completes the reports."""
        self.end(summary.ending, whole=summary.ending is Ending.COMPLETE)

    def end(self, ending: Ending, *, whole: bool) -> None:
        """Completes the reports; of a run that is not whole, nothing can be said to be gone.

        `ending` is how the comparison itself ended.
        """
        for name, outcome in self._earlier.rest() if whole else ():
            found = compare(name, outcome, None)
            self.comparison.add(found, in_new=False)
            assert found is not None
            for reporter in self._reporters:
                reporter.add(found)
        for reporter in self._reporters:
            reporter.close(self.comparison, ending)
        self._earlier.close()
        self.ended = True

    def abandon(self) -> None:
        """Removes what was written."""
        for reporter in self._reporters:
            reporter.abandon()
        with suppress(Exception):
            self._earlier.close()


def compare_saved(
    earlier: Earlier,
    later: SavedRun,
    reporters: Sequence[ComparisonReporter],
    host: Host = QUIET,
) -> Comparison:
    """Compares two saved runs; raises InputError for a damaged one, and writes no report then."""
    comparing = Comparing(earlier, reporters)
    try:
        comparing.begin(later.header)
        for saved in host.counting(_once(later), "comparing"):
            comparing.add(saved, {})
        ending = Ending.COMPLETE if later.summary is None else later.summary.ending
        comparing.end(Ending.COMPLETE, whole=ending is Ending.COMPLETE)
    except BaseException:
        comparing.abandon()
        raise
    return comparing.comparison


def _once(run: SavedRun) -> Iterable[ConversationVerdict]:
    """Gives the verdicts of `run`; raises InputError where a conversation stands in it twice."""
    database = open_scratch("CREATE TABLE known (id TEXT PRIMARY KEY) WITHOUT ROWID")
    for saved in run.verdicts():
        row = (_key(saved.verdict.conversation),)
        with _reported():
            done = database.execute("INSERT OR IGNORE INTO known VALUES (?)", row)
        if not done.rowcount:
            raise InputError(
                f"{run.path}: a conversation stands in it twice",
                hint="compare one run with one other run",
            )
        yield saved.verdict
    database.close()


def notes(earlier: Earlier, comparison: Comparison) -> Iterator[str]:
    """Says what a reader of a comparison should know before trusting it."""
    if earlier.cut_short:
        yield "the old run was cut short: what it did not reach counts as new"
    if comparison.old_total and comparison.new_total and not comparison.in_both:
        yield (
            "no conversation stands in both runs: are these runs over the same log, and are their "
            "ids hashed with the same key, or both not?"
        )
