"""Verdicts as the page's script reads them: one short array a conversation.

A turn is a word: its number where it does not follow on the turn before, its side, its verdict,
then a letter a vote, in the order of the passes. Conversations tend to cite the same evidence turn
after turn, so evidence and its spans stand once and turns point to them. Names that many
conversations share stand in tables of the page, and their numbers in the rows.
"""

from typing import Any

from chaperone_cli.codec.verdict import passes_by_evidence, shorten
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.verdict import ConversationVerdict, Explanation, TurnVerdict, Verdict
from chaperone_cli.domain.vote import AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import plain, prose
from chaperone_cli.reports.wording import cues, cut_short

COLUMNS = (
    *("id", "label", "path", "line", "verdict", "turns", "selected", "judged"),
    *("first", "side", "score", "blocks", "undecided", "onset", "rules", "cues"),
    *("words", "evidence", "why", "screened", "partial"),
)
"""What stands in a row, in order; names are numbers into the tables, 0 or null is none."""

SIDES = {Side.PROMPT: "p", Side.RESPONSE: "r"}
VERDICTS = {Verdict.BLOCK: "b", Verdict.UNDECIDED: "u", Verdict.PASS: "p"}
ABSTENTIONS = {
    AbstainReason.REFUSED: "r",
    AbstainReason.UNREADABLE: "u",
    AbstainReason.ERROR: "e",
    AbstainReason.UNSUPPORTED_LANGUAGE: "l",
    AbstainReason.TOO_LONG: "t",
    AbstainReason.REJECTED: "j",
}
_ANSWERS = {Answer.YES: "1", Answer.NO: "0"}
MOST = 4096
"""Names numbered at most; later ones are spelled where they stand, so that memory stays bounded."""


class NameTable:
    """A table of names in the order of their first use."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int | str:
        """The number of `name`, from 0; in a full table the name itself, made harmless."""
        known = self._codes.get(name)
        if known is None:
            if len(self._codes) >= MOST:
                return plain(name)
            known = self._codes[name] = len(self._codes)
        return known

    def table(self) -> list[str]:
        """The names by their numbers."""
        return [plain(name) for name in self._codes]


class Book:
    """The tables of one page."""

    def __init__(self) -> None:
        self.labels = NameTable()
        self.paths = NameTable()
        self.cues = NameTable()

    def tables(self) -> dict[str, list[str]]:
        """All tables, as the page's script looks them up."""
        return {
            "labels": self.labels.table(),
            "paths": self.paths.table(),
            "cues": self.cues.table(),
        }


def encode(verdict: ConversationVerdict, quotes: Quotes, book: Book) -> list[Any]:
    """The row of `verdict`; names go into `book`."""
    first = verdict.first_block
    return [
        plain(verdict.conversation),
        None if verdict.label is None else book.labels.code(verdict.label),
        book.paths.code(verdict.source.path),
        verdict.source.line,
        VERDICTS[verdict.verdict],
        verdict.turns_total,
        verdict.turns_selected,
        len(verdict.turns),
        first.turn if first else 0,
        SIDES[first.side] if first else "",
        first.score if first else 0,
        sum(turn.verdict is Verdict.BLOCK for turn in verdict.turns),
        sum(turn.verdict is Verdict.UNDECIDED for turn in verdict.turns),
        verdict.onset or 0,
        dict(verdict.first_blocks) or None,
        [book.cues.code(cue) for cue in all_cues(verdict)],
        _words(verdict.turns),
        _EvidenceTable(quotes, book).encode(verdict.turns),
        verdict.explanation and _why(verdict.explanation, quotes),
        _runs([turn.turn for turn in verdict.screened_out]),
        cut_short(verdict) if verdict.partial else 0,
    ]


def _runs(numbers: list[int]) -> list[list[int]]:
    """The first and last number of each unbroken run of `numbers`, which are in order."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


def all_cues(verdict: ConversationVerdict) -> list[str]:
    """The cues that any vote of `verdict` names, each once, in the order of the turns."""
    return cues(vote for turn in verdict.turns for vote in turn.votes)


def _words(turns: tuple[TurnVerdict, ...]) -> str:
    words: list[str] = []
    expected = 1
    for turn in turns:
        number = "" if turn.turn == expected else str(turn.turn)
        votes = "".join(_letter(vote) for vote in turn.votes)
        words.append(f"{number}{SIDES[turn.side]}{VERDICTS[turn.verdict]}{votes}")
        expected = turn.turn + 1
    return " ".join(words)


def _why(explanation: Explanation, quotes: Quotes) -> list[Any]:
    reason = prose(explanation.reason)
    span = explanation.span
    return [explanation.turn, reason, None if span is None else _place(span, quotes)]


def _place(span: Span, quotes: Quotes) -> list[Any]:
    place: list[Any] = [span.turn, span.start, span.end, SIDES[span.side] if span.side else ""]
    if span in quotes:
        place.append(prose(shorten(quotes[span])))
    return place


def _letter(vote: Vote) -> str:
    return _ANSWERS[vote.answer] if vote.reason is None else ABSTENTIONS[vote.reason]


class _EvidenceTable:
    """The evidence of one conversation: spans, pieces of evidence, and groups of them by passes."""

    def __init__(self, quotes: Quotes, book: Book) -> None:
        self._quotes = quotes
        self._book = book
        self._spans: dict[Span, int] = {}
        self._pieces: dict[Evidence, int] = {}
        self._groups: dict[tuple[tuple[tuple[int, ...], int], ...], int] = {}

    def encode(self, turns: tuple[TurnVerdict, ...]) -> dict[str, Any] | None:
        """The tables, with a group for every turn in order, -1 for none; None if all are."""
        by_turn = [self._group(turn) for turn in turns]
        if not self._groups:
            return None
        return {
            "turns": by_turn,
            "groups": list(self._groups),
            "pieces": [self._piece(piece) for piece in self._pieces],
            "spans": [_place(span, self._quotes) for span in self._spans],
        }

    def _group(self, turn: TurnVerdict) -> int:
        found = passes_by_evidence(turn.votes)
        if not found:
            return -1
        for piece in found:
            self._pieces.setdefault(piece, len(self._pieces))
            if piece.span is not None:
                self._spans.setdefault(piece.span, len(self._spans))
        group = tuple((tuple(passes), self._pieces[piece]) for piece, passes in found.items())
        return self._groups.setdefault(group, len(self._groups))

    def _piece(self, piece: Evidence) -> list[Any]:
        span = -1 if piece.span is None else self._spans[piece.span]
        return [[self._book.cues.code(cue) for cue in piece.cues], span]
