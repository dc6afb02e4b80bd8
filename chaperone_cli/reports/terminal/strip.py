"""A conversation at a glance: one cell a turn, as high as its score."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import groupby
from typing import NamedTuple

from rich.text import Text

from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.reports.terminal.glyphs import Glyphs


class Rank(IntEnum):
    """What a cell says of its turns; of several turns it says the highest."""

    NOT_JUDGED = 0
    SCREENED_OUT = 1
    PASS = 2
    UNDECIDED = 3
    BLOCK = 4
    FIRST_BLOCK = 5


class Cell(NamedTuple):
    """One turn, or the highest of several."""

    rank: Rank
    score: int


_NOT_JUDGED = Cell(Rank.NOT_JUDGED, 0)
_SCREENED_OUT = Cell(Rank.SCREENED_OUT, 0)

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


def cells(verdict: ConversationVerdict) -> tuple[Cell, ...]:
    """Gives the cells of all turns, judged or not."""
    found = [_NOT_JUDGED] * verdict.turns_total
    for turn in verdict.turns:
        found[turn.turn - 1] = _cell(turn, first=turn is verdict.first_block)
    for screened in verdict.screened_out:
        found[screened.turn - 1] = _SCREENED_OUT
    return tuple(found)


def _cell(turn: TurnVerdict, *, first: bool) -> Cell:
    return Cell(Rank.FIRST_BLOCK if first else _RANKS[turn.verdict], turn.score)


def strip(found: Sequence[Cell], width: int, passes: int, glyphs: Glyphs) -> Text:
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


def _highest(found: Sequence[Cell], each: int) -> Iterator[Cell]:
    for start in range(0, len(found), each):
        yield max(found[start : start + each])


def _drawn(found: Sequence[Cell], passes: int, glyphs: Glyphs) -> Text:
    drawn = Text()
    # Runs of one style, so that a coloured strip costs few escape sequences.
    for style, run in groupby(found, key=lambda cell: _STYLES[cell.rank]):
        drawn.append("".join(sign(cell, passes, glyphs) for cell in run), style)
    return drawn


def sign(cell: Cell, passes: int, glyphs: Glyphs) -> str:
    """Gives the sign of one cell; the first block and undecided turns show without colour too."""
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
