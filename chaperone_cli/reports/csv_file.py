"""Reports as CSV, one row a turn judged or screened out, the same bytes for the same verdicts.

| column | content |
|---|---|
| conversation, path, line | the conversation's id and where it stands |
| label | the class that a labelled log gives it |
| turn | the turn's number; empty in the one row of a conversation without such turns |
| side | prompt or response |
| verdict | block, pass or undecided: the turn's; empty where there was no turn to vote on |
| score | S, the number of yes votes cast |
| yes, no, abstain | the votes cast, counted by answer |
| votes | the votes cast in the order of their passes, for example `1 1 0 refused` |
| first_block | true in the row of the conversation's first blocking turn, else false |
| cues | names of the cues behind the votes, each once |
| quote | the text that weighed most with the yes votes; empty unless quotes were asked for |
| screened_out | true in the row of a turn that a screen kept from the vote, else false |
| evidence_turn, evidence_side | where that text stands and whose it is; it may be an earlier turn |
| partial | true in every row of a conversation that the run was cut short in, else false |

Of a turn that was screened out verdict, score and votes are empty, since nobody was asked.
UTF-8, comma-separated, one line a row: control characters inside a cell are spelled as escapes.
Text that a spreadsheet would take for a formula begins with an apostrophe.
"""

import csv
import io
from collections.abc import Iterable, Iterator

from chaperone_cli.codec.vote import encode_vote
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.domain.verdict import ConversationVerdict, ScreenedTurn, TurnVerdict
from chaperone_cli.reports import wording
from chaperone_cli.reports.files import FileReporter
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import plain

COLUMNS = (
    *("conversation", "path", "line", "label"),
    *("turn", "side", "verdict", "score", "yes", "no", "abstain", "votes"),
    *("first_block", "cues", "quote", "screened_out"),
    *("evidence_turn", "evidence_side", "partial"),
)

Cell = str | int | bool | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # noqa: RUF001
"""What makes a spreadsheet evaluate a cell; the last four are full-width forms of the first."""

_PASSED_OVER = " \t\r\n\v\f\0\"'\N{NO-BREAK SPACE}\N{ZERO WIDTH NO-BREAK SPACE}"
"""What a spreadsheet may drop from the start of a cell before it looks."""


class CsvReporter(FileReporter):
    """Writes a table for spreadsheets and data frames."""

    def open(self, header: RunHeader) -> None:
        """Starts the file with the row of column names."""
        super().open(header)
        self._write([COLUMNS])

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds a row for every turn, or the one row of a conversation without any."""
        self._write(map(cell, row) for row in rows(verdict, quotes))

    def _write(self, rows: Iterable[Iterable[str]]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self._file.write(text.getvalue().encode())


def rows(verdict: ConversationVerdict, quotes: Quotes) -> Iterator[tuple[Cell, ...]]:
    """The rows of one conversation, a value for each of `COLUMNS`; None where there is nothing."""
    source = verdict.source
    known = (verdict.conversation, source.path, source.line, verdict.label)
    for turn in verdict.in_order:
        judged = _screened() if isinstance(turn, ScreenedTurn) else _judged(turn, verdict, quotes)
        yield (*known, turn.turn, turn.side.value, *judged, verdict.partial)
    if not verdict.in_order:
        outcome = None if verdict.empty else verdict.verdict.value
        rest = (None, None, outcome, 0, 0, 0, 0, "", False, "", None, False, None, None)
        yield (*known, *rest, verdict.partial)


def _screened() -> tuple[Cell, ...]:
    return (*[None] * 6, False, "", None, True, None, None)


def _judged(turn: TurnVerdict, verdict: ConversationVerdict, quotes: Quotes) -> tuple[Cell, ...]:
    span = wording.deciding(turn)
    return (
        turn.verdict.value,
        turn.score,
        *turn.tally,
        " ".join(str(encode_vote(vote)) for vote in turn.votes),
        turn is verdict.first_block,
        " ".join(wording.cues(turn.votes)),
        wording.quote(span, quotes) or None,
        False,
        span.turn if span else None,
        span.side.value if span and span.side else None,
    )


def cell(value: Cell) -> str:
    """`value` as a cell that no spreadsheet evaluates and that stays on one line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    guarded = value.lstrip(_PASSED_OVER).startswith(_FORMULA) or value.startswith(_FORMULA)
    return f"'{plain(value)}" if guarded else plain(value)
