"""The table of conversations: one row each, flagged ones first, as many as were asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.cells import cell_len
from rich.text import Text

from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.domain.vote import Span
from chaperone_cli.reports import flagged
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.terminal.screen import Screen
from chaperone_cli.reports.terminal.strip import Cell, Rank, cells, strip

ORDER = (Verdict.BLOCK, Verdict.UNDECIDED, Verdict.PASS)
GAP = "  "
STYLES = {Verdict.BLOCK: "bold red", Verdict.UNDECIDED: "bold yellow", Verdict.PASS: "green"}
WORDS = {Verdict.BLOCK: "BLOCK", Verdict.UNDECIDED: "undecided", Verdict.PASS: "pass"}
SCREENED_OUT = "screened out"
"""Stands for the verdict of a conversation that passes without a vote."""
NO_TURN = "without a turn to vote on"
"""Stands for the verdict of a conversation of which nothing could be asked."""
CUT_SHORT = "cut short"
"""Stands for the verdict of a conversation that the run was cut short in before any block."""
PAST = {Verdict.BLOCK: "blocked", Verdict.UNDECIDED: "undecided", Verdict.PASS: "passed"}
_LEAST_STRIP = 20
"""Cells below which a strip moves to a line of its own; the length of the paper's dialogues."""
_WIDEST_ID = 40
"""Columns beyond which an id takes a line of its own, so that one cannot spread the table."""


@dataclass(frozen=True)
class Row:
    """What the table says of one conversation."""

    conversation: str
    label: str
    verdict: Verdict
    first: TurnVerdict | None
    cells: tuple[Cell, ...]
    evidence: Span | None
    """The stretch of text that weighed most in the first block."""
    quote: str
    """What it says, where quotes were asked for."""
    reason: str
    """Why it was blocked, where the run asked for explanations."""
    wholly_screened_out: bool = False
    """Whether it passes without a vote."""
    partial: bool = False
    """Whether the run was cut short in it."""
    empty: bool = False
    """Whether it has no turn to vote on."""

    @property
    def unasked(self) -> bool:
        """Says whether no vote was asked for, so that its verdict says nothing of it."""
        return self.wholly_screened_out or self.empty

    @property
    def word(self) -> str:
        """What the column of verdicts says."""
        if self.empty:
            return "no turn"
        if self.partial and self.verdict is not Verdict.BLOCK:
            return CUT_SHORT
        return SCREENED_OUT if self.wholly_screened_out else WORDS[self.verdict]

    @property
    def style(self) -> str:
        """How it is said."""
        return "dim" if self.unasked else STYLES[self.verdict]

    @property
    def past(self) -> str:
        """What is said of it where it is counted with others."""
        return NO_TURN if self.empty else PAST[self.verdict]

    @classmethod
    def of(cls, verdict: ConversationVerdict, quotes: Quotes) -> "Row":
        """Builds the row of `verdict`."""
        first, evidence = verdict.first_block, flagged.evidence(verdict)
        return cls(
            verdict.conversation,
            verdict.label or "",
            verdict.verdict,
            first,
            cells(verdict),
            evidence,
            flagged.quote(evidence, quotes),
            flagged.reason(verdict),
            verdict.wholly_screened_out,
            verdict.partial,
            verdict.empty,
        )


class Shelf:
    """Keeps the rows that may be shown, `rows` of each verdict at most, and counts the others."""

    def __init__(self, rows: int) -> None:
        self._most = rows
        self._kept: dict[Verdict, list[Row]] = {verdict: [] for verdict in ORDER}
        self._counts = dict.fromkeys((*PAST.values(), NO_TURN), 0)

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Takes one conversation, in input order."""
        kept, row = self._kept[verdict.verdict], Row.of(verdict, quotes)
        self._counts[row.past] += 1
        if len(kept) < self._most:
            kept.append(row)

    def shown(self) -> list[Row]:
        """Gives the rows to show: blocked, then undecided, then passed, each in input order."""
        every = (row for verdict in ORDER for row in self._kept[verdict])
        return list(islice(every, self._most))

    def hidden(self) -> dict[str, int]:
        """Gives the conversations that are not shown, by what became of them."""
        shown = [row.past for row in self.shown()]
        return {past: count - shown.count(past) for past, count in self._counts.items()}


class Table:
    """Lays rows out: on one line each where id and strip have room, else on two."""

    def __init__(self, screen: Screen, rows: Sequence[Row], passes: int) -> None:
        self._screen = screen
        self._rows = rows
        self._passes = passes
        self._names = [screen.plain(row.conversation) for row in rows]
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
            verdict = Text(row.word, row.style)
            facts = [Text(self._screen.plain(row.label)), verdict, Text(self._first(row))]
            drawn = strip(row.cells, self._strip, self._passes, self._screen.glyphs)
            for line in self._lines(name, facts, drawn):
                self._screen.put(line)
            if row.evidence and row.quote:
                lead = f"{GAP}{flagged.place(row.evidence)}: "
                self._screen.put(self._screen.quoted(row.quote), lead=lead, style="italic")
            if row.reason:
                self._screen.put(self._screen.prose(row.reason), lead=f"{GAP}why: ")

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
        """Gives one line, or, where the id is too wide, the id on a line of its own."""
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
        """Gives the width of the column of ids; 0 if most would not fit beside a strip."""
        longest = max(len(row.cells) for row in self._rows)
        most = min(room - len(GAP) - min(longest, _LEAST_STRIP), _WIDEST_ID)
        widths = [cell_len(name) for name in ("conversation", *self._names)]
        if not self._screen.wraps:
            most = _WIDEST_ID
        fitting = [width for width in widths if width <= most]
        return max(fitting) if 2 * len(fitting) > len(widths) else 0

    def _fact_widths(self) -> tuple[int, int, int]:
        """Gives the widths of label, verdict and first block; 0 for labels that no row has."""
        labels = max(cell_len(self._screen.plain(row.label)) for row in self._rows)
        verdicts = max(len("verdict"), *(len(row.word) for row in self._rows))
        firsts = max(len("first block"), *(len(self._first(row)) for row in self._rows))
        return (max(labels, len("label")) if labels else 0), verdicts, firsts

    def _first(self, row: Row) -> str:
        if row.first is None:
            return "-"
        digits = max(len(str(other.first.turn)) for other in self._rows if other.first)
        first = row.first
        return f"{first.turn:>{digits}} {first.side:<8} {first.score}/{self._passes}"
