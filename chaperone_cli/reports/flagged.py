"""What decided a first block, for reports that name one passage and one reason."""

from collections import Counter

from chaperone_cli.codec.verdict import shorten
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict
from chaperone_cli.domain.vote import Answer, Span
from chaperone_cli.reports.interface import Quotes


def cues(verdict: ConversationVerdict) -> list[str]:
    """Names the cues behind the votes on the first block, each once, in the order of the votes."""
    votes = verdict.first_block.votes if verdict.first_block else ()
    named = (cue for vote in votes if vote.evidence is not None for cue in vote.evidence.cues)
    return list(dict.fromkeys(named))


def deciding(turn: TurnVerdict) -> Span | None:
    """Gives the stretch that decided most yes votes on `turn`, the first of several."""
    yes = (vote.evidence for vote in turn.votes if vote.answer is Answer.YES)
    spans = Counter(found.span for found in yes if found is not None and found.span is not None)
    return max(spans, key=spans.__getitem__, default=None)


def evidence(verdict: ConversationVerdict) -> Span | None:
    """Gives the stretch that decided most yes votes on the first block, else the explained one."""
    voted = deciding(verdict.first_block) if verdict.first_block else None
    explained = verdict.explanation.span if verdict.explanation is not None else None
    return voted or explained


def place(span: Span) -> str:
    """Says where `span` stands and whose words it is: the first block may be the other side's."""
    return f"turn {span.turn}" if span.side is None else f"turn {span.turn}, {span.side}"


def quote(span: Span | None, quotes: Quotes) -> str:
    """Gives the text of `span`, short enough for a report; empty where nobody asked for quotes."""
    return shorten(quotes[span]) if span is not None and span in quotes else ""


def reason(verdict: ConversationVerdict) -> str:
    """Gives the explanation of the first block; empty where there is none."""
    return verdict.explanation.reason if verdict.explanation is not None else ""
