"""The figures that the paper published, in the shape of the ones that stand beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.metrics.figures import Design, Evaluation


@dataclass(frozen=True, slots=True)
class PaperLabel:
    """The paper's figures for one label under one rule; None where it gives none."""

    blocked: int | None = None
    """Conversations blocked."""
    mean_first_block: float | None = None
    prompts: int | None = None
    """Prompts judged parasocial."""
    responses: int | None = None
    prompts_first: int | None = None
    """Conversations first blocked on a prompt."""
    responses_first: int | None = None

    def blocked_turns(self, side: Side) -> int | None:
        """The turns of `side` judged parasocial."""
        return self.prompts if side is Side.PROMPT else self.responses

    def first_blocks(self, side: Side) -> int | None:
        """The conversations first blocked on `side`."""
        return self.prompts_first if side is Side.PROMPT else self.responses_first


@dataclass(frozen=True)
class PaperRule:
    """The paper's figures under one rule."""

    accuracy: float | None
    """A rate between 0 and 1."""
    labels: Mapping[str, PaperLabel]


@dataclass(frozen=True)
class Paper:
    """A published evaluation: where it stands, the log it was made on, and what it found."""

    citation: str
    evaluator: str
    design: Design
    rules: Mapping[str, PaperRule] = field(default_factory=dict)
    """By the rule's name."""

    def compares_with(self, evaluation: Evaluation) -> bool:
        """Whether its log had the shape of this one's, so that the figures may be compared."""
        return self.design == evaluation.design

    def of(self, rule: str, label: str) -> PaperLabel:
        """Its figures for `label` under `rule`, all None where it has none."""
        found = self.rules.get(rule)
        return found.labels.get(label, PaperLabel()) if found else PaperLabel()

    def accuracy(self, rule: str) -> float | None:
        """Its accuracy under `rule`, a rate between 0 and 1."""
        found = self.rules.get(rule)
        return found.accuracy if found else None
