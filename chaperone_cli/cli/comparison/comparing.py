"""Compares a run with an earlier one, conversation by conversation, while it goes by."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from chaperone_cli.cli.comparison.earlier import Earlier, key, outcome_of, reported, settled
from chaperone_cli.cli.counting import counted
from chaperone_cli.codec.saved_run import SavedRun
from chaperone_cli.domain.comparison import (
    Comparison,
    changed_facets,
    compare,
    evaluator_changed,
)
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import InputError
from chaperone_cli.readers.scratch import open_scratch
from chaperone_cli.reports.comparison import ComparisonReporter
from chaperone_cli.reports.interface import Quotes, Reporter


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
        if not settled(verdict):
            return
        old = self._earlier.take(verdict.conversation)
        new = outcome_of(verdict, self._header)
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
    earlier: Earlier, later: SavedRun, reporters: Sequence[ComparisonReporter]
) -> Comparison:
    """Compares two saved runs; raises InputError for a damaged one, and writes no report then."""
    comparing = Comparing(earlier, reporters)
    try:
        comparing.begin(later.header)
        for saved in counted(_once(later), "comparing"):
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
        row = (key(saved.verdict.conversation),)
        with reported():
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
