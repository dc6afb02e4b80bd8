"""Evidence: a folder with every report, the settings, the rubric's text, and digests of it all.

It holds what somebody else needs to trust a run and to repeat it, and no conversation text unless
quotes were asked for. `manifest.json` is written last, so that a folder without it is unfinished.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chaperone_cli.codec import manifest as codec
from chaperone_cli.codec import toml
from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.manifest import Digested, Manifest
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import OutputError, UsageError
from chaperone_cli.reports.files import AtomicFile, place_of
from chaperone_cli.reports.interface import Quotes, Reporter

REPORTS = (
    "report.json",
    "report.html",
    "verdicts.jsonl",
    "turns.csv",
    "findings.sarif",
    "junit.xml",
    "summary.md",
)
SETTINGS, RUBRIC = "settings.toml", "rubric.toml"
FILES = (*REPORTS, SETTINGS, RUBRIC, codec.NAME)
"""Everything that a folder of evidence may hold."""
_REPEAT = (
    "# What shaped the verdicts of this run. To repeat it, in this folder:\n"
    "#     chaperone audit LOG... --config settings.toml\n\n"
)


def folder_of(folder: Path, ending: Ending) -> Path:
    """The folder for the evidence of a run with `ending` that was told to fill `folder`.

    That of a run that was cut short stands beside it, so that whole evidence stays as it is.
    """
    if ending is Ending.COMPLETE:
        return folder
    named = Path(os.path.abspath(folder)) if folder.name in ("", "..") else folder
    return named.with_name(f"{named.name}.incomplete")


@dataclass(frozen=True)
class Particulars:
    """What a folder says besides what every report does."""

    settings: dict[str, object]
    """The settings that shape verdicts, by key."""
    inputs: Callable[[], Sequence[Digested]]
    """Digests the inputs; called when the run starts."""
    quotes: bool
    hashed_ids: bool


class EvidenceReporter(Reporter):
    """Writes `reports` into `folder`, made where it is missing, and the rest beside them."""

    def __init__(
        self, folder: Path, reports: Sequence[tuple[str, Reporter]], particulars: Particulars
    ) -> None:
        """Raises UsageError for a folder with something else in it."""
        self._folder = folder
        self._reports = reports
        self._particulars = particulars
        self._made = False
        for ending in Ending:
            _check(folder_of(folder, ending))

    def open(self, header: RunHeader) -> None:
        """Digests the inputs and starts the reports."""
        self._header = header
        self._made = _make(self._folder)
        self._inputs = tuple(self._particulars.inputs())
        for _, reporter in self._reports:
            reporter.open(header)

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds one conversation to every report."""
        for _, reporter in self._reports:
            reporter.add(verdict, quotes)

    def add_problem(self, problem: Problem) -> None:
        """Adds one problem to every report."""
        for _, reporter in self._reports:
            reporter.add_problem(problem)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Completes the reports, and writes settings, rubric and, last, the manifest."""
        try:
            for _, reporter in self._reports:
                reporter.close(summary, usage)
            if summary.ending is not Ending.COMPLETE:
                self._move(summary.ending)
            self._write(SETTINGS, _REPEAT + toml.settings(self._particulars.settings))
            self._write(RUBRIC, toml.rubric(self._header.protocol.rubric))
            self._write_manifest(summary)
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Removes what is unfinished; earlier evidence in the folder stays."""
        for _, reporter in self._reports:
            reporter.abandon()
        self._leave()

    def _leave(self) -> None:
        if self._made:
            with suppress(OSError):  # it holds something, which then stays
                self._folder.rmdir()

    def _move(self, ending: Ending) -> None:
        """Takes the reports of a run that was cut short into the folder that says so."""
        started = self._folder
        folder = folder_of(started, ending)
        _make(folder)
        try:
            for name, _ in self._reports:
                place_of(started / name, ending).replace(folder / name)
        except OSError as exc:
            raise OutputError(
                f"cannot write into {folder}: {exc.strerror or exc}",
                hint="make room or mend the permissions, or name another place with --output",
            ) from exc
        self._leave()
        self._folder, self._made = folder, False

    def _write(self, name: str, text: str) -> None:
        file = AtomicFile(self._folder / name)
        file.open()
        file.write(text.encode("utf-8", "backslashreplace"))
        file.commit()

    def _write_manifest(self, summary: Summary) -> None:
        names = [name for name, _ in self._reports]
        header, rubric = self._header, self._header.protocol.rubric
        document = codec.encode(
            Manifest(
                header.version,
                header.started_at,
                summary.ending,
                header.evaluator,
                header.evaluator_version,
                rubric.id,
                rubric.digest,
                self._particulars.quotes,
                self._particulars.hashed_ids,
                self._inputs,
                tuple(self._digest(name) for name in (*names, SETTINGS, RUBRIC)),
            )
        )
        lines = [f'"{key}": {dumps(value).decode()}' for key, value in document.items()]
        self._write(codec.NAME, "{\n" + ",\n".join(lines) + "\n}\n")

    def _digest(self, name: str) -> Digested:
        try:
            return codec.digest_file(self._folder / name, name)
        except OSError as exc:
            raise OutputError(
                f"cannot read {self._folder / name} again: {exc.strerror or exc}",
                hint="let nothing else change the folder while it is written",
            ) from exc


def _make(folder: Path) -> bool:
    """Makes `folder` unless it is there, and returns whether it had to; raises UsageError."""
    if folder.is_dir():
        return False
    try:
        folder.mkdir()
    except OSError as exc:
        raise UsageError(
            f"cannot make the folder {folder}: {exc.strerror or exc}",
            hint="make the folder that it lies in, or name another place with --output",
        ) from exc
    return True


def _check(folder: Path) -> None:
    """Raises UsageError where evidence would lie among files that have nothing to do with it."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / codec.NAME).is_file():
        raise UsageError(
            f"{folder}: this folder holds other files and no evidence",
            hint="name a new or empty folder, or one with earlier evidence",
        )
