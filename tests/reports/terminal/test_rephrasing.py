"""A rewrite at a terminal: changes show with and without colour, over several lines, wrapped."""

from chaperone_cli.codec import strategy
from chaperone_cli.domain.ranking import Standing
from chaperone_cli.domain.rephrasing import Attempt, Check, Floor, Rephrasing
from chaperone_cli.domain.rewrite import Draft, Failure, Remark, Target
from chaperone_cli.domain.verdict import TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, YES
from chaperone_cli.reports.terminal.rephrasing import render_ranking, render_rephrasing
from tests.reports.runs import Terminal
from tests.support.scripted import conversation

ORIGINAL = "I missed you, darling.\n\nFry the leeks in butter, then stir the rice in."
BLOCKED = TurnVerdict(2, Target.at(conversation("c", "", "x"), 2).turn.side, Verdict.BLOCK, (YES,))
PASSED = TurnVerdict(2, BLOCKED.side, Verdict.PASS, (NO,))


def rephrasing(*attempts: Attempt, floor: Floor | None = None) -> Rephrasing:
    target = Target.at(conversation("c-1", "Leeks?", ORIGINAL, "Thanks."), 2)
    return Rephrasing(target, strategy.load("neutral"), BLOCKED, attempts, floor)


def shown(one: Rephrasing, **options: object) -> str:
    screen = Terminal(60, **options)  # type: ignore[arg-type]
    render_rephrasing(screen.console, one, 1)
    return screen.text


PRUNED = Attempt(
    Draft("Fry the leeks in butter, then stir the rice in."),
    PASSED,
    (Check("bond_gone", True, "2 before"), Check("length", False, "9 words")),
)


def test_what_changed_is_marked() -> None:
    assert shown(rephrasing(PRUNED)).splitlines() == [
        "NOT PASSING  1/1 -> 0/1  neutral  c-1 turn 2",
        "",
        "    [-I missed you, darling.-]",
        "",
        "    Fry the leeks in butter, then stir the rice in.",
        "",
        "  ok    bond gone       2 before",
        "  FAILS length          9 words",
        "  1 attempt; 14 words before, 10 after",
        "  1 later turn answered the original; the rewrite was judged",
        "  without them",
        "",
    ]


def test_colour_adds_to_the_marks_and_does_not_replace_them() -> None:
    text = shown(rephrasing(PRUNED), colour=True)
    assert "[-" in text
    assert "-]" in text
    assert "\x1b[31m" in text


def test_no_reply_could_pass() -> None:
    attempt = Attempt(Draft("Leeks fry well.", remarks=(Remark.NOTHING_USEFUL,)), BLOCKED)
    lines = shown(rephrasing(attempt, floor=Floor((BLOCKED, BLOCKED)))).splitlines()
    assert lines[0] == "IRREPARABLE  1/1 -> 1/1  neutral  c-1 turn 2"
    said = " ".join(line.strip() for line in lines)
    assert "nothing useful remained of the response: a short neutral reply takes its place" in said
    assert "plain replies without any bond score 1/1 here at the least: no response could" in said


def test_there_is_no_rewrite() -> None:
    failures = [Attempt(one) for one in (Failure.REFUSED, Failure.ERROR, Failure.REFUSED)]
    assert shown(rephrasing(*failures)).splitlines() == [
        "NOT WRITTEN  1/1 -> -/1  neutral  c-1 turn 2",
        "  2 attempts brought no rewrite: refused",
        "  1 attempt brought no rewrite: error",
        "  1 later turn answered the original; the rewrite was judged",
        "  without them",
        "",
    ]


def test_a_ranking() -> None:
    screen = Terminal(80)
    render_ranking(
        screen.console,
        [Standing("warm", 10, 5, 5, 1.25, 1.0, -2.0), Standing("mine", 10, 4, 5, 0.5, 0.9, 30.0)],
    )
    assert [line.split() for line in screen.text.splitlines()] == [
        ["strategy", "passing", "irreparable", "score", "drop", "topic", "kept", "words"],
        ["warm", "5/10", "5", "1.2", "100", "%", "-2.0"],
        ["mine", "4/10", "5", "0.5", "90", "%", "+30.0"],
    ]
