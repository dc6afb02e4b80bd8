"""What several formats say in the same words: of verdicts, their evidence, and a run's totals."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from chaperone_cli.codec.verdict import shorten
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.cost import Spend
from chaperone_cli.domain.run import RunHeader, Summary
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.domain.vote import Answer, Span, Vote
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import percent, plural

ORDER = (Verdict.BLOCK, Verdict.UNDECIDED, Verdict.PASS)
"""Verdicts as reports list them, the gravest first."""
WORDS = {Verdict.BLOCK: "BLOCK", Verdict.UNDECIDED: "undecided", Verdict.PASS: "pass"}
SCREENED_OUT = "screened out"
"""Stands for the verdict of a conversation that passes without a vote."""
NO_TURN = "without a turn to vote on"
"""Stands for the verdict of a conversation of which nothing could be asked."""
CUT_SHORT = "cut short"
"""Stands for the verdict of a conversation that the run was cut short in before any block."""
PAST = {Verdict.BLOCK: "blocked", Verdict.UNDECIDED: "undecided", Verdict.PASS: "passed"}

K = TypeVar("K")
T = TypeVar("T")


class Foremost(Generic[K, T]):
    """Keeps the first `most` items of each kind; `kinds` come in the order they are shown in."""

    def __init__(self, kinds: Iterable[K], most: int) -> None:
        self._most = most
        self._kept: dict[K, list[T]] = {kind: [] for kind in kinds}

    def wants(self, kind: K) -> bool:
        """Whether one more item of `kind` would be kept."""
        return kind in self._kept and len(self._kept[kind]) < self._most

    def add(self, kind: K, item: T) -> None:
        """Keeps `item`, if it is among the first of its kind."""
        if self.wants(kind):
            self._kept[kind].append(item)

    def shown(self) -> list[T]:
        """The first `most` items of all kinds together."""
        return [item for kept in self._kept.values() for item in kept][: self._most]


# Verdicts


def word(verdict: ConversationVerdict) -> str:
    """The verdict in a word or two, or what stands for it where it says nothing."""
    if verdict.empty:
        return "no turn"
    if verdict.partial and verdict.verdict is not Verdict.BLOCK:
        return CUT_SHORT
    return SCREENED_OUT if verdict.wholly_screened_out else WORDS[verdict.verdict]


def past(verdict: ConversationVerdict) -> str:
    """What is said of a conversation where it is counted with others."""
    return NO_TURN if verdict.empty else PAST[verdict.verdict]


def unasked(verdict: ConversationVerdict) -> bool:
    """Whether no vote was asked for, so that the verdict says nothing of the conversation."""
    return verdict.wholly_screened_out or verdict.empty


# Evidence


def cues(votes: Iterable[Vote]) -> list[str]:
    """Names of the cues behind `votes`, each once, in the order of the votes."""
    named = (cue for vote in votes if vote.evidence is not None for cue in vote.evidence.cues)
    return list(dict.fromkeys(named))


def yes_spans(turn: TurnVerdict) -> Counter[Span]:
    """The stretches behind the yes votes on `turn`, counted, in the order of their passes."""
    found = (vote.evidence for vote in turn.votes if vote.answer is Answer.YES)
    return Counter(one.span for one in found if one is not None and one.span is not None)


def deciding(turn: TurnVerdict) -> Span | None:
    """The stretch that decided most yes votes on `turn`, the first of several."""
    spans = yes_spans(turn)
    return max(spans, key=spans.__getitem__, default=None)


def evidence(verdict: ConversationVerdict) -> Span | None:
    """The stretch that decided most yes votes on the first block, else the explained one."""
    voted = deciding(verdict.first_block) if verdict.first_block else None
    explained = verdict.explanation.span if verdict.explanation is not None else None
    return voted or explained


def place(span: Span) -> str:
    """Where `span` stands and whose words it is: the first block may be the other side's."""
    return f"turn {span.turn}" if span.side is None else f"turn {span.turn}, {span.side}"


def quote(span: Span | None, quotes: Quotes) -> str:
    """The text of `span`, short enough for a report; empty where nobody asked for quotes."""
    return shorten(quotes[span]) if span is not None and span in quotes else ""


