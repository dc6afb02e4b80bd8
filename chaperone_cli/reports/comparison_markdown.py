"""What changed between two runs, as Markdown of bounded length for a job summary."""

from collections.abc import Iterator
from pathlib import Path

from chaperone_cli.domain.comparison import Cause, Change, ChangedConversation, Comparison
from chaperone_cli.domain.run import Ending, RunHeader
from chaperone_cli.reports.comparison import (
    WORDS,
    ComparisonReporter,
    Foremost,
    headline,
    outcome,
)
from chaperone_cli.reports.markdown_text import code, table
from chaperone_cli.reports.target import Target

ROWS = 50
_HEAD = ("conversation", "change", "before", "now", "because of")


class MarkdownComparison(ComparisonReporter):
    """Writes the gravest changes and the totals."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        self._foremost = Foremost(ROWS)

    def open(self, old: RunHeader | None, new: RunHeader | None) -> None:
        """Starts the file."""
        self._target.open()

    def add(self, found: ChangedConversation) -> None:
        """Keeps one change, if it is among the first of its kind."""
        self._foremost.add(found)

    def close(self, comparison: Comparison, ending: Ending) -> None:
        """Writes the file and moves it into place."""
        self._target.write("\n".join([*self._lines(comparison), ""]).encode())
        self._target.commit(ending)

    def abandon(self) -> None:
        """Removes the unfinished file."""
        self._target.abandon()

    def _lines(self, comparison: Comparison) -> Iterator[str]:
        new = comparison.changes[Change.NEWLY_BLOCKED]
        noun = "conversation" if new == 1 else "conversations"
        yield f"## chaperone: {new:,} {noun} newly blocked"
        yield ""
        yield f"{headline(comparison)}."
        yield ""
        yield judgement(comparison)
        shown = self._foremost.shown()
        if shown:
            yield ""
            yield from table(_HEAD, map(_row, shown))
        if comparison.changed > len(shown):
            yield ""
            yield f"{comparison.changed - len(shown):,} more changes are not shown here."


def judgement(comparison: Comparison) -> str:
    """Says in Markdown what of evaluator, rubric and rule differs."""
    if comparison.judgement_changed is None:
        return "Whether evaluator, rubric and rule are the same is not known."
    if not comparison.judgement_changed:
        return "Evaluator, rubric and rule are the same in both runs."
    if not comparison.facets:
        return "Evaluator, rubric or rule changed."
    parts = (f"{name} {code(old)} → {code(new)}" for name, old, new in comparison.facets)
    return f"The judgement changed: {', '.join(parts)}."


def _row(found: ChangedConversation) -> list[str]:
    return [
        code(found.conversation),
        ", ".join(WORDS[change] for change in found.changes),
        outcome(found.old),
        outcome(found.new),
        said(found.cause),
    ]


def said(cause: Cause | None) -> str:
    """Says what differs beneath a changed conversation."""
    return "" if cause is None else cause.value.replace("_", " ")
