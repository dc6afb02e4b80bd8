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

Of a turn that was screened out verdict, score and votes are empty, since nobody was asked.
UTF-8, comma-separated, one line a row: control characters inside a cell are spelled as escapes.
Text that a spreadsheet would take for a formula begins with an apostrophe.
"""

import csv
import io
from pathlib import Path

from chaperone_cli.codec.verdict import passes_by_evidence
from chaperone_cli.codec.vote import encode_vote
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, ScreenedTurn, TurnVerdict
from chaperone_cli.domain.vote import Span
from chaperone_cli.reports import flagged
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.sanitise import plain
from chaperone_cli.reports.target import Target

COLUMNS = (
    *("conversation", "path", "line", "label"),
    *("turn", "side", "verdict", "score", "yes", "no", "abstain", "votes"),
    *("first_block", "cues", "quote", "screened_out"),
    *("evidence_turn", "evidence_side"),
)

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # noqa: RUF001
"""What makes a spreadsheet evaluate a cell; the last four are full-width forms of the first."""

_PASSED_OVER = " \t\r\n\v\f\0\"'\N{NO-BREAK SPACE}\N{ZERO WIDTH NO-BREAK SPACE}"
"""What a spreadsheet may drop from the start of a cell before it looks."""


class CsvReporter(Reporter):
    """Writes a table for spreadsheets and data frames."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)

    def open(self, header: RunHeader) -> None:
        """Starts the file with the row of column names."""
        self._target.open()
        self._write([list(COLUMNS)])

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds a row for every turn, or the one row of a conversation without any."""
        source = verdict.source
        known = [cell(verdict.conversation), cell(source.path), str(source.line)]
        known.append(cell(verdict.label or ""))
        self._write(
            [
                [*known, *_turn(turn, quotes, first=turn is verdict.first_block)]
                for turn in verdict.in_order
            ]
            or [[*known, *_no_turn(verdict)]]
        )

    def close(self, summary: Summary, usage: Usage) -> None:
        """Moves the table into place."""
        self._target.commit(summary.ending)

    def abandon(self) -> None:
        """Removes the unfinished file; an earlier report of its name stays."""
        self._target.abandon()

    def _write(self, rows: list[list[str]]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self._target.write(text.getvalue().encode())


def _no_turn(verdict: ConversationVerdict) -> list[str]:
    votes = ["0", "0", "0", "0", ""]
    verdict_ = "" if verdict.empty else verdict.verdict.value
    return ["", "", verdict_, *votes, "false", "", "", "false", "", ""]


def _turn(turn: TurnVerdict | ScreenedTurn, quotes: Quotes, *, first: bool) -> list[str]:
    if isinstance(turn, ScreenedTurn):
        return [str(turn.turn), turn.side.value, *[""] * 6, "false", "", "", "true", "", ""]
    cues = dict.fromkeys(cue for found in passes_by_evidence(turn.votes) for cue in found.cues)
    span = flagged.deciding(turn)
    return [
        str(turn.turn),
        turn.side.value,
        turn.verdict.value,
        str(turn.score),
        *(str(count) for count in turn.tally),
        " ".join(str(encode_vote(vote)) for vote in turn.votes),
        "true" if first else "false",
        cell(" ".join(cues)),
        cell(flagged.quote(span, quotes)),
        "false",
        *_place(span),
    ]


def _place(span: Span | None) -> tuple[str, str]:
    return ("", "") if span is None else (str(span.turn), span.side.value if span.side else "")


def cell(text: str) -> str:
    """Gives `text` as a cell that no spreadsheet evaluates and that stays on one line."""
    guarded = text.lstrip(_PASSED_OVER).startswith(_FORMULA) or text.startswith(_FORMULA)
    return f"'{plain(text)}" if guarded else plain(text)
