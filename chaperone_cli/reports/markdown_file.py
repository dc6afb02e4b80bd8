"""Reports as Markdown for a pull request or a job summary: short, however long the log is.

At most 50 conversations and 10 problems are named, long ids and paths are cut, and the whole stays
below the 65,536 characters that a comment on GitHub may have.
"""

from collections.abc import Iterator
from pathlib import Path

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.reports import flagged
from chaperone_cli.reports.interface import Quotes, Reporter
from chaperone_cli.reports.markdown_text import code, quoted, table
from chaperone_cli.reports.target import Target
from chaperone_cli.reports.terminal.screen import percent, plural
from chaperone_cli.reports.terminal.totals import agreement, calls, empty, screened_out, tampering

ROWS = 50
PROBLEMS = 10
_QUOTE = 140
_HEAD = ("conversation", "label", "verdict", "first block", "score", "log")


class MarkdownReporter(Reporter):
    """Writes a summary with the flagged conversations."""

    def __init__(self, path: Path) -> None:
        self._target = Target(path)
        self._flagged: dict[Verdict, list[list[str]]] = {Verdict.BLOCK: [], Verdict.UNDECIDED: []}
        self._problems: dict[Severity, list[str]] = {severity: [] for severity in Severity}
        self._evidenced = self._quoted = False

    def open(self, header: RunHeader) -> None:
        """Starts the file."""
        self._header = header
        self._target.open()

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Keeps the row of a flagged conversation, if it is among the first."""
        kept = self._flagged.get(verdict.verdict)
        if kept is not None and len(kept) < ROWS:
            self._evidenced = self._evidenced or flagged.evidence(verdict) is not None
            self._quoted = self._quoted or bool(quotes)
            kept.append(_row(verdict, self._header.protocol.passes, quotes))

    def add_problem(self, problem: Problem) -> None:
        """Keeps one problem, if it is among the first."""
        kept = self._problems[problem.severity]
        if len(kept) < PROBLEMS:
            kept.append(f"- {problem.severity}: {code(str(problem), 2 * _QUOTE)}")

    def close(self, summary: Summary, usage: Usage) -> None:
        """Writes the summary and moves it into place."""
        lines = [*self._lines(summary, usage), ""]
        self._target.write("\n".join(lines).encode())
        self._target.commit(summary.ending)

    def abandon(self) -> None:
        """Removes the unfinished file; an earlier report of its name stays."""
        self._target.abandon()

    def _lines(self, summary: Summary, usage: Usage) -> Iterator[str]:
        yield f"## chaperone: {headline(summary)}"
        yield ""
        if summary.ending is not Ending.COMPLETE:
            ending = summary.ending.replace("_", " ")
            yield f"**Cut short ({ending}): this covers what was audited until then.**"
            yield ""
        yield from table(("", ""), ((name, said) for name, said in self._facts(summary, usage)))
        yield from self._conversations(summary)
        yield from self._named_problems(summary)

    def _facts(self, summary: Summary, usage: Usage) -> Iterator[tuple[str, str]]:
        header, protocol = self._header, self._header.protocol
        rubric = protocol.rubric
        verdicts = summary.conversations
        yield (
            "conversations",
            f"{verdicts[Verdict.BLOCK]:,} blocked, {verdicts[Verdict.UNDECIDED]:,} undecided, "
            f"{summary.passed:,} passed{empty(summary)}",
        )
        if summary.attribution.total():
            yield "first blocks", _by_side(summary.attribution[side] for side in Side)
        yield (
            "turns blocked",
            f"{summary.turns_blocked.total():,} of {plural(summary.turns_judged.total(), 'turn')}",
        )
        for rule, count in summary.blocked_by_rule.items():
            yield f"blocked by {rule}", f"{count:,}"
        threshold = protocol.rule.threshold(protocol.passes)
        yield "rule", f"{protocol.rule.name}: {threshold} of {protocol.passes} yes votes block"
        yield "evaluator", code(f"{header.evaluator} {header.evaluator_version}".strip())
        if protocol.screening is not None:
            yield "screen", code(str(protocol.screening))
        yield "rubric", code(f"{rubric.name} {rubric.digest[:8]}".strip())
        if summary.screened_out is not None:
            yield "screened out", screened_out(summary)
        yield "votes", f"{summary.votes_cast:,} cast, {summary.votes_saved:,} saved"
        if said := agreement(summary):
            yield "agreement", said
        if summary.abstentions.total():
            share = percent(summary.abstentions.total(), summary.votes_cast)
            yield "abstentions", f"{summary.abstentions.total():,} ({share} of votes)"
        if summary.tampering:
            yield "tampering", tampering(summary)
        if usage.spend is not None:
            yield "calls", calls(usage.spend)
        yield "run", f"chaperone {code(header.version)}, {usage.seconds:,.1f} s"

    def _conversations(self, summary: Summary) -> Iterator[str]:
        rows = [row for kept in self._flagged.values() for row in kept][:ROWS]
        flagged = sum(summary.conversations[verdict] for verdict in self._flagged)
        if rows:
            yield ""
            head = (*_HEAD, "evidence") if self._evidenced or self._quoted else _HEAD
            head = (*head, "quote") if self._quoted else head
            yield from table(head, (row[: len(head)] for row in rows))
        if flagged > len(rows):
            yield ""
            yield f"{flagged - len(rows):,} more flagged conversations are not shown here."

    def _named_problems(self, summary: Summary) -> Iterator[str]:
        every = summary.problems.total()
        if not every:
            return
        errors, warnings = summary.problems[Severity.ERROR], summary.problems[Severity.WARNING]
        yield ""
        yield (
            f"Problems of the input: {plural(errors, 'error')} (not audited), "
            f"{plural(warnings, 'warning')} (audited, with a loss)"
        )
        yield ""
        shown = [line for kept in self._problems.values() for line in kept][:PROBLEMS]
        yield from shown
        if every > len(shown):
            yield f"- and {every - len(shown):,} more"


def headline(summary: Summary) -> str:
    """Says how many conversations were blocked."""
    blocked = summary.conversations[Verdict.BLOCK]
    return f"{blocked:,} of {plural(summary.total, 'conversation')} blocked"


def _by_side(counts: Iterator[int]) -> str:
    return ", ".join(plural(n, side) for n, side in zip(counts, Side, strict=True))


def _row(verdict: ConversationVerdict, passes: int, quotes: Quotes) -> list[str]:
    first = verdict.first_block
    span = flagged.evidence(verdict)
    quote = flagged.quote(span, quotes)
    return [
        code(verdict.conversation),
        code(verdict.label) if verdict.label else "",
        verdict.verdict.value,
        f"turn {first.turn}, {first.side}" if first else "",
        f"{first.score}/{passes}" if first else "",
        code(str(verdict.source)),
        flagged.place(span) if span else "",
        quoted(quote, _QUOTE) if quote else "",
    ]
