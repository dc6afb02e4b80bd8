"""What `chaperone evaluate` finds: figures per rule, per label and over all votes."""

from collections.abc import Iterable
from dataclasses import dataclass

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.metrics.agreement import Agreement
from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.proportion import Proportion
from chaperone_cli.domain.rule import Rule


@dataclass(frozen=True, slots=True)
class SideFigures:
    """The turns of one side, in the conversations of one label, under one rule."""

    judged: int
    blocked: int
    """Turns on which the vote is that the rubric's label holds."""
    undecided: int
    first_blocks: int
    """Conversations whose first blocking turn comes from this side."""


@dataclass(frozen=True)
class LabelFigures:
    """The conversations of one label under one rule."""

    label: str
    blocked: Proportion
    """Conversations with a blocking turn, of all."""
    undecided: int
    """Conversations with an undecided turn and no blocking one; they count as not blocked."""
    undecided_before_block: int
    """Blocked conversations with an undecided turn before the first blocking one."""
    first_block: Distribution
    """First blocking turns, numbered from 1."""
    prompts: SideFigures
    responses: SideFigures

    def side(self, side: Side) -> SideFigures:
        """The figures of `side`."""
        return self.prompts if side is Side.PROMPT else self.responses


@dataclass(frozen=True)
class Lag:
    """How many turns after `onset` the conversations of the rubric's label are first blocked."""

    turns: Distribution
    """First blocking turn less onset; negative where the block came early."""
    never: int
    """Conversations with an onset that are never blocked."""

    @property
    def conversations(self) -> int:
        """Conversations of the rubric's label that have an onset."""
        return self.turns.size + self.never


@dataclass(frozen=True)
class RuleFigures:
    """Everything that depends on the rule."""

    rule: Rule
    positive: str
    """The rubric's label: its conversations should be blocked, and all others should not."""
    threshold: int
    """k, the yes votes that block a turn."""
    labels: tuple[LabelFigures, ...]
    lag: Lag
    votes_needed: int
    """With early stopping, on all judged turns, labelled or not."""
    votes_until_block: int
    """With early stopping, leaving each conversation at its first blocking turn."""

    @property
    def accuracy(self) -> Proportion:
        """Labelled conversations that are blocked if and only if they carry the rubric's label."""
        wrong = self._positives.total - self._positives.count + self._false_alarms
        total = sum(figures.blocked.total for figures in self.labels)
        return Proportion(total - wrong, total)

    @property
    def precision(self) -> Proportion:
        """Conversations of the rubric's label, of the labelled ones that are blocked."""
        hits = self._positives.count
        return Proportion(hits, hits + self._false_alarms)

    @property
    def recall(self) -> Proportion:
        """Blocked conversations, of those of the rubric's label."""
        return self._positives

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None without any positive or any block."""
        sizes = self.precision.total + self.recall.total
        return 2 * self._positives.count / sizes if sizes else None

    @property
    def undecided(self) -> int:
        """Labelled conversations that stay undecided."""
        return sum(figures.undecided for figures in self.labels)

    @property
    def undecided_before_block(self) -> int:
        """Labelled conversations with an undecided turn before the first blocking one."""
        return sum(figures.undecided_before_block for figures in self.labels)

    @property
    def _positives(self) -> Proportion:
        return _pooled(figures.blocked for figures in self.labels if figures.label == self.positive)

    @property
    def _false_alarms(self) -> int:
        return _pooled(
            figures.blocked for figures in self.labels if figures.label != self.positive
        ).count


def _pooled(parts: Iterable[Proportion]) -> Proportion:
    parts = tuple(parts)
    return Proportion(sum(part.count for part in parts), sum(part.total for part in parts))


@dataclass(frozen=True)
class Design:
    """The shape of a log, which decides whether its figures can stand beside another's."""

    positive: str
    """The rubric's label."""
    passes: int
    """N, the votes on each turn."""
    labels: tuple[tuple[str | None, int], ...]
    """Pairs of a label and its conversations, by label; None for conversations without one."""
    turns: tuple[int, ...]
    """The numbers of judged turns that conversations have, rising, each once."""
    alternating: bool
    """Every conversation starts with a prompt, its sides alternate, and every turn was judged."""


@dataclass(frozen=True)
class Evaluation:
    """What the votes on a labelled log say about the evaluator that cast them."""

    passes: int
    """N, the votes on each turn."""
    rules: tuple[RuleFigures, ...]
    """The named rules by rising sensitivity, then the run's own if it is a number."""
    conversations: int
    """All conversations."""
    unlabelled: int
    """Conversations that carry no label, which are in no figure that needs one."""
    unjudged: int
    """Conversations without any judged turn, which are in no figure at all."""
    turns_unjudged: int
    """Turns that were to be judged and were not."""
    agreement: Agreement
    design: Design

    @property
    def votes_cast(self) -> int:
        """N votes on each judged turn."""
        return self.passes * self.agreement.turns
