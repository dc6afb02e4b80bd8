"""One conversation to read: each turn's votes, score, verdict and cues beside what was said."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from chaperone_cli.codec.verdict import shorten
from chaperone_cli.domain.conversation import Conversation, Message, Side, Turn
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict
from chaperone_cli.domain.vote import Answer, Span, Vote
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.terminal.screen import Screen
from chaperone_cli.reports.terminal.table import STYLES
from chaperone_cli.reports.text import plural
from chaperone_cli.reports.wording import (
    NO_TURN,
    SCREENED_OUT,
    WORDS,
    cues,
    past,
    place,
    reason,
    yes_spans,
)

if TYPE_CHECKING:
    from rich.console import Console

_INDENT = "      "
_MARKED = "bold underline"
_LINE_END = re.compile("\r\n|[\r\n\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}]")


def render_transcript(
    console: "Console",
    verdict: ConversationVerdict,
    conversation: Conversation | None,
    passes: int,
    quotes: Quotes | None = None,
) -> None:
    """Prints `verdict` turn by turn beside `conversation`, or alone where the log is not at hand.

    `passes` is N. `quotes` are those that a saved report holds; where the text itself is shown,
    its deciding spans are marked instead.
    """
    _Transcript(Screen(console), verdict, passes).put(conversation, quotes or {})


class _Transcript:
    def __init__(self, screen: Screen, verdict: ConversationVerdict, passes: int) -> None:
        self._screen = screen
        self._verdict = verdict
        self._passes = passes
        self._judged = {turn.turn: turn for turn in verdict.turns}
        self._screened_out = {turn.turn for turn in verdict.screened_out}
        self._spans = spans_by_turn(verdict.turns)

    def put(self, conversation: Conversation | None, quotes: Quotes) -> None:
        self._put_head(conversation)
        if conversation is None:
            for turn in self._verdict.in_order:
                self._put_turn(turn.turn, turn.side)
                if isinstance(turn, TurnVerdict):
                    self._put_quotes(turn, quotes)
            return
        turns = {turn.index: turn for turn in conversation.turns}
        for index, message in enumerate(conversation.messages):
            if index in turns:
                self._put_turn(turns[index].number, turns[index].side)
                self._put_text(turns[index])
            else:
                self._put_context(message)

    def _put_head(self, conversation: Conversation | None) -> None:
        verdict, plain = self._verdict, self._screen.plain
        self._screen.put_parts(
            plain(verdict.conversation),
            plain(str(verdict.source)),
            f"label {plain(verdict.label)}" if verdict.label is not None else "",
            f"onset turn {verdict.onset}" if verdict.onset is not None else "",
        )
        style = "dim" if verdict.empty else STYLES[verdict.verdict]
        self._screen.put(self._outcome(), style=style)
        if why := reason(verdict):
            self._screen.put(self._screen.prose(why), lead="why: ")
        if conversation is not None and len(conversation.turns) != verdict.turns_total:
            now = plural(len(conversation.turns), "turn")
            changed = f"the log now holds {now}, but {verdict.turns_total:,} when it was audited"
            self._screen.put(f"warning: {changed}", style="bold yellow")
        glyphs = self._screen.glyphs
        mark = f"{glyphs.mark[0]}deciding span{glyphs.mark[1]}" if conversation else ""
        self._screen.put_parts(
            f"votes: {glyphs.yes} yes",
            f"{glyphs.no} no",
            f"{glyphs.abstain} abstained",
            f"{glyphs.not_judged} not cast",
            mark,
            separator="   ",
            style="dim",
        )

    def _outcome(self) -> str:
        verdict, first = self._verdict, self._verdict.first_block
        judged = f"{len(verdict.turns):,} of {plural(verdict.turns_total, 'turn')} judged"
        if verdict.screened_out:
            judged += f", {len(verdict.screened_out):,} screened out"
        if verdict.empty:
            return f"{NO_TURN}; {judged}"
        if verdict.partial:
            judged += "; the run was cut short before the others"
        if first is None:
            unasked = " without a vote" if verdict.wholly_screened_out else ""
            return f"{past(verdict)}{unasked}, {judged}"
        where = f"turn {first.turn}, a {first.side}, with {first.score} of {self._passes} yes votes"
        return f"first blocked at {where}; {judged}"

    def _put_turn(self, number: int, side: Side) -> None:
        self._screen.put()
        lead = f"{number:>4}  {side:<8}  "
        turn = self._judged.get(number)
        if turn is None:
            passed_over = f"{SCREENED_OUT}: no vote was asked for"
            said = passed_over if number in self._screened_out else "not judged"
            self._screen.put(Text(said), lead=lead, style="dim")
            return
        body = Text(f"{WORDS[turn.verdict]:<9}", STYLES[turn.verdict])
        body.append(f"  {turn.score}/{self._passes}  {self._ballot(turn.votes)}", "default")
        if turn is self._verdict.first_block:
            body.append(f"  {self._screen.glyphs.first_block} first block", "bold red")
        remarks = self._screen.glyphs.separator.join(self._remarks(turn))
        body.append(f"  {remarks}", "dim")
        self._screen.put(body, lead=Text(lead, "bold"))

    def _ballot(self, votes: tuple[Vote, ...]) -> str:
        glyphs = self._screen.glyphs
        signs = {
            Answer.YES: glyphs.yes,
            Answer.NO: glyphs.no,
            Answer.ABSTAIN: glyphs.abstain,
        }
        cast = "".join(signs[vote.answer] for vote in votes)
        return cast.ljust(self._passes, glyphs.not_judged)

    def _remarks(self, turn: TurnVerdict) -> Iterator[str]:
        reasons = dict.fromkeys(vote.reason for vote in turn.votes if vote.reason)
        if reasons:
            yield "abstained: " + ", ".join(reason.replace("_", " ") for reason in reasons)
        if named := cues(turn.votes):
            yield self._screen.plain(", ".join(named))
        for span in yes_spans(turn):
            if span.turn != turn.turn:
                yield f"said in {place(span)}"

    def _put_text(self, turn: Turn) -> None:
        style = "" if turn.number in self._judged else "dim"
        for line in marked_lines(self._screen, turn.text, self._spans.get(turn.number, ())):
            self._screen.put(line, lead=_INDENT, style=style)

    def _put_quotes(self, turn: TurnVerdict, quotes: Quotes) -> None:
        for span in yes_spans(turn):
            if span in quotes:
                quoted = self._screen.quoted(shorten(quotes[span]))
                lead = f"{_INDENT}{place(span)}: "
                self._screen.put(Text(quoted, "italic"), lead=lead)

    def _put_context(self, message: Message) -> None:
        self._screen.put()
        self._screen.put(str(message.role), lead=_INDENT, style="dim italic")
        for line in marked_lines(self._screen, message.text, ()):
            self._screen.put(line, lead=_INDENT, style="dim")


def spans_by_turn(turns: Iterable[TurnVerdict]) -> dict[int, list[Span]]:
    """The spans behind the yes votes on `turns` by the turn that they stand in."""
    found: defaultdict[int, list[Span]] = defaultdict(list)
    for turn in turns:
        for span in yes_spans(turn):
            found[span.turn].append(span)
    return found


def merged(spans: Iterable[Span], length: int) -> list[tuple[int, int]]:
    """Start and end of the stretches that `spans` cover of a text of `length` characters."""
    stretches: list[tuple[int, int]] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        start, end = span.start, min(span.end, length)
        if start >= end:
            continue
        if stretches and start <= stretches[-1][1]:
            start, end = stretches[-1][0], max(end, stretches.pop()[1])
        stretches.append((start, end))
    return stretches


def marked_lines(screen: Screen, text: str, spans: Iterable[Span]) -> list[Text]:
    """The lines of `text`; what `spans` cover shows with and without colour."""
    opening, closing = screen.glyphs.mark
    lines = [Text()]
    for piece, marked in _pieces(text, merged(spans, len(text))):
        style = _MARKED if marked else ""
        if marked:
            lines[-1].append(opening, style)
        first, *others = _LINE_END.split(piece)
        lines[-1].append(screen.prose(first), style)
        lines.extend(Text(screen.prose(other), style) for other in others)
        if marked:
            lines[-1].append(closing, style)
    return lines


def _pieces(text: str, stretches: Iterable[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    done = 0
    for start, end in stretches:
        yield text[done:start], False
        yield text[start:end], True
        done = end
    yield text[done:], False
