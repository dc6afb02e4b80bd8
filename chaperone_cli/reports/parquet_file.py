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

Of a turn that was screened out verdict, score and votes are null, since nobody was asked.
Nothing is spelled differently for spreadsheets here, since none evaluates a Parquet file. The same
verdicts and the same version of pyarrow give the same bytes.
"""

import importlib
from pathlib import Path
from typing import Any

from chaperone_cli.codec.verdict import passes_by_evidence
from chaperone_cli.codec.vote import encode_vote
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, ScreenedTurn, TurnVerdict
from chaperone_cli.errors import OutputError, UsageError
from chaperone_cli.reports import flagged
from chaperone_cli.reports.csv_file import COLUMNS
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.target import Target

ROW_GROUP = 20_000
"""Rows kept in memory until they are written together."""

_INTEGERS = ("line", "turn", "score", "yes", "no", "abstain", "evidence_turn")
_FLAGS = ("first_block", "screened_out")
_NOTHING = (None, False, None, None)
"""What stands from the quote on in the row of a conversation without turns."""


class ParquetReporter(Reporter):
    """Writes a table for data frames; raises UsageError where pyarrow is not installed."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        self._arrow, self._parquet = _pyarrow(path)
        self._rows: list[tuple[Any, ...]] = []
        self._writer: Any = None

    def open(self, header: RunHeader) -> None:
        """Starts the file with its columns."""
        self._target.open()
        self._schema = _schema(self._arrow)
        self._sink = _Sink(self._target)
        file = self._arrow.PythonFile(self._sink, mode="w")
        self._writer = self._parquet.ParquetWriter(file, self._schema, compression="zstd")

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds a row for every turn, or the one row of a conversation without any."""
        known = (
            _valid(verdict.conversation),
            _valid(verdict.source.path),
            verdict.source.line,
            None if verdict.label is None else _valid(verdict.label),
        )
        if not verdict.in_order:
            outcome = None if verdict.empty else verdict.verdict.value
            self._rows.append((*known, None, None, outcome, 0, 0, 0, 0, "", False, "", *_NOTHING))
        first = verdict.first_block
        self._rows += [(*known, *_turn(turn, quotes, turn is first)) for turn in verdict.in_order]
        if len(self._rows) >= ROW_GROUP:
            self._flush()

    def close(self, summary: Summary, usage: Usage) -> None:
        """Writes what is left and moves the table into place."""
        try:
            self._flush()
            self._writer.close()
            self._target.commit(summary.ending)
        except OutputError:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Removes the unfinished file; an earlier report of its name stays."""
        self._rows.clear()
        if self._writer is not None:
            # Its footer would come when it is deleted at the latest, and has nowhere to go.
            self._sink.abandoned = True
            self._writer.close()
            self._writer = None
        self._target.abandon()

    def _flush(self) -> None:
        if not self._rows:
            return
        columns = zip(*self._rows, strict=True)
        arrays = [
            self._arrow.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(self._arrow.table(arrays, schema=self._schema))
        self._rows.clear()


class _Sink:
    """The target as the file object that pyarrow writes to."""

    closed = False
    abandoned = False
    """Whether anything more that comes is passed over."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._written = 0

    def write(self, data: Any) -> int:
        view = bytes(data)
        if not self.abandoned:
            self._target.write(view)
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


def _turn(turn: TurnVerdict | ScreenedTurn, quotes: Quotes, first: bool) -> tuple[Any, ...]:
    if isinstance(turn, ScreenedTurn):
        return (turn.turn, turn.side.value, *[None] * 6, False, "", None, True, None, None)
    cues = dict.fromkeys(cue for found in passes_by_evidence(turn.votes) for cue in found.cues)
    span = flagged.deciding(turn)
    return (
        *(turn.turn, turn.side.value, turn.verdict.value, turn.score),
        *turn.tally,
        " ".join(str(encode_vote(vote)) for vote in turn.votes),
        first,
        _valid(" ".join(cues)),
        _valid(flagged.quote(span, quotes)) or None,
        False,
        span and span.turn,
        span and span.side and span.side.value,
    )


def _valid(text: str) -> str:
    """Gives text that has a UTF-8 form: lone surrogates are spelled as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
