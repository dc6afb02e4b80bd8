"""The terminal report, whole, at every width and without colour; see the golden files."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Conversation, Side, Sides, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending
from chaperone_cli.domain.verdict import ConversationVerdict, Explanation, TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, AbstainReason, Answer, Vote
from chaperone_cli.reports.terminal.run import TerminalReporter
from tests.codec.saved import verdicts
from tests.reports.runs import Judged, Terminal, header, renamed, report, thirty

Golden = Callable[[str, str], None]

TERMINALS: dict[str, Callable[[], Terminal]] = {
    "80": lambda: Terminal(80),
    "160": lambda: Terminal(160),
    "piped": lambda: Terminal(80, piped=True),
    "ascii": lambda: Terminal(80, encoding="ascii"),
    "colour": lambda: Terminal(80, colour=True),
}
REFUSED = Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
PROBLEMS = [
    Problem(Severity.WARNING, "logs/b.jsonl", "a part of kind image is not text", 3, "c-9", 2),
    Problem(
        Severity.ERROR,
        "logs/a.jsonl",
        "this line is not JSON; expected one conversation, an object with id and turns",
        17,
    ),
    *(Problem(Severity.WARNING, "logs/b.jsonl", "a blank turn", n) for n in range(40, 52)),
]


@pytest.mark.parametrize("terminal", TERMINALS)
def test_a_plain_run(terminal: str, golden: Golden) -> None:
    screen = TERMINALS[terminal]()
    report(TerminalReporter(screen.console), header(), thirty(header()))
    golden(f"plain.{terminal}.txt", screen.text)


@pytest.mark.parametrize("terminal", TERMINALS)
def test_quotes_with_all_votes_and_few_rows(terminal: str, golden: Golden) -> None:
    screen = TERMINALS[terminal]()
    head = header("conservative", all_votes=True, inputs=5)
    report(TerminalReporter(screen.console, 12, quote=True), head, thirty(head))
    golden(f"quotes.{terminal}.txt", screen.text)


def odd() -> list[Judged]:
    """Gives conversations as no sample has them."""
    run = [
        renamed(one, str(UUID(int=2**100 * n + 7919 * n)))
        for n, one in enumerate(thirty(header()), start=1)
    ]
    run[3] = renamed(run[3], "evil\x1b[2J[red]id[/red]\u202e\n" + "x" * 70)
    run[6] = _with_turns(run[6], [turn for turn in _turns(run[6]) if turn.side is Side.PROMPT])
    long = [replace(turn, turn=turn.turn + 20 * n) for n in range(5, 13) for turn in _turns(run[7])]
    run[7] = _with_turns(run[7], long, 300)
    torn = _turns(run[15])
    torn[4] = replace(torn[4], verdict=Verdict.UNDECIDED, votes=(REFUSED, NO))
    run[15] = _with_turns(run[15], torn)
    run[16] = _with_turns(run[16], [], 0)
    skipped = replace(run[17].conversation, blank_turns=2, placeholders=1)
    run[17] = run[17]._replace(conversation=skipped)
    return run


def _turns(judged: Judged) -> list[TurnVerdict]:
    return list(judged.verdict.turns)


def _with_turns(judged: Judged, turns: list[TurnVerdict], total: int = 20) -> Judged:
    verdict = replace(judged.verdict, turns=tuple(turns), turns_total=total, turns_selected=total)
    return judged._replace(verdict=verdict)


@pytest.mark.parametrize("terminal", TERMINALS)
def test_what_is_odd_and_cut_short(terminal: str, golden: Golden) -> None:
    screen = TERMINALS[terminal]()
    reporter = TerminalReporter(screen.console, 16, quote=True)
    report(reporter, header(), odd(), PROBLEMS, Ending.INTERRUPTED)
    golden(f"odd.{terminal}.txt", screen.text)


@pytest.mark.parametrize(
    ("ending", "problems"), [(Ending.OUT_OF_BUDGET, []), (Ending.COMPLETE, PROBLEMS[:1])]
)
def test_a_run_without_conversations(
    ending: Ending, problems: list[Problem], golden: Golden
) -> None:
    screen = Terminal()
    report(TerminalReporter(screen.console), header(), (), problems, ending)
    golden(f"nothing.{ending}.txt", screen.text)


def test_one_unlabelled_conversation(golden: Golden) -> None:
    screen = Terminal()
    turn = TurnVerdict(1, Side.PROMPT, Verdict.PASS, (NO,))
    verdict = ConversationVerdict("c", Source("-", 1), 1, 1, (turn,))
    judged = Judged(Conversation("c", (), Source("-", 1)), verdict, {})
    head = header("2", 3)
    protocol = replace(head.protocol, sides=Sides.PROMPTS, until_block=True)
    head = replace(head, protocol=protocol, evaluator_version="0123456789abcdef" * 4)
    report(TerminalReporter(screen.console), head, [judged])
    golden("unlabelled.txt", screen.text)


def test_quotes_are_shown_only_if_asked_for() -> None:
    screen = Terminal()
    run = list(thirty(header()))
    report(TerminalReporter(screen.console, quote=False), header(), run)
    said = [turn.text for one in run for turn in one.conversation.turns]
    assert not [
        text[start : start + 20]
        for text in said
        for start in range(len(text) - 19)
        if text[start : start + 20] in screen.text
    ]


def test_nothing_is_printed_of_a_run_that_is_abandoned() -> None:
    screen = Terminal()
    reporter = TerminalReporter(screen.console)
    reporter.open(header())
    for one in thirty(header()):
        reporter.add(one.verdict, one.quotes)
    reporter.abandon()
    assert screen.text == ""


@settings(max_examples=60)
@given(
    st.lists(verdicts(), max_size=5),
    st.integers(0, 6),
    st.integers(20, 120),
    st.booleans(),
    st.sampled_from(["utf-8", "ascii", "cp1252"]),
)
def test_every_shown_conversation_has_its_row(
    found: list[ConversationVerdict], rows: int, width: int, piped: bool, encoding: str
) -> None:
    screen = Terminal(width, piped=piped, encoding=encoding)
    names = [replace(verdict, conversation=f"id-{n}!") for n, verdict in enumerate(found)]
    said = Conversation("c", (), Source("a.jsonl", 1))
    report(
        TerminalReporter(screen.console, rows, quote=True),
        header(),
        [Judged(said, verdict, {}) for verdict in names],
    )
    order = [Verdict.BLOCK, Verdict.UNDECIDED, Verdict.PASS]
    expected = sorted(names, key=lambda verdict: order.index(verdict.verdict))[:rows]
    shown = [line.split()[0] for line in screen.text.splitlines() if line.startswith("id-")]
    assert shown == [verdict.conversation for verdict in expected]
    assert ("not shown: " in screen.text) == (rows < len(found))


def test_an_explanation_stands_below_its_conversation() -> None:
    head = header()
    judged = next(iter(thirty(head)))
    why = Explanation(1, "The user treats it as a partner, [bold]always[/bold]\x1b[2J.")
    explained = judged._replace(verdict=replace(judged.verdict, explanation=why))
    screen = Terminal(100)
    report(TerminalReporter(screen.console), head, [explained])
    lines = screen.text.splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("parasocial-01"))
    said = "  why: The user treats it as a partner, [bold]always[/bold]\\x1b[2J."
    assert lines[row + 1].rstrip() == said
