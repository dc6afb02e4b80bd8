"""Reports as JUnit XML: a case for every conversation, as continuous integration shows them.

A block is a failure, an undecided conversation an error, and a conversation without any turn to
vote on, or with none left by a screen, is skipped. Problems of the input make a second suite: what
could not be read is an error.
"""

from html import escape
from pathlib import Path

from chaperone_cli.codec.verdict import passes_by_evidence
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.domain.vote import Span
from chaperone_cli.reports import wording
from chaperone_cli.reports.files import FileReporter
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import plain


class JunitReporter(FileReporter):
    """Writes test results for whatever shows them; the totals come first, and so are known last."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._cases = self._file.section("the cases")
        self._problems = self._file.section("the problems of the input")

    def open(self, header: RunHeader) -> None:
        """Starts the file."""
        super().open(header)
        self._file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Keeps one case until the counts are known."""
        head = _start(
            "testcase",
            classname=verdict.source.path,
            name=verdict.conversation,
            file=verdict.source.path,
            line=verdict.source.line,
            time=0,
        )
        self._cases.add(_line(head, _outcome(verdict, self._header.protocol.passes, quotes)))

    def add_problem(self, problem: Problem) -> None:
        """Keeps one case of the second suite."""
        name = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
        said = str(problem)
        if problem.severity is Severity.ERROR:
            outcome = f"{_start('error', type='unread', message=said)}</error>"
        else:
            outcome = f"<system-err>{text(said)}</system-err>"
        head = _start("testcase", classname="input", name=name, file=problem.path, time=0)
        self._problems.add(_line(head, outcome))

    def close(self, summary: Summary, usage: Usage) -> None:
        """Writes the counts, then the cases, and moves the file into place."""
        if summary.ending is not Ending.COMPLETE:
            self._cut_short(summary.ending)
        counts, problems = _counts(summary), _problem_counts(summary)
        both = {name: counts[name] + problems[name] for name in counts}
        seconds = f"{usage.seconds:.3f}"
        self._put(_start("testsuites", name="chaperone", **both, time=seconds))
        self._put(_start("testsuite", name="conversations", **counts, time=seconds))
        self._put(self._properties(summary, usage))
        self._cases.write()
        self._put("</testsuite>")
        if self._problems.parts:
            self._put(_start("testsuite", name="input", **problems, time=0))
            self._problems.write()
            self._put("</testsuite>")
        self._put("</testsuites>")
        super().close(summary, usage)

    def _cut_short(self, ending: Ending) -> None:
        """Keeps a case for the missing rest, so that nothing passes for being absent."""
        said = f"the run ended before the end of the input: {ending}"
        error = f"{_start('error', type=ending, message=said)}</error>"
        head = _start("testcase", classname="input", name="the rest of the input", time=0)
        self._problems.add(_line(head, error))

    def _put(self, line: str) -> None:
        self._file.write(f"{line}\n".encode())

    def _properties(self, summary: Summary, usage: Usage) -> str:
        header, protocol = self._header, self._header.protocol
        facts = {
            "version": header.version,
            "evaluator": wording.evaluator(header),
            "rubric": protocol.rubric.name,
            **({"rubric digest": digest} if (digest := protocol.rubric.digest) else {}),
            "rule": protocol.rule.name,
            "votes": protocol.passes,
            "ending": summary.ending,
        }
        if protocol.screening is not None:
            facts["screen"] = str(protocol.screening)
        if summary.screened_out is not None:
            facts["screened out"] = wording.screened_out(summary)
        if summary.tampering:
            facts["tampering"] = wording.tampering(summary)
        if usage.spend is not None:
            facts["calls"] = wording.calls(usage.spend)
        inner = "".join(f"{_start('property', name=n, value=v)[:-1]}/>" for n, v in facts.items())
        return f"<properties>{inner}</properties>"


def _outcome(verdict: ConversationVerdict, passes: int, quotes: Quotes) -> str:
    first = verdict.first_block
    if first is not None:
        said = (
            f"turn {first.turn}, a {first.side}, is the first to block: {first.score} of {passes}"
        )
        said += f"; the run {wording.cut_short(verdict)}" if verdict.partial else ""
        lines = "\n".join((*_evidence(first, quotes), *_explained(verdict, quotes)))
        return f"{_start('failure', type='block', message=said)}{lines}</failure>"
    if verdict.verdict is Verdict.UNDECIDED:
        return f"{_start('error', type='undecided', message=_undecided(verdict))}</error>"
    if verdict.wholly_screened_out:
        said = "every turn was screened out: no vote was asked for"
        return f"{_start('skipped', message=said)}</skipped>"
    if not verdict.turns_selected:
        return f"{_start('skipped', message='no turn to vote on')}</skipped>"
    return ""


def _undecided(verdict: ConversationVerdict) -> str:
    if verdict.partial:
        return f"the run {wording.cut_short(verdict)}"
    turns = [turn.turn for turn in verdict.turns if turn.verdict is Verdict.UNDECIDED]
    return f"abstentions leave {len(turns)} of its turns open, the first is turn {turns[0]}"


def _evidence(first: TurnVerdict, quotes: Quotes) -> list[str]:
    """What decided the votes of a first block, a line for each piece of evidence."""
    lines = []
    for found, passes in passes_by_evidence(first.votes).items():
        line = f"votes {', '.join(map(str, passes))}: {', '.join(found.cues) or 'no cue named'}"
        if found.span is not None:
            start, end = found.span.start, found.span.end
            line += f" ({wording.place(found.span)}, characters {start} to {end})"
            line += _quoted(found.span, quotes)
        lines.append(text(line))
    return lines


def _explained(verdict: ConversationVerdict, quotes: Quotes) -> list[str]:
    explanation = verdict.explanation
    if explanation is None:
        return []
    span = explanation.span
    shown = f" ({wording.place(span)}){_quoted(span, quotes)}" if span is not None else ""
    return [text(f"why: {explanation.reason}{shown}")]


def _quoted(span: Span, quotes: Quotes) -> str:
    return f' "{said}"' if (said := wording.quote(span, quotes)) else ""


def _counts(summary: Summary) -> dict[str, int]:
    verdicts = summary.conversations
    unasked = summary.screened_out.conversations if summary.screened_out else 0
    return {
        "tests": summary.total,
        "failures": verdicts[Verdict.BLOCK],
        "errors": verdicts[Verdict.UNDECIDED],
        "skipped": summary.empty + unasked,
    }


def _problem_counts(summary: Summary) -> dict[str, int]:
    cut = summary.ending is not Ending.COMPLETE
    tests, errors = summary.problems.total() + cut, summary.problems[Severity.ERROR] + cut
    return {"tests": tests, "failures": 0, "errors": errors, "skipped": 0}


def _line(head: str, inner: str) -> bytes:
    closed = f"{head}{inner}</testcase>" if inner else f"{head[:-1]}/>"
    return f"{closed}\n".encode()


def _start(tag: str, **attributes: object) -> str:
    values = "".join(f' {name}="{text(str(value))}"' for name, value in attributes.items())
    return f"<{tag}{values}>"


def text(content: str) -> str:
    """Text as the content of an element, or as the value of an attribute."""
    # xml.sax.saxutils would bring in half the standard library's networking.
    return escape(legal(content))


def legal(content: str) -> str:
    """Text of characters that XML 1.0 allows; the others are spelled as escapes."""
    return plain(content).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
