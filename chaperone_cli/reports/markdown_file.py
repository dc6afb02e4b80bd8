"""Reports as Markdown for a pull request or a job summary: short, however long the log is.

At most 50 conversations and 10 problems are named, long ids and paths are cut, and the whole stays
below the 65,536 characters that a comment on GitHub may have.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.reports import wording
from chaperone_cli.reports.files import FileReporter
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import percent, plain, plural, prose

ROWS = 50
PROBLEMS = 10
LONGEST = 80
"""Characters of an id, a path or a label that are shown at most."""
_QUOTE = 140
_HEAD = ("conversation", "label", "verdict", "first block", "score", "log")
_FLAGGED = (Verdict.BLOCK, Verdict.UNDECIDED)


def code(text: str, longest: int = LONGEST) -> str:
    """`text` as a code span: no markup, mention, link or emoji comes to life in one.

    Back-ticks would end the span and pipes the table's cell, so that both are spelled as escapes.
    """
    spelled = plain(text).replace("`", "\\x60").replace("|", "\\x7c").strip()
    if not spelled:
        return "*(blank)*" if text else "*(empty)*"
    return f"`{spelled if len(spelled) <= longest else f'{spelled[: longest - 1]}…'}`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


class MarkdownReporter(FileReporter):
    """Writes a summary with the flagged conversations."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._flagged = wording.Foremost[Verdict, list[str]](_FLAGGED, ROWS)
        self._problems = wording.Foremost[Severity, str](Severity, PROBLEMS)
        self._evidenced = self._quoted = False

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Keeps the row of a flagged conversation, if it is among the first."""
        if self._flagged.wants(verdict.verdict):
            self._evidenced = self._evidenced or wording.evidence(verdict) is not None
            self._quoted = self._quoted or bool(quotes)
            row = _row(verdict, self._header.protocol.passes, quotes)
            self._flagged.add(verdict.verdict, row)

    def add_problem(self, problem: Problem) -> None:
        """Keeps one problem, if it is among the first."""
        line = f"- {problem.severity}: {code(str(problem), 2 * _QUOTE)}"
        self._problems.add(problem.severity, line)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Writes the summary and moves it into place."""
        lines = [*self._lines(summary, usage), ""]
        self._file.write("\n".join(lines).encode())
        super().close(summary, usage)

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
            f"{summary.passed:,} passed{wording.without_turn(summary)}"
            f"{wording.in_part(summary)}",
        )
        if said := wording.first_blocks(summary):
            yield "first blocks", said
        yield (
            "turns blocked",
            f"{summary.turns_blocked.total():,} of {plural(summary.turns_judged.total(), 'turn')}",
        )
        for rule, count in summary.blocked_by_rule.items():
            yield f"blocked by {rule}", f"{count:,}"
        threshold = protocol.rule.threshold(protocol.passes)
        yield "rule", f"{protocol.rule.name}: {threshold} of {protocol.passes} yes votes block"
        yield "evaluator", code(wording.evaluator(header))
        if protocol.screening is not None:
            yield "screen", code(str(protocol.screening))
        yield "rubric", code(f"{rubric.name} {rubric.digest[:8]}".strip())
        if summary.screened_out is not None:
            yield "screened out", wording.screened_out(summary)
        yield "votes", f"{summary.votes_cast:,} cast, {summary.votes_saved:,} saved"
        if said := wording.agreement(summary):
            yield "agreement", said
        if summary.abstentions.total():
            share = percent(summary.abstentions.total(), summary.votes_cast)
            yield "abstentions", f"{summary.abstentions.total():,} ({share} of votes)"
        if summary.tampering:
            yield "tampering", wording.tampering(summary)
        if usage.spend is not None:
            yield "calls", wording.calls(usage.spend)
        yield "run", f"chaperone {code(header.version)}, {usage.seconds:,.1f} s"

    def _conversations(self, summary: Summary) -> Iterator[str]:
        rows = self._flagged.shown()
        flagged = sum(summary.conversations[verdict] for verdict in _FLAGGED)
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
        shown = self._problems.shown()
        yield from shown
        if every > len(shown):
            yield f"- and {every - len(shown):,} more"


def headline(summary: Summary) -> str:
    """How many conversations were blocked."""
    blocked = summary.conversations[Verdict.BLOCK]
    return f"{blocked:,} of {plural(summary.total, 'conversation')} blocked"


def _row(verdict: ConversationVerdict, passes: int, quotes: Quotes) -> list[str]:
    first = verdict.first_block
    span = wording.evidence(verdict)
    quote = wording.quote(span, quotes)
    return [
        code(verdict.conversation),
        code(verdict.label) if verdict.label else "",
        f"{verdict.verdict.value}, in part" if verdict.partial else verdict.verdict.value,
        f"turn {first.turn}, {first.side}" if first else "",
        f"{first.score}/{passes}" if first else "",
        code(str(verdict.source)),
        wording.place(span) if span else "",
        code(prose(quote), _QUOTE) if quote else "",
    ]
