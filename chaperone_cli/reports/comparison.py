"""What changed between two runs: as JSON (`comparison.v1`), as Markdown, and on the terminal."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from chaperone_cli.codec import comparison as codec
from chaperone_cli.codec.fields import dumps
from chaperone_cli.domain.comparison import Change, ChangedConversation, Comparison, Outcome
from chaperone_cli.domain.run import Ending, RunHeader
from chaperone_cli.errors import UsageError
from chaperone_cli.reports.files import AtomicFile
from chaperone_cli.reports.markdown_file import code, table
from chaperone_cli.reports.wording import Foremost

if TYPE_CHECKING:
    from rich.console import Console

ROWS = 50
"""Changed conversations that a Markdown file shows at most."""
_WORDS = {change: change.value.replace("_", " ") for change in Change}
_HEAD = ("conversation", "change", "before", "now", "because of")
_GRAVE = {Change.NEWLY_BLOCKED: "bold red", Change.NEWLY_UNDECIDED: "bold yellow"}
_GAP = "  "


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
        self._file = AtomicFile(path)
        self._separator = b"\n"

    def open(self, old: RunHeader | None, new: RunHeader | None) -> None:
        """Starts the document with the two runs."""
        self._file.open()
        self._file.write(
            b'{\n"schema": "%b",\n"old": %b,\n"new": %b,\n"conversations": ['
            % (
                codec.CONTRACT.encode(),
                dumps(codec.encode_run(old)),
                dumps(codec.encode_run(new)),
            )
        )

    def add(self, found: ChangedConversation) -> None:
        """Adds one line."""
        self._file.write(self._separator + dumps(codec.encode_change(found)))
        self._separator = b",\n"

    def close(self, comparison: Comparison, ending: Ending) -> None:
        """Adds the totals and moves the document into place."""
        judgement = dumps(codec.encode_judgement(comparison))
        summary = dumps(codec.encode_summary(comparison))
        self._file.write(b'\n],\n"judgement": %b,\n"summary": %b\n}\n' % (judgement, summary))
        self._file.commit(ending)

    def abandon(self) -> None:
        """Removes the unfinished document."""
        self._file.abandon()


class MarkdownComparison(ComparisonReporter):
    """Writes the gravest changes and the totals, of bounded length for a job summary."""

    def __init__(self, path: Path) -> None:
        self._file = AtomicFile(path)
        self._gravest = Foremost[Change, ChangedConversation](Change, ROWS)

    def open(self, old: RunHeader | None, new: RunHeader | None) -> None:
        """Starts the file."""
        self._file.open()

    def add(self, found: ChangedConversation) -> None:
        """Keeps one conversation under its gravest change."""
        self._gravest.add(found.changes[0], found)

    def close(self, comparison: Comparison, ending: Ending) -> None:
        """Writes the file and moves it into place."""
        self._file.write("\n".join([*self._lines(comparison), ""]).encode())
        self._file.commit(ending)

    def abandon(self) -> None:
        """Removes the unfinished file."""
        self._file.abandon()

    def _lines(self, comparison: Comparison) -> Iterator[str]:
        new = comparison.changes[Change.NEWLY_BLOCKED]
        noun = "conversation" if new == 1 else "conversations"
        yield f"## chaperone: {new:,} {noun} newly blocked"
        yield ""
        yield f"{_headline(comparison)}."
        yield ""
        yield _judgement(comparison)
        shown = self._gravest.shown()
        if shown:
            yield ""
            yield from table(_HEAD, (_row(found, code) for found in shown))
        if comparison.changed > len(shown):
            yield ""
            yield f"{comparison.changed - len(shown):,} more changes are not shown here."


class TerminalComparison(ComparisonReporter):
    """Shows at most `rows` changed conversations; prints nothing before `show`."""

    def __init__(self, console: "Console", rows: int = 40) -> None:
        # Rich takes long to import, and files are written without it.
        from chaperone_cli.reports.terminal.screen import Screen

        self._screen = Screen(console)
        self._gravest = Foremost[Change, ChangedConversation](Change, rows)

    def open(self, old: RunHeader | None, new: RunHeader | None) -> None:
        """Does nothing yet."""

    def add(self, found: ChangedConversation) -> None:
        """Keeps one conversation under its gravest change."""
        self._gravest.add(found.changes[0], found)

    def close(self, comparison: Comparison, ending: Ending) -> None:
        """Keeps the totals."""
        self._comparison = comparison

    def show(self) -> None:
        """Prints changes and totals."""
        shown, comparison = self._gravest.shown(), self._comparison
        self._put_table(shown)
        more = comparison.changed - len(shown)
        if more > 0:
            self._screen.put(f"not shown: {more:,} more changes; -o changes.json keeps all")
        grave = next((style for change, style in _GRAVE.items() if comparison.changes[change]), "")
        self._screen.put(_headline(comparison), style=grave or "bold")
        self._put_judgement(comparison)

    def abandon(self) -> None:
        """Prints nothing."""

    def _put_table(self, shown: list[ChangedConversation]) -> None:
        from rich.cells import cell_len

        rows = [list(_HEAD), *(_row(found, self._screen.plain) for found in shown)]
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        for number, row in enumerate(rows if shown else ()):
            cells = (
                cell + " " * (width - cell_len(cell))
                for cell, width in zip(row, widths, strict=True)
            )
            style = _GRAVE.get(shown[number - 1].changes[0], "") if number else "bold"
            self._screen.put(_GAP.join(cells).rstrip(), style=style)
        if shown:
            self._screen.put()

    def _put_judgement(self, comparison: Comparison) -> None:
        if comparison.judgement_changed is None:
            self._screen.put("whether evaluator, rubric and rule are the same is not known")
        elif not comparison.judgement_changed:
            self._screen.put("evaluator, rubric and rule are the same in both runs")
        elif not comparison.facets:
            self._screen.put("evaluator, rubric or rule changed")
        for name, old, new in comparison.facets or ():
            plain = self._screen.plain
            self._screen.put(f"{name} changed from {plain(old)} to {plain(new)}")


def for_path(path: str) -> ComparisonReporter:
    """The writer that the suffix of `path` names; raises UsageError for another suffix."""
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


def _headline(comparison: Comparison) -> str:
    """How many conversations changed, and how."""
    counts = [
        f"{comparison.changes[change]:,} {_WORDS[change]}"
        for change in Change
        if comparison.changes[change]
    ]
    every = comparison.changed + comparison.unchanged
    noun = "conversation" if every == 1 else "conversations"
    said = f"{comparison.changed:,} of {every:,} {noun} changed"
    return f"{said}: {', '.join(counts)}" if counts else said


def _judgement(comparison: Comparison) -> str:
    """What of evaluator, rubric and rule differs, in Markdown."""
    if comparison.judgement_changed is None:
        return "Whether evaluator, rubric and rule are the same is not known."
    if not comparison.judgement_changed:
        return "Evaluator, rubric and rule are the same in both runs."
    if not comparison.facets:
        return "Evaluator, rubric or rule changed."
    parts = (f"{name} {code(old)} → {code(new)}" for name, old, new in comparison.facets)
    return f"The judgement changed: {', '.join(parts)}."


def _row(found: ChangedConversation, spelled: Callable[[str], str]) -> list[str]:
    return [
        spelled(found.conversation),
        ", ".join(_WORDS[change] for change in found.changes),
        _outcome(found.old),
        _outcome(found.new),
        "" if found.cause is None else found.cause.value.replace("_", " "),
    ]


def _outcome(found: Outcome | None) -> str:
    """What a run says of a conversation, in a few words."""
    if found is None:
        return "-"
    if found.turn is None:
        return found.verdict.value
    return f"block at {found.turn}, {found.side}"
