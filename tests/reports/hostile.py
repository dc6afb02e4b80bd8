"""Ids and paths that try to become markup, formulas, links, escapes or another document."""

from dataclasses import replace

from chaperone_cli.domain.conversation import Side, Source
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Evidence, Span, Vote

SPAN = Span(1, 0, 9, Side.PROMPT)
REFUSED = Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
CUED = replace(YES, evidence=Evidence(("attachment", "distress"), SPAN))

NAMES = (
    "<script>alert(1)</script>",
    "]]></failure><x y='",
    '"><img src=x onerror=alert(1)>',
    "&amp;&lt;&#0;",
    "`` ` code` ``| a | b |",
    "\\| escaped \\` tick\\",
    "[link](javascript:alert(1)) ![i](http://x.invalid/i.png)",
    "https://x.invalid/ www.x.invalid a@x.invalid @everyone #1 :boom:",
    "one\ntwo\r\n## three\u2028four",
    "\x00\x07\x1b[31m\x85\ufffe\uffff\ud800",
    "\u202eright to left\u202c \u200bzero",
    "{0} {text}",
    "=cmd()",
    "",
    " ",
    "x" * 500,
)


def blocked(name: str, path: str = "a.jsonl", line: int = 1) -> ConversationVerdict:
    """Gives a conversation that is blocked at its second turn, a response."""
    turns = (
        TurnVerdict(1, Side.PROMPT, Verdict.PASS, (CUED, NO)),
        TurnVerdict(2, Side.RESPONSE, Verdict.BLOCK, (CUED,) * 3),
    )
    return ConversationVerdict(name, Source(path, line), 2, 2, turns)


def undecided(name: str) -> ConversationVerdict:
    """Gives a conversation that abstentions leave open."""
    turn = TurnVerdict(1, Side.PROMPT, Verdict.UNDECIDED, (CUED, REFUSED))
    return ConversationVerdict(name, Source("a.jsonl", 2), 1, 1, (turn,))


def empty(name: str) -> ConversationVerdict:
    """Gives a conversation without any turn."""
    return ConversationVerdict(name, Source("a.jsonl", 3), 0, 0, ())
