"""A page of nothing but text that tries to become markup or script."""

from dataclasses import replace
from pathlib import Path

from chaperone_cli import reports
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.verdict import Explanation
from chaperone_cli.domain.vote import Answer, Evidence, Span, Vote
from tests.reports.html.odd import renamed
from tests.reports.runs import header, report, thirty

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<!--<script>",
    "]]></style></title></noscript><h1>owned</h1>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}${7*7}",
    "a\N{RIGHT-TO-LEFT OVERRIDE}txt.exe",
    "zero\N{ZERO WIDTH SPACE}width",
    "\x00\x1b[31m\r\n\t\x07\x85\ufffe\uffff",
    "&lt;b&gt;&amp;#x27;\"'`",
    "\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}",
    "lone \ud800 surrogate",
    "__proto__",
    "constructor",
    "#c=parasocial-01&t=3",
    "שלום عليكم",
    "x" * 3000,
    "overview",
    r"a\u202etxt.exe",
    " ",
]


def write_hostile(file: Path) -> Path:
    """Writes every hostile string as id, label, path, cue, quote, explanation and problem."""
    head = replace(header(), inputs=tuple(HOSTILE), evaluator=HOSTILE[0], platform=HOSTILE[1])
    judged = []
    for one, text in zip(thirty(head), HOSTILE, strict=False):
        span = Span(1, 0, 9, Side.PROMPT)
        vote = Vote(Answer.YES, evidence=Evidence((text, "plain cue"), span))
        turn = replace(one.verdict.turns[0], votes=(vote,) * 5)
        facts = {
            "turns": (turn,),
            "label": text,
            "source": one.verdict.source._replace(path=text),
            "explanation": Explanation(1, text, span),
        }
        judged.append(renamed(one, text, **facts)._replace(quotes={span: text}))
    problems = [Problem(Severity.ERROR, text, text, 1, text, 1) for text in HOSTILE]
    report(reports.for_path(file), head, judged, problems)
    return file
