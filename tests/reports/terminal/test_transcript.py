"""One conversation with its votes beside each turn; see the golden files."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Message, Role, Side
from chaperone_cli.domain.verdict import TurnVerdict, Verdict
from chaperone_cli.domain.vote import YES, AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.reports.terminal.screen import Screen
from chaperone_cli.reports.terminal.transcript import marked_lines, merged, render_transcript
from tests.codec.saved import spans
from tests.reports.runs import Judged, Terminal, header, thirty

Golden = Callable[[str, str], None]
UNSUPPORTED = Vote(Answer.ABSTAIN, AbstainReason.UNSUPPORTED_LANGUAGE)


def parasocial() -> Judged:
    """Gives the fourth sample dialogue with context, an undecided turn and turns not judged."""
    judged = list(thirty(header()))[3]
    persona = Message(Role.SYSTEM, "You are Juniper,\n\n  a \x1b[1mkind\x1b[0m fox.")
    found = Message(Role.TOOL, "weather: snow")
    said = judged.conversation.messages
    messages = (persona, *said[:3], found, *said[3:7])
    earlier = Vote(Answer.YES, evidence=Evidence(("exclusivity",), Span(3, 90, 130, Side.PROMPT)))
    turns = [*judged.verdict.turns[:5]]
    turns[3] = TurnVerdict(4, turns[3].side, Verdict.UNDECIDED, (UNSUPPORTED, earlier, YES))
    verdict = replace(judged.verdict, turns=tuple(turns), turns_total=7, turns_selected=7)
    return Judged(replace(judged.conversation, messages=messages), verdict, judged.quotes)


@pytest.mark.parametrize(
    ("name", "screen"),
    [
        ("80", Terminal(80)),
        ("ascii", Terminal(80, encoding="ascii")),
        ("colour", Terminal(80, colour=True)),
        ("piped", Terminal(80, piped=True)),
    ],
)
def test_a_conversation_beside_its_votes(name: str, screen: Terminal, golden: Golden) -> None:
    judged = parasocial()
    render_transcript(screen.console, judged.verdict, judged.conversation, 5)
    golden(f"transcript.{name}.txt", screen.text)


def test_votes_alone_where_the_log_is_not_at_hand(golden: Golden) -> None:
    screen = Terminal()
    render_transcript(screen.console, parasocial().verdict, None, 5)
    golden("transcript.without-text.txt", screen.text)


def test_quotes_of_a_saved_report(golden: Golden) -> None:
    screen = Terminal()
    render_transcript(screen.console, parasocial().verdict, None, 5, parasocial().quotes)
    golden("transcript.quotes.txt", screen.text)


def test_a_log_that_changed_since_is_said() -> None:
    screen = Terminal(120)
    judged = next(thirty(header()))
    longer = replace(judged.conversation, messages=judged.conversation.messages[:19])
    render_transcript(screen.console, judged.verdict, longer, 5)
    assert "warning: the log now holds 19 turns, but 20 when it was audited\n" in screen.text


@given(st.text(max_size=60), st.lists(spans([Side.PROMPT]), max_size=4))
def test_marked_text_holds_every_covered_character(text: str, found: list[Span]) -> None:
    stretches = merged(found, len(text))
    covered = {place for span in found for place in range(span.start, min(span.end, len(text)))}
    assert covered == {place for start, end in stretches for place in range(start, end)}
    assert all(end < start for (_, end), (start, _) in pairwise(stretches))


def test_a_span_is_marked_across_lines() -> None:
    lines = marked_lines(Screen(Terminal().console), "I miss\r\nyou. Bye", [Span(1, 2, 12)])
    assert [line.plain for line in lines] == ["I »miss", "you.« Bye"]
