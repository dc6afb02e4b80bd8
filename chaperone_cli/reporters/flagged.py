"""What decided a first block, for reports that name one passage and one reason."""

from chaperone_cli.codec.verdict import shorten
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.domain.vote import Answer, Span
from chaperone_cli.reporters.interface import Quotes


def cues(verdict: ConversationVerdict) -> list[str]:
    """Names the cues behind the votes on the first block, each once, in the order of the votes."""
    votes = verdict.first_block.votes if verdict.first_block else ()
    named = (cue for vote in votes if vote.evidence is not None for cue in vote.evidence.cues)
    return list(dict.fromkeys(named))


def quote(verdict: ConversationVerdict, quotes: Quotes) -> str:
    """Gives the text that decided most yes votes, else the explained one; empty without quotes."""
    votes = verdict.first_block.votes if verdict.first_block else ()
    weights: dict[Span, int] = {}
    for vote in votes:
        span = vote.evidence.span if vote.evidence is not None else None
        if vote.answer is Answer.YES and span is not None and span in quotes:
            weights[span] = weights.get(span, 0) + 1
    if weights:
        return shorten(quotes[max(weights, key=lambda span: weights[span])])
    explained = verdict.explanation.span if verdict.explanation is not None else None
    return shorten(quotes[explained]) if explained is not None and explained in quotes else ""


def reason(verdict: ConversationVerdict) -> str:
    """Gives the explanation of the first block; empty where there is none."""
    return verdict.explanation.reason if verdict.explanation is not None else ""
