"""The table of conversations: a row each, flagged ones first, with a cell for every turn.

The strip of a conversation shows it at a glance: a cell is as high as its turn's score.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.reports import wording
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.terminal.screen import Glyphs, Screen
from chaperone_cli.reports.wording import NO_TURN, ORDER, PAST, Foremost, Row

GAP = "  "
STYLES = {Verdict.BLOCK: "bold red", Verdict.UNDECIDED: "bold yellow", Verdict.PASS: "green"}
_LEAST_STRIP = 20
"""Cells below which a strip moves to a line of its own; the length of the paper's dialogues."""
_WIDEST_ID = 40
"""Columns beyond which an id takes a line of its own, so that one cannot spread the table."""


class Rank(IntEnum):
    """What a cell says of its turns; of several turns it says the highest."""

    NOT_JUDGED = 0
    SCREENED_OUT = 1
    PASS = 2
    UNDECIDED = 3
    BLOCK = 4
    FIRST_BLOCK = 5


class StripCell(NamedTuple):
    """One turn, or the highest of several."""

    rank: Rank
    score: int


_NOT_JUDGED = StripCell(Rank.NOT_JUDGED, 0)
_SCREENED_OUT = StripCell(Rank.SCREENED_OUT, 0)

_LEAST = 8
"""Columns that a strip takes however narrow the terminal is."""

_RANKS = {
    Verdict.PASS: Rank.PASS,
    Verdict.UNDECIDED: Rank.UNDECIDED,
    Verdict.BLOCK: Rank.BLOCK,
}

_STYLES = {
    Rank.NOT_JUDGED: "dim",
    Rank.SCREENED_OUT: "dim",
    Rank.PASS: "green",
    Rank.UNDECIDED: "bold yellow",
    Rank.BLOCK: "red",
    Rank.FIRST_BLOCK: "bold red reverse",
}


def cells(verdict: ConversationVerdict) -> tuple[StripCell, ...]:
    """The cells of all turns, judged or not."""
    found = [_NOT_JUDGED] * verdict.turns_total
    for turn in verdict.turns:
        found[turn.turn - 1] = _cell(turn, first=turn is verdict.first_block)
    for screened in verdict.screened_out:
        found[screened.turn - 1] = _SCREENED_OUT
    return tuple(found)


def _cell(turn: TurnVerdict, *, first: bool) -> StripCell:
    return StripCell(Rank.FIRST_BLOCK if first else _RANKS[turn.verdict], turn.score)


def strip(found: Sequence[StripCell], width: int, passes: int, glyphs: Glyphs) -> Text:
    """Draws `found` in at most `width` columns, or a few more where there is next to no room.

    Where there are more turns, each cell shows the highest of as many as it takes, and their
    number stands behind the strip.
    """
    room = max(width, _LEAST)
    if len(found) <= room:
        return _drawn(found, passes, glyphs)
    fitting = (n for n in range(2, len(found)) if _needed(len(found), n) <= room)
    each = next(fitting, len(found))
    drawn = _drawn(list(_highest(found, each)), passes, glyphs)
    return drawn.append(f" {glyphs.times}{each}", "dim")


