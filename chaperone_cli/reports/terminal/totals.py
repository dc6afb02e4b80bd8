"""What terminal output says of a whole run: its header, its totals, its problems, its ending."""

from collections.abc import Sequence

from rich.text import Text

from chaperone_cli.domain.conversation import Side, Sides
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending, Protocol, RunHeader, Summary, Usage
from chaperone_cli.domain.selection import Omission
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.reports import wording
from chaperone_cli.reports.terminal.screen import Screen
from chaperone_cli.reports.terminal.table import STYLES
from chaperone_cli.reports.text import percent, plural

_LEAD = 17
_INPUTS = 3
_LONG_VERSION = 32

_REASONS = {
    Omission.WHERE: "do not meet --where",
    Omission.SINCE: "ended before --since",
    Omission.UNTIL: "began after --until",
    Omission.UNDATED: "tell no time",
    Omission.SAMPLE: "not in the sample",
}
_ENDINGS = {
    Ending.COMPLETE: "",
    Ending.INTERRUPTED: "INTERRUPTED before the end of the input",
    Ending.FAILED: "FAILED before the end of the input",
    Ending.OUT_OF_BUDGET: "OUT OF BUDGET before the end of the input",
}


def put_ending(screen: Screen, summary: Summary) -> None:
    """Prints, of a run that was cut short, that it was."""
    if _ENDINGS[summary.ending]:
        covered = plural(summary.total, "conversation")
        said = f"{_ENDINGS[summary.ending]}: this covers the {covered} audited until then"
        screen.put(f"{said}{wording.in_part(summary)}", style="bold red")


def put_header(screen: Screen, header: RunHeader) -> None:
    """Prints who judged what and how."""
    protocol, plain = header.protocol, screen.plain
    version = plain(header.evaluator_version)
    if len(version) > _LONG_VERSION:
        version = f"{version[:12]}{screen.glyphs.ellipsis}"
    digest = plain(protocol.rubric.digest[:8])
    screen.put_parts(
        f"chaperone {plain(header.version)}",
        f"evaluator {plain(header.evaluator)} {version}".rstrip(),
        f"rubric {plain(protocol.rubric.name)}" + (f" ({digest})" if digest else ""),
        style="bold",
    )
    screen.put_parts(*_protocol(protocol))
    if protocol.screening is not None:
        screen.put(f"{plain(str(protocol.screening))}: no other turns are voted on", lead="screen ")
    more = len(header.inputs) - _INPUTS
    named = [plain(path) for path in header.inputs[:_INPUTS]]
    screen.put(", ".join([*named, *([f"and {more:,} more"] if more > 0 else [])]), lead="input ")


def _protocol(protocol: Protocol) -> tuple[str, ...]:
    threshold = protocol.rule.threshold(protocol.passes)
    block = "blocks" if threshold == 1 else "block"
    return (
        f"rule {protocol.rule.name}: {threshold} of {protocol.passes} yes votes {block}",
        "both sides" if protocol.sides is Sides.BOTH else f"{protocol.sides} only",
        "all votes cast" if protocol.all_votes else "votes stop once settled",
        "up to the first block" if protocol.until_block else "",
    )


def put_totals(screen: Screen, summary: Summary, usage: Usage, protocol: Protocol) -> None:
    """Prints the totals, a line each."""
    if not summary.total:
        screen.put("no conversation was audited", style="bold yellow")
        _put_line(screen, "calls", wording.calls(usage.spend))
        return
    screen.put(_headline(summary))
    for name, said in (
        ("by rule", _by_rule(summary)),
        ("first blocks", wording.first_blocks(summary)),
        ("turns blocked", _turns(summary, protocol)),
        ("abstentions", _abstentions(summary)),
        ("tampering", wording.tampering(summary)),
        ("screened out", wording.screened_out(summary)),
        ("votes", _votes(summary)),
        ("agreement", wording.agreement(summary)),
        ("cost", _cost(usage)),
        ("calls", wording.calls(usage.spend)),
        ("input", _input(summary)),
        ("left out", _left_out(summary)),
    ):
        _put_line(screen, name, said)


