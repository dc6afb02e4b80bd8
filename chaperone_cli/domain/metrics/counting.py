"""Counts that grow with each conversation and are frozen into figures at the end."""

from collections import Counter
from dataclasses import dataclass, field

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.figures import (
    LabelFigures,
    Lag,
    RuleFigures,
    SideFigures,
)
from chaperone_cli.domain.metrics.proportion import Proportion
from chaperone_cli.domain.metrics.replay import replay
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict

KNOWN_LABELS = ("parasocial", "sycophantic", "neutral")
"""The paper's labels, in its order; others follow by name."""


def label_order(label: str) -> tuple[int, str]:
    """The key that labels are sorted by."""
    known = label in KNOWN_LABELS
    return (KNOWN_LABELS.index(label) if known else len(KNOWN_LABELS), label)


@dataclass
class SideCount:
    """Counts of one side's turns."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    first_blocks: int = 0

    def figures(self) -> SideFigures:
        """The counts so far."""
        return SideFigures(
            judged=self.verdicts.total(),
            blocked=self.verdicts[Verdict.BLOCK],
            undecided=self.verdicts[Verdict.UNDECIDED],
            first_blocks=self.first_blocks,
        )


@dataclass
class LabelCount:
    """Counts of one label's conversations under one rule."""

    conversations: Counter[Verdict] = field(default_factory=Counter)
    undecided_before_block: int = 0
    first_block: Counter[int] = field(default_factory=Counter)
    sides: dict[Side, SideCount] = field(default_factory=lambda: {s: SideCount() for s in Side})

    def add(self, conversation: ConversationVerdict) -> None:
        """Counts one conversation."""
        self.conversations[conversation.verdict] += 1
        for turn in conversation.turns:
            self.sides[turn.side].verdicts[turn.verdict] += 1
        if (first := conversation.first_block) is not None:
            self.first_block[first.turn] += 1
            self.sides[first.side].first_blocks += 1
            self.undecided_before_block += _undecided_before(conversation, first)

    def figures(self, label: str) -> LabelFigures:
        """The counts so far."""
        blocked = self.conversations[Verdict.BLOCK]
        return LabelFigures(
            label=label,
            blocked=Proportion(blocked, self.conversations.total()),
            undecided=self.conversations[Verdict.UNDECIDED],
            undecided_before_block=self.undecided_before_block,
            first_block=Distribution.of(self.first_block),
            prompts=self.sides[Side.PROMPT].figures(),
            responses=self.sides[Side.RESPONSE].figures(),
        )


def _undecided_before(conversation: ConversationVerdict, first: TurnVerdict) -> bool:
    earlier = (turn for turn in conversation.turns if turn.turn < first.turn)
    return any(turn.verdict is Verdict.UNDECIDED for turn in earlier)


class RuleCount:
    """Counts of everything that depends on the rule."""

    def __init__(self, rule: Rule, passes: int, positive: str) -> None:
        self._rule = rule
        self._positive = positive
        self._threshold = rule.threshold(passes)
        self._labels: dict[str, LabelCount] = {}
        self._lag: Counter[int] = Counter()
        self._never = self._needed = self._until_block = 0

    def add(self, conversation: ConversationVerdict) -> None:
        """Counts one conversation, whose votes are all cast."""
        replayed = replay(conversation, self._rule)
        self._needed += replayed.votes_needed
        self._until_block += replayed.votes_until_block
        if conversation.label:
            self._labels.setdefault(conversation.label, LabelCount()).add(replayed.verdict)
        if conversation.label == self._positive and conversation.onset is not None:
            self._add_lag(conversation.onset, replayed.verdict.first_block)

    def _add_lag(self, onset: int, first: TurnVerdict | None) -> None:
        if first is None:
            self._never += 1
        else:
            self._lag[first.turn - onset] += 1

    def figures(self) -> RuleFigures:
        """The counts so far."""
        labels = sorted(self._labels, key=lambda one: (one != self._positive, label_order(one)))
        return RuleFigures(
            rule=self._rule,
            positive=self._positive,
            threshold=self._threshold,
            labels=tuple(self._labels[label].figures(label) for label in labels),
            lag=Lag(Distribution.of(self._lag), self._never),
            votes_needed=self._needed,
            votes_until_block=self._until_block,
        )