def _needed(turns: int, each: int) -> int:
    """Columns of a strip with `each` turns a cell, its number included."""
    return -(-turns // each) + len(f" x{each}")


def _highest(found: Sequence[StripCell], each: int) -> Iterator[StripCell]:
    for start in range(0, len(found), each):
        yield max(found[start : start + each])


def _drawn(found: Sequence[StripCell], passes: int, glyphs: Glyphs) -> Text:
    drawn = Text()
    # Runs of one style, so that a coloured strip costs few escape sequences.
    for style, run in groupby(found, key=lambda cell: _STYLES[cell.rank]):
        drawn.append("".join(sign(cell, passes, glyphs) for cell in run), style)
    return drawn


def sign(cell: StripCell, passes: int, glyphs: Glyphs) -> str:
    """The sign of one cell; the first block and undecided turns show without colour too."""
    match cell.rank:
        case Rank.NOT_JUDGED:
            return glyphs.not_judged
        case Rank.SCREENED_OUT:
            return glyphs.screened_out
        case Rank.UNDECIDED:
            return glyphs.undecided
        case Rank.FIRST_BLOCK:
            return glyphs.first_block
        case Rank.PASS | Rank.BLOCK:
            return glyphs.height(cell.score, passes)


@dataclass(frozen=True)
class TableRow:
    """One conversation as the table shows it."""

    said: Row
    cells: tuple[StripCell, ...]

    @property
    def style(self) -> str:
        """How its verdict is said."""
        return "dim" if self.said.unasked else STYLES[self.said.verdict]


class Shelf:
    """Keeps the rows that may be shown, `rows` of each verdict at most, and counts the others."""

    def __init__(self, rows: int) -> None:
        self._kept = Foremost[Verdict, tuple[str, TableRow]](ORDER, rows)
        self._counts = dict.fromkeys((*PAST.values(), NO_TURN), 0)

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Takes one conversation, in input order."""
        past = wording.past(verdict)
        self._counts[past] += 1
        if self._kept.wants(verdict.verdict):
            row = TableRow(Row.of(verdict, quotes), cells(verdict))
            self._kept.add(verdict.verdict, (past, row))

    def shown(self) -> list[TableRow]:
        """The rows to show: blocked, then undecided, then passed, each in input order."""
        return [row for _, row in self._kept.shown()]

    def hidden(self) -> dict[str, int]:
        """The conversations that are not shown, by what became of them."""
        shown = [past for past, _ in self._kept.shown()]
        return {past: count - shown.count(past) for past, count in self._counts.items()}


class ConversationTable:
    """Lays rows out: on one line each where id and strip have room, else on two."""

    def __init__(self, screen: Screen, rows: Sequence[TableRow], passes: int) -> None:
        self._screen = screen
        self._rows = rows
        self._passes = passes
        self._names = [screen.plain(row.said.conversation) for row in rows]
        self._facts = self._fact_widths()
        beside = sum(width + len(GAP) for width in self._facts if width)
        self._id = self._id_width(screen.width - beside)
        room = screen.width - beside - (self._id + len(GAP) if self._id else len(GAP))
        self._strip = room if screen.wraps else screen.strip_width

    def put(self) -> None:
        """Prints head and rows."""
        head = [Text("label"), Text("verdict"), Text("first block")]
        for line in self._lines("conversation", head, Text("turns")):
            self._screen.put(line, style="bold")
        for name, row in zip(self._names, self._rows, strict=True):
            verdict = Text(row.said.word, row.style)
            facts = [Text(self._screen.plain(row.said.label)), verdict, Text(self._first(row))]
            drawn = strip(row.cells, self._strip, self._passes, self._screen.glyphs)
            for line in self._lines(name, facts, drawn):
                self._screen.put(line)
            if row.said.evidence and row.said.quote:
                lead = f"{GAP}{wording.place(row.said.evidence)}: "
                self._screen.put(self._screen.quoted(row.said.quote), lead=lead, style="italic")
            if row.said.reason:
                self._screen.put(self._screen.prose(row.said.reason), lead=f"{GAP}why: ")

    def put_legend(self, *, all_votes: bool) -> None:
        """Explains the signs that occur in the strips."""
        glyphs = self._screen.glyphs
        lowest, highest = (glyphs.height(score, self._passes) for score in (0, self._passes))
        ranks = {cell.rank for row in self._rows for cell in row.cells}
        squeezed = any(len(row.cells) > self._strip for row in self._rows)
        self._screen.put_parts(
            f"a cell a turn: {lowest} none to {highest} all of {self._passes} yes votes",
            f"{glyphs.first_block} first block" if Rank.FIRST_BLOCK in ranks else "",
            f"{glyphs.undecided} undecided" if Rank.UNDECIDED in ranks else "",
            f"{glyphs.not_judged} not judged" if Rank.NOT_JUDGED in ranks else "",
            f"{glyphs.screened_out} screened out" if Rank.SCREENED_OUT in ranks else "",
            f"{glyphs.times}8 a cell shows the highest of 8 turns" if squeezed else "",
            "" if all_votes else "scores count the votes cast",
            separator=GAP + " ",
            style="dim",
        )

    def _lines(self, name: str, facts: Sequence[Text], drawn: Text) -> Iterator[Text]:
        """One line, or, where the id is too wide, the id on a line of its own."""
        rest = Text()
        for fact, width in zip(facts, self._facts, strict=True):
            if width:
                rest.append_text(fact).append(" " * (width - fact.cell_len) + GAP)
        rest.append_text(drawn)
        padding = " " * (self._id - cell_len(name)) + GAP
        if self._screen.wraps and cell_len(name) > self._id:
            yield Text(name)
            yield Text(" " * self._id + GAP).append_text(rest)
        else:
            yield Text(name + padding).append_text(rest)

    def _id_width(self, room: int) -> int:
        """The width of the column of ids; 0 if most would not fit beside a strip."""
        longest = max(len(row.cells) for row in self._rows)
        most = min(room - len(GAP) - min(longest, _LEAST_STRIP), _WIDEST_ID)
        widths = [cell_len(name) for name in ("conversation", *self._names)]
        if not self._screen.wraps:
            most = _WIDEST_ID
        fitting = [width for width in widths if width <= most]
        return max(fitting) if 2 * len(fitting) > len(widths) else 0

    def _fact_widths(self) -> tuple[int, int, int]:
        """The widths of label, verdict and first block; 0 for labels that no row has."""
        labels = max(cell_len(self._screen.plain(row.said.label)) for row in self._rows)
        verdicts = max(len("verdict"), *(len(row.said.word) for row in self._rows))
        firsts = max(len("first block"), *(len(self._first(row)) for row in self._rows))
        return (max(labels, len("label")) if labels else 0), verdicts, firsts

    def _first(self, row: TableRow) -> str:
        if row.said.first is None:
            return "-"
        digits = max(len(str(other.said.first.turn)) for other in self._rows if other.said.first)
        first = row.said.first
        return f"{first.turn:>{digits}} {first.side:<8} {first.score}/{self._passes}"