def _put_line(screen: Screen, name: str, said: str) -> None:
    if said:
        screen.put(said, lead=Text(f"  {name}".ljust(_LEAD), "dim"))


def _headline(summary: Summary) -> Text:
    counts = summary.conversations
    worst = next((v for v in (Verdict.BLOCK, Verdict.UNDECIDED) if counts[v]), Verdict.PASS)
    return Text(
        f"{counts[Verdict.BLOCK]:,} of {plural(summary.total, 'conversation')} blocked "
        f"({percent(counts[Verdict.BLOCK], summary.total)}), "
        f"{counts[Verdict.UNDECIDED]:,} undecided, {summary.passed:,} passed"
        f"{_unasked(summary)}{wording.without_turn(summary)}",
        f"bold {STYLES[worst]}",
    )


def _unasked(summary: Summary) -> str:
    whole = summary.screened_out.conversations if summary.screened_out else 0
    return f", {whole:,} of them without a vote" if whole else ""


def _by_rule(summary: Summary) -> str:
    blocked = summary.blocked_by_rule.items()
    said = ", ".join(f"{count:,} by {rule}" for rule, count in blocked)
    return f"blocked: {said}" if said else ""


def _turns(summary: Summary, protocol: Protocol) -> str:
    sides = [side for side in Side if protocol.sides.include(side)]
    each = ", ".join(
        f"{summary.turns_blocked[side]:,} of {plural(summary.turns_judged[side], side)}"
        for side in sides
    )
    undecided = summary.turns_undecided.total()
    left = summary.turns_unjudged
    return (
        each
        + (f"; {undecided:,} undecided" if undecided else "")
        + (f"; {left:,} not judged" if left else "")
    )


def _abstentions(summary: Summary) -> str:
    reasons = summary.abstentions
    if not reasons.total():
        return ""
    named = (f"{count:,} {reason.replace('_', ' ')}" for reason, count in reasons.most_common())
    return f"{percent(reasons.total(), summary.votes_cast)} of votes: {', '.join(named)}"


def _votes(summary: Summary) -> str:
    possible = summary.votes_cast + summary.votes_saved
    share = percent(summary.votes_saved, possible)
    saved = f", {summary.votes_saved:,} saved ({share})" if summary.votes_saved else ""
    return f"{summary.votes_cast:,} cast of {possible:,} possible{saved}"


def _cost(usage: Usage) -> str:
    store = f", {usage.votes_from_store:,} from the store" if usage.votes_from_store else ""
    return f"{plural(usage.votes_asked, 'vote')} asked{store} in {usage.seconds:,.1f} s"


def _input(summary: Summary) -> str:
    blank = f"{plural(summary.blank_turns, 'blank turn')} skipped" if summary.blank_turns else ""
    parts = f"{plural(summary.placeholders, 'part')} that {_are(summary.placeholders)} not text"
    shown = f"{parts}, judged as placeholders" if summary.placeholders else ""
    return "; ".join(part for part in (blank, shown) if part)


def _left_out(summary: Summary) -> str:
    reasons = summary.left_out.reasons
    said = [f"{reasons[reason]:,} {told}" for reason, told in _REASONS.items() if reasons[reason]]
    return "; ".join(
        [*said, *(["nothing read behind --limit"] if summary.left_out.limited else [])]
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def put_problems(screen: Screen, problems: Sequence[Problem], summary: Summary) -> None:
    """Prints how many problems the input has, and the given ones, a line each."""
    errors, warnings = summary.problems[Severity.ERROR], summary.problems[Severity.WARNING]
    if not errors + warnings:
        return
    screen.put()
    said = [f"{plural(errors, 'error')} (not audited)"] if errors else []
    said += [f"{plural(warnings, 'warning')} (audited, with a loss)"] if warnings else []
    screen.put(f"Problems of the input: {', '.join(said)}", style="bold")
    for problem in problems:
        style = "red" if problem.severity is Severity.ERROR else "yellow"
        lead = Text(f"  {problem.severity:<9}", style)
        screen.put(screen.plain(str(problem)), lead=lead)
    more = errors + warnings - len(problems)
    if more > 0:
        screen.put(f"  and {more:,} more: -o report.json lists all", style="dim")
