"""Rewrites on a terminal: what changed word by word, both scores, the checks, and the ranking."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from chaperone_cli.domain.passage import words
from chaperone_cli.domain.ranking import Standing
from chaperone_cli.domain.rephrasing import Attempt, Check, Rephrasing, Result
from chaperone_cli.domain.rewrite import Draft, Remark
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.domain.word_diff import Change, word_diff
from chaperone_cli.reports.terminal.screen import Screen
from chaperone_cli.reports.text import percent, plural

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    Result.PASSING: "bold green",
    Result.NOT_PASSING: "bold red",
    Result.IRREPARABLE: "bold yellow",
    Result.UNWRITTEN: "bold yellow",
}
WORDS = {
    Result.PASSING: "PASSING",
    Result.NOT_PASSING: "NOT PASSING",
    Result.IRREPARABLE: "IRREPARABLE",
    Result.UNWRITTEN: "NOT WRITTEN",
}
REMARKS = {
    Remark.NOTHING_USEFUL: "nothing useful remained of the response: a short neutral reply "
    "takes its place",
    Remark.REPLACED: "what could be kept did not pass: a short neutral reply takes its place",
    Remark.NOTHING_TO_REMOVE: "the response itself holds nothing to take out",
}
_DIFF = {
    Change.KEPT: ("", "", ""),
    Change.REMOVED: ("[-", "-]", "red"),
    Change.ADDED: ("{+", "+}", "green"),
}
_INDENT = "    "


def render_rephrasing(console: "Console", one: Rephrasing, passes: int) -> None:
    """Prints one response with its rewrite, of which `passes` votes were cast each."""
    screen = Screen(console)
    _put_head(screen, one, passes)
    best = one.best
    if best is not None and isinstance(best.outcome, Draft):
        _put_diff(screen, one.target.turn.text, best.outcome.text)
        for check in best.checks:
            _put_check(screen, check)
    for line in _remarks(one, passes):
        screen.put(line, lead="  ", style="dim")
    screen.put()


def render_line(console: "Console", one: Rephrasing, passes: int) -> None:
    """Prints one response's outcome on a line, without any text."""
    screen = Screen(console)
    _put_head(screen, one, passes)


def render_ranking(console: "Console", standings: Sequence[Standing]) -> None:
    """Prints strategies side by side, the best first."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("strategy")
    for name in ("passing", "irreparable", "score drop", "topic kept", "words"):
        table.add_column(name, justify="right")
    screen = Screen(console)
    for one in standings:
        table.add_row(
            screen.plain(one.strategy),
            f"{one.passing}/{one.targets}",
            str(one.irreparable),
            f"{one.score_drop:.1f}",
            percent(round(one.topic_kept * one.targets), one.targets),
            f"{one.length_change:+.1f}",
        )
    console.print(table)


def _put_head(screen: Screen, one: Rephrasing, passes: int) -> None:
    target = one.target
    name = screen.plain(target.conversation.id)
    body = Text(f"{WORDS[one.result]:<11}", STYLES[one.result])
    arrow = "->"
    after = "-" if one.best is None or one.best.judged is None else str(one.best.judged.score)
    body.append(f"  {one.original.score}/{passes} {arrow} {after}/{passes}", "default")
    body.append(f"  {screen.plain(one.strategy.id)}", "default")
    body.append(f"  {name} turn {target.turn.number}", "dim")
    screen.put(body)


def _put_diff(screen: Screen, before: str, after: str) -> None:
    lines = [Text()]
    for change, text in word_diff(before, after):
        opening, closing, style = _DIFF[change]
        core = text.strip()
        start = text.index(core) if core else len(text)
        if not core:
            opening = closing = ""
        parts = ((text[:start], ""), (opening, style), (core, style), (closing, style))
        for part, how in (*parts, (text[start + len(core) :], "")):
            first, *others = part.split("\n")
            lines[-1].append(_shown(screen, first), how)
            lines.extend(Text(_shown(screen, other), how) for other in others)
    screen.put()
    for line in lines:
        screen.put(line, lead=_INDENT)
    screen.put()


def _shown(screen: Screen, part: str) -> str:
    return screen.prose(part)


def _put_check(screen: Screen, check: Check) -> None:
    said = {True: ("ok", "green"), False: ("FAILS", "bold red"), None: ("-", "dim")}
    word, style = said[check.passed]
    body = Text(f"{check.name.replace('_', ' '):<16}", style if check.passed is False else "")
    body.append(check.detail, "dim")
    screen.put(body, lead=Text(f"  {word:<6}", style))


def _remarks(one: Rephrasing, passes: int) -> Iterator[str]:
    best = one.best
    if best is not None and isinstance(best.outcome, Draft):
        yield from (REMARKS[remark] for remark in best.outcome.remarks)
        before, after = len(words(one.target.turn.text)), len(words(best.outcome.text))
        yield f"{plural(len(one.attempts), 'attempt')}; {before} words before, {after} after"
    if one.original.verdict is Verdict.PASS:
        yield "the original is not blocked in its place either"
    yield from _failures(one.attempts)
    yield from _why(one, passes)
    if one.target.later_turns:
        later = plural(one.target.later_turns, "later turn")
        yield f"{later} answered the original; the rewrite was judged without them"


def _failures(attempts: Sequence[Attempt]) -> Iterator[str]:
    failed = [one.outcome for one in attempts if not isinstance(one.outcome, Draft)]
    for reason in dict.fromkeys(failed):
        times = plural(failed.count(reason), "attempt")
        yield f"{times} brought no rewrite: {str(reason).replace('_', ' ')}"


def _why(one: Rephrasing, passes: int) -> Iterator[str]:
    if one.result in (Result.PASSING, Result.UNWRITTEN):
        return
    if one.rests_on:
        said = one.target.conversation.turns
        turns = ", ".join(f"{number} ({said[number - 1].side})" for number in one.rests_on)
        noun = "turn" if len(one.rests_on) == 1 else "turns"
        yield f"the votes against it rest on what was said before, in {noun} {turns}"
    if one.floor is not None:
        scored = (
            f"plain replies without any bond score {one.floor.score}/{passes} here at the least"
        )
        yield f"{scored}: no response could pass" if one.floor.blocks else scored
