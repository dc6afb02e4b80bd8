"""The charts that are rows of bars with their numbers beside them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.run import Summary
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.reports.html.tallies import Tallies
from chaperone_cli.reports.sanitise import plain
from chaperone_cli.reports.terminal.table import NO_TURN, ORDER, WORDS

STYLES = {Verdict.BLOCK: "block", Verdict.UNDECIDED: "undecided", Verdict.PASS: "pass"}
"""The classes that the style sheet knows verdicts by."""
_MOST_CUES = 12


@dataclass(frozen=True)
class BarRow:
    """One labelled bar, with its number beside it."""

    name: str
    count: int
    style: str
    link: str = ""
    """The filter that shows what was counted."""
    note: str = ""
    title: str = ""


def verdicts(summary: Summary) -> list[BarRow]:
    """Gives the conversations by verdict."""
    unasked = summary.screened_out.conversations if summary.screened_out else 0
    said = [f"and {summary.empty:,} {NO_TURN}"] if summary.empty else []
    said += [f"{unasked:,} of them screened out as a whole"] if unasked else []
    notes = {Verdict.PASS: "; ".join(said)}
    counts = {**summary.conversations, Verdict.PASS: summary.passed}
    return [
        BarRow(
            WORDS[verdict].lower(),
            counts.get(verdict, 0),
            STYLES[verdict],
            f"#verdict={verdict}",
            notes.get(verdict, ""),
        )
        for verdict in ORDER
    ]


def sides(summary: Summary) -> list[BarRow]:
    """Gives the first blocking turns by side."""
    counts = summary.attribution
    return [BarRow(side.value, counts[side], side.value, f"#side={side.value}") for side in Side]


def rules(summary: Summary, tallies: Tallies) -> list[BarRow]:
    """Gives the conversations that each named rule blocks; nothing where that is not known."""
    return [
        BarRow(
            rule.name,
            summary.blocked_by_rule[rule.name],
            "block",
            note=_first_note(tallies.first_by_rule[rule.name].value),
        )
        for rule in RULES
        if rule.name in summary.blocked_by_rule
    ]


def _first_note(mean: float | None) -> str:
    return "" if mean is None else f"mean first block {mean:.1f}"


def cues(tallies: Tallies) -> list[BarRow]:
    """Gives the conversations in which votes name a cue, for the most frequent ones."""
    said = meanings(tallies.cues)
    return [
        BarRow(plain(cue), count, "cue", title=said.get(cue, ""))
        for cue, count in tallies.cues.most_common(_MOST_CUES)
    ]


def meanings(cues: Iterable[str]) -> dict[str, str]:
    """Says what the cues mean that the local evaluator names; others explain themselves."""
    from chaperone_cli.evaluators.local.cues import MEANINGS

    known: Mapping[str, str] = {cue.value: meaning for cue, meaning in MEANINGS.items()}
    return {cue: known[cue] for cue in cues if cue in known}
