"""Nothing from a log can steer a terminal, imitate markup, or hide."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.terminal.run import TerminalReporter
from chaperone_cli.reports.terminal.transcript import render_transcript
from chaperone_cli.reports.text import plain, prose
from tests.reports.runs import Judged, Terminal, header, report

ANYTHING = st.text(st.characters() | st.sampled_from("\x1b\x9b\u202e\u2066\u200b\ufeff\r\n[/]\\"))
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(ANYTHING)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
@pytest.mark.parametrize("made_harmless", [plain, prose])
def test_no_control_leaves(made_harmless: object, encoding: str, text: str) -> None:
    assert callable(made_harmless)
    safe = made_harmless(text, encoding)
    assert not [char for char in safe if unicodedata.category(char) in HIDDEN]
    safe.encode(encoding)


@given(ANYTHING)
def test_what_harms_nobody_stays_as_it_is(text: str) -> None:
    kept = "".join(char for char in text if unicodedata.category(char) not in HIDDEN)
    assert plain(kept) == kept


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\U000e0041", "\\U000e0041"),
        ("caf\udce9", "caf\\udce9"),
        ("[bold]é 漢 👍🏽", "[bold]é 漢 👍🏽"),
    ],
)
def test_plain_text_spells_what_cannot_be_seen(text: str, safe: str) -> None:
    assert plain(text) == safe


def test_prose_keeps_words_whole() -> None:
    assert prose("क\u200dष \n\n 👩\u200d👧\x07") == "कष 👩👧\\x07"


@given(ANYTHING)
def test_no_control_reaches_a_terminal(text: str) -> None:
    screen = Terminal(100)
    source = Source(text, 1)
    said = Conversation(text, (Message(Role.USER, text), Message(Role.SYSTEM, text)), source, text)
    verdict = ConversationVerdict(text, source, 1, 1, (), text)
    problems = [Problem(Severity.ERROR, text, text, 1, text)]
    report(TerminalReporter(screen.console), header(), [Judged(said, verdict, {})], problems)
    render_transcript(screen.console, verdict, said, 5)
    shown = screen.text.replace("\n", "")
    assert not [char for char in shown if unicodedata.category(char) in HIDDEN]


def test_markup_stays_literal() -> None:
    screen = Terminal(200, colour=True)
    name = "[red]c[/red] :smile: [link=http://x]y[/link] \\["
    verdict = ConversationVerdict(name, Source(name, 1), 0, 0, (), name)
    report(
        TerminalReporter(screen.console),
        header(),
        [Judged(Conversation(name, (), Source(name, 1)), verdict, {})],
        [Problem(Severity.ERROR, name, name)],
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", screen.text)
    assert text.count(name) == 4
    assert "\x1b]8" not in screen.text
