"""Reports as Parquet: the columns of the CSV report, typed, one row a turn.

| column | type | content |
|---|---|---|
| conversation, path | string | the conversation's id and file, as they are |
| line | int64 | the line it stands in |
| label | string, null | the class that a labelled log gives it |
| turn | int64, null | its number; null in the one row of a conversation without any |
| side | string, null | prompt or response |
| verdict | string, null | block, pass or undecided |
| score, yes, no, abstain | int64, null | the votes cast: yes votes (twice), no votes, abstentions |
| votes | string, null | the votes cast in the order of their passes, for example `1 1 0 refused` |
| first_block | bool | whether it is the conversation's first blocking turn |
| cues | string | names of the cues behind the votes, each once |
| quote | string, null | the text that weighed most; null unless quotes were asked for |
| screened_out | bool | whether a screen kept the turn from the vote |
| evidence_turn | int64, null | the turn that the text stands in; it may be an earlier one |
| evidence_side | string, null | whose turn that is |
| partial | bool | whether the run was cut short in the conversation |

Of a turn that was screened out verdict, score and votes are null, since nobody was asked.
Nothing is spelled differently for spreadsheets here, since none evaluates a Parquet file. The same
verdicts and the same version of pyarrow give the same bytes.
"""

import importlib
from pathlib import Path
from typing import Any

from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import OutputError, UsageError
from chaperone_cli.reports.csv_file import COLUMNS, Cell, rows
from chaperone_cli.reports.files import AtomicFile, FileReporter
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import valid

ROW_GROUP = 20_000
"""Rows kept in memory until they are written together."""

_INTEGERS = ("line", "turn", "score", "yes", "no", "abstain", "evidence_turn")
_FLAGS = ("first_block", "screened_out", "partial")


class ParquetReporter(FileReporter):
    """Writes a table for data frames; raises UsageError where pyarrow is not installed."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._arrow, self._parquet = _pyarrow(path)
        self._rows: list[tuple[Cell, ...]] = []
        self._writer: Any = None

    def open(self, header: RunHeader) -> None:
        """Starts the file with its columns."""
        super().open(header)
        self._schema = _schema(self._arrow)
        self._sink = _Sink(self._file)
        file = self._arrow.PythonFile(self._sink, mode="w")
        self._writer = self._parquet.ParquetWriter(file, self._schema, compression="zstd")

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds a row for every turn, or the one row of a conversation without any."""
        self._rows += rows(verdict, quotes)
        if len(self._rows) >= ROW_GROUP:
            self._flush()

    def close(self, summary: Summary, usage: Usage) -> None:
        """Writes what is left and moves the table into place."""
        try:
            self._flush()
            self._writer.close()
            super().close(summary, usage)
        except OutputError:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Removes the unfinished file."""
        self._rows.clear()
        if self._writer is not None:
            # Its footer would come when it is deleted at the latest, and has nowhere to go.
            self._sink.abandoned = True
            self._writer.close()
            self._writer = None
        super().abandon()

    def _flush(self) -> None:
        if not self._rows:
            return
        columns = zip(*self._rows, strict=True)
        arrays = [
            self._arrow.array([_stored(value) for value in column], field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(self._arrow.table(arrays, schema=self._schema))
        self._rows.clear()


def _stored(value: Cell) -> Cell:
    return valid(value) if isinstance(value, str) else value


class _Sink:
    """The file as pyarrow writes to it."""

    closed = False
    abandoned = False
    """Whether anything more that comes is passed over."""

    def __init__(self, file: AtomicFile) -> None:
        self._file = file
        self._written = 0

    def write(self, data: Any) -> int:
        view = bytes(data)
        if not self.abandoned:
            self._file.write(view)
        self._written += len(view)
        return len(view)

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def _pyarrow(path: Path) -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as exc:
        raise UsageError(
            f"{path}: writing Parquet needs pyarrow, which is not installed",
            hint="install chaperone-cli[parquet], or write .csv, which has the same columns",
        ) from exc


def _schema(arrow: Any) -> Any:
    def kind(name: str) -> Any:
        if name in _INTEGERS:
            return arrow.int64()
        return arrow.bool_() if name in _FLAGS else arrow.string()

    return arrow.schema([(name, kind(name)) for name in COLUMNS])
