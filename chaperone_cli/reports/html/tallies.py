"""What the charts show, counted as the verdicts come; memory does not grow with the log."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.reports.html.rows import all_cues

MOST_TURNS = 2000
"""Turn numbers counted one by one; what lies beyond is counted together, one number higher."""
MOST_NAMES = 1000
"""Labels and cues counted one by one; conversations of later ones are counted as OTHERS."""
OTHERS = "(others)"


@dataclass
class Mean:
    """A mean under way."""

    total: int = 0
    count: int = 0

    def add(self, value: int) -> None:
        """Takes one value."""
        self.total += value
        self.count += 1

    @property
    def value(self) -> float | None:
        """The mean, None of nothing."""
        return self.total / self.count if self.count else None


@dataclass
class Tallies:
    """Counts over the conversations added so far."""

    first_blocks: dict[Side, Counter[int]] = field(
        default_factory=lambda: {side: Counter() for side in Side}
    )
    """Conversations by first blocking turn and its side."""
    first: Mean = field(default_factory=Mean)
    """The first blocking turns under the run's rule."""
    first_by_rule: dict[str, Mean] = field(default_factory=lambda: defaultdict(Mean))
    """The first blocking turns under each named rule."""
    scores: dict[Verdict, dict[int, Mean]] = field(
        default_factory=lambda: {verdict: defaultdict(Mean) for verdict in Verdict}
    )
    """Scores by the conversation's verdict and the turn's number."""
    labels: dict[str, Counter[Verdict]] = field(default_factory=lambda: defaultdict(Counter))
    cues: Counter[str] = field(default_factory=Counter)
    """Conversations in which a vote names the cue."""

    def add(self, verdict: ConversationVerdict) -> None:
        """Counts one conversation."""
        if verdict.first_block is not None:
            first = verdict.first_block
            self.first_blocks[first.side][_bounded(first.turn)] += 1
            self.first.add(first.turn)
        for rule, turn in verdict.first_blocks.items():
            if turn is not None:
                self.first_by_rule[rule].add(turn)
        scores = self.scores[verdict.verdict]
        for judged in verdict.turns:
            scores[_bounded(judged.turn)].add(judged.score)
        if verdict.label is not None:
            self.labels[_known(verdict.label, self.labels)][verdict.verdict] += 1
        self.cues.update(list(dict.fromkeys(_known(cue, self.cues) for cue in all_cues(verdict))))


def _bounded(turn: int) -> int:
    return min(turn, MOST_TURNS + 1)


def _known(name: str, names: dict[str, Counter[Verdict]] | Counter[str]) -> str:
    return name if name in names or len(names) < MOST_NAMES else OTHERS
