"""Writers of what changed between two runs: JSON (`comparison.v1`), Markdown, and the terminal."""

from abc import ABC, abstractmethod
from pathlib import Path

from chaperone_cli.codec import comparison as codec
from chaperone_cli.codec.fields import dumps
from chaperone_cli.domain.comparison import Change, ChangedConversation, Comparison, Outcome
from chaperone_cli.domain.run import Ending, RunHeader
from chaperone_cli.errors import UsageError
from chaperone_cli.reports.target import Target

WORDS = {change: change.value.replace("_", " ") for change in Change}


class ComparisonReporter(ABC):
    """A sink for changed conversations, in the order of the new run, those that are gone last."""

    @abstractmethod
    def open(self, old: RunHeader | None, new: RunHeader | None) -> None:
        """Starts the report; a header is None where only the verdicts of a run were saved."""

    @abstractmethod
    def add(self, found: ChangedConversation) -> None:
        """Adds one changed conversation."""

    @abstractmethod
    def close(self, comparison: Comparison, ending: Ending) -> None:
        """Completes the report with the totals, for a run that came to such an `ending`."""

    @abstractmethod
    def abandon(self) -> None:
        """Removes what was written."""


class JsonComparison(ComparisonReporter):
    """Writes a `comparison.v1` document, a line for each changed conversation."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        self._separator = b"\n"

    def open(self, old: RunHeader | None, new: RunHeader | None) -> None:
        """Starts the document with the two runs."""
        self._target.open()
        self._target.write(
            b'{\n"schema": "%b",\n"old": %b,\n"new": %b,\n"conversations": ['
            % (
                codec.CONTRACT.encode(),
                dumps(codec.encode_run(old)),
                dumps(codec.encode_run(new)),
            )
        )

    def add(self, found: ChangedConversation) -> None:
        """Adds one line."""
        self._target.write(self._separator + dumps(codec.encode_change(found)))
        self._separator = b",\n"

    def close(self, comparison: Comparison, ending: Ending) -> None:
        """Adds the totals and moves the document into place."""
        judgement = dumps(codec.encode_judgement(comparison))
        summary = dumps(codec.encode_summary(comparison))
        self._target.write(b'\n],\n"judgement": %b,\n"summary": %b\n}\n' % (judgement, summary))
        self._target.commit(ending)

    def abandon(self) -> None:
        """Removes the unfinished document."""
        self._target.abandon()


class Foremost:
    """Keeps the changes that may be shown: of each kind the first `most`, the gravest kinds first.

    A conversation counts under its gravest change.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Change, list[ChangedConversation]] = {change: [] for change in Change}

    def add(self, found: ChangedConversation) -> None:
        """Keeps `found`, if it is among the first of its kind."""
        kept = self._kept[found.changes[0]]
        if len(kept) < self._most:
            kept.append(found)

    def shown(self) -> list[ChangedConversation]:
        """Gives the conversations to show."""
        return [found for kept in self._kept.values() for found in kept][: self._most]


def headline(comparison: Comparison) -> str:
    """Says how many conversations changed, and how."""
    counts = [
        f"{comparison.changes[change]:,} {WORDS[change]}"
        for change in Change
        if comparison.changes[change]
    ]
    every = comparison.changed + comparison.unchanged
    noun = "conversation" if every == 1 else "conversations"
    said = f"{comparison.changed:,} of {every:,} {noun} changed"
    return f"{said}: {', '.join(counts)}" if counts else said


def outcome(found: Outcome | None) -> str:
    """Says in a few words what a run says of a conversation."""
    if found is None:
        return "-"
    if found.turn is None:
        return found.verdict.value
    return f"block at {found.turn}, {found.side}"


def for_path(path: str) -> ComparisonReporter:
    """Gives the writer that the suffix of `path` names; raises UsageError for another suffix."""
    from chaperone_cli.reports.comparison_markdown import MarkdownComparison

    match Path(path).suffix.lower():
        case ".json":
            return JsonComparison(Path(path))
        case ".md":
            return MarkdownComparison(Path(path))
        case _:
            raise UsageError(
                f"{path}: what changed cannot be written in this format",
                hint="let the name end in .json or .md",
            )
