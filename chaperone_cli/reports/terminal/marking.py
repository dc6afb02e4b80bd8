"""The text of a turn with the spans that decided votes marked in it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from rich.text import Text

from chaperone_cli.domain.verdict import TurnVerdict
from chaperone_cli.domain.vote import Answer, Span
from chaperone_cli.reports.terminal.screen import Screen

_STYLE = "bold underline"
_LINE_END = re.compile("\r\n|[\r\n\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}]")


def yes_spans(turn: TurnVerdict) -> list[Span]:
    """Gives the spans behind the yes votes on `turn`, each once, in the order of their passes."""
    spans = (
        vote.evidence.span
        for vote in turn.votes
        if vote.answer is Answer.YES and vote.evidence is not None
    )
    return list(dict.fromkeys(span for span in spans if span is not None))


def spans_by_turn(turns: Iterable[TurnVerdict]) -> dict[int, list[Span]]:
    """Gives the spans behind the yes votes on `turns` by the turn that they stand in."""
    found: defaultdict[int, list[Span]] = defaultdict(list)
    for turn in turns:
        for span in yes_spans(turn):
            found[span.turn].append(span)
    return found


def merged(spans: Iterable[Span], length: int) -> list[tuple[int, int]]:
    """Gives start and end of the stretches that `spans` cover of a text of `length` characters."""
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
    """Gives the lines of `text`; what `spans` cover shows with and without colour."""
    opening, closing = screen.glyphs.mark
    lines = [Text()]
    for piece, marked in _pieces(text, merged(spans, len(text))):
        style = _STYLE if marked else ""
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