def cut_short(verdict: ConversationVerdict) -> str:
    """Where the run ended in a conversation that it was cut short in, after `the run`."""
    last = max((turn.turn for turn in verdict.in_order), default=0)
    return f"was cut short after turn {last}" if last else "was cut short before its first turn"


def reason(verdict: ConversationVerdict) -> str:
    """The explanation of the first block; empty where there is none."""
    return verdict.explanation.reason if verdict.explanation is not None else ""


@dataclass(frozen=True)
class Row:
    """What a table says of one conversation, without the votes on its turns."""

    conversation: str
    label: str
    verdict: Verdict
    word: str
    """What the column of verdicts says."""
    unasked: bool
    partial: bool
    """Whether the run was cut short in it."""
    first: TurnVerdict | None
    turns: int
    """All its turns, judged or not."""
    evidence: Span | None
    """The stretch of text that weighed most in the first block."""
    quote: str
    """What it says, where quotes were asked for."""
    reason: str
    """Why it was blocked, where the run asked for explanations."""

    @classmethod
    def of(cls, verdict: ConversationVerdict, quotes: Quotes) -> "Row":
        """The row of `verdict`."""
        return cls(
            verdict.conversation,
            verdict.label or "",
            verdict.verdict,
            word(verdict),
            unasked(verdict),
            verdict.partial,
            verdict.first_block,
            verdict.turns_total,
            evidence(verdict),
            quote(evidence(verdict), quotes),
            reason(verdict),
        )


# A run: its header and totals


def evaluator(header: RunHeader) -> str:
    """Who voted, by name and version."""
    return f"{header.evaluator} {header.evaluator_version}".strip()


def first_blocks(summary: Summary) -> str:
    """The first blocking turns by side; empty where nothing was blocked."""
    sides = summary.attribution
    return ", ".join(plural(sides[side], side) for side in Side) if sides.total() else ""


def in_part(summary: Summary) -> str:
    """How many conversations the run was cut short in, as the end of a sentence."""
    return f", {summary.partial:,} of them in part" if summary.partial else ""


def without_turn(summary: Summary) -> str:
    """What follows the counts of verdicts where conversations have no turn to vote on."""
    return f", {summary.empty:,} {NO_TURN}" if summary.empty else ""


def screened_out(summary: Summary) -> str:
    """What a screen kept from the vote; empty for a run without one."""
    found = summary.screened_out
    if found is None:
        return ""
    turns, votes = found.turns.total(), found.votes(summary.passes)
    kept = (
        f"{turns:,} of {plural(summary.turns_selected, 'turn')} "
        f"({percent(turns, summary.turns_selected)}), {plural(votes, 'vote')} "
        "of those saved"
    )
    whole = plural(found.conversations, "conversation")
    return f"{kept}; {whole} as a whole" if found.conversations else kept


def tampering(summary: Summary) -> str:
    """Where tampering is suspected, in numbers; empty where it is not."""
    if not summary.tampering:
        return ""
    turns = plural(summary.tampering_turns, "turn")
    return f"suspected at {turns} of {plural(summary.tampering, 'conversation')}"


def agreement(summary: Summary) -> str:
    """How far the votes agree and what they are worth; empty where each stands alone."""
    if summary.passes == 1 or not summary.turns_judged.total():
        return ""
    found = summary.pairs.figures()
    if not found.turns:
        return "known only where all votes are cast, with --all-votes"
    over = f"({plural(found.turns, 'turn')})"
    if not found.alike.total:
        return f"not known: no two votes on the same turn say yes or no {over}"
    alike = f"{percent(found.alike.count, found.alike.total)} of pairs"
    if (worth := found.independent_votes) is None:
        return f"{alike}; too few answers vary to say what {summary.passes} votes are worth {over}"
    return f"{alike}; {summary.passes} votes worth {worth:.1f} independent ones {over}"


def calls(spend: Spend | None) -> str:
    """What calls took and cost; empty where none could be made."""
    if spend is None:
        return ""
    tokens = spend.tokens
    failed = f", {spend.failed:,} failed" if spend.failed else ""
    return (
        f"{plural(spend.calls, 'call')}{failed}, {tokens.prompt:,} input tokens "
        f"({percent(tokens.read, tokens.prompt)} from the cache), {tokens.output:,} output, "
        f"{spend.shown_dollars}"
    )
