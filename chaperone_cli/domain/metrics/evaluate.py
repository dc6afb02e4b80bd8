"""Streams verdicts into an `Evaluation`, keeping counts and none of the votes."""

from collections import Counter
from collections.abc import Iterable

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.metrics.agreement import Agreement
from chaperone_cli.domain.metrics.counting import RuleCount
from chaperone_cli.domain.metrics.figures import Design, Evaluation
from chaperone_cli.domain.metrics.pairs import PairCount
from chaperone_cli.domain.rule import RULES, Rule
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.domain.vote import Tally
from chaperone_cli.errors import UsageError


class EvaluationBuilder:
    """Adds up conversations whose judged turns have all N votes.

    `positive` is the rubric's label: its conversations should be blocked, and all others should
    not. `rule` is the run's own; it is added to the named ones where it is a number. Raises
    UsageError where it needs more than `passes` votes.
    """

    def __init__(self, passes: int, rule: Rule, positive: str) -> None:
        self._passes = passes
        self._positive = positive
        rules = RULES if rule in RULES else (*RULES, rule)
        self._rules = tuple(RuleCount(each, passes, positive) for each in rules)
        self._tallies: Counter[Tally] = Counter()
        self._pairs = PairCount()
        self._labels: Counter[str | None] = Counter()
        self._turns: set[int] = set()
        self._alternating = True
        self._unjudged = self._turns_unjudged = 0

    def add(self, conversation: ConversationVerdict) -> None:
        """Counts one conversation; raises UsageError where one of its turns lacks votes."""
        self._check(conversation)
        self._labels[conversation.label or None] += 1
        self._turns.add(len(conversation.turns))
        self._alternating = self._alternating and _alternates(conversation)
        self._unjudged += not conversation.turns
        self._turns_unjudged += conversation.turns_selected - len(conversation.turns)
        self._tallies.update(turn.tally for turn in conversation.turns)
        for turn in conversation.turns:
            self._pairs.add(turn.votes)
        if conversation.turns:
            for count in self._rules:
                count.add(conversation)

    def evaluation(self) -> Evaluation:
        """The figures of all conversations so far."""
        return Evaluation(
            passes=self._passes,
            rules=tuple(count.figures() for count in self._rules),
            conversations=self._labels.total(),
            unlabelled=self._labels[None],
            unjudged=self._unjudged,
            turns_unjudged=self._turns_unjudged,
            agreement=Agreement.of(self._tallies, self._pairs.figures()),
            design=self._design(),
        )

    def _design(self) -> Design:
        by_label = sorted(self._labels.items(), key=lambda item: (item[0] is None, item[0] or ""))
        labels = tuple((label, count) for label, count in by_label if count)
        return Design(
            self._positive, self._passes, labels, tuple(sorted(self._turns)), self._alternating
        )

    def _check(self, conversation: ConversationVerdict) -> None:
        for turn in conversation.turns:
            if (count := len(turn.votes)) != self._passes:
                raise UsageError(
                    f"turn {turn.turn} of conversation {conversation.conversation!r} has "
                    f"{count} {'vote' if count == 1 else 'votes'}, but an evaluation needs "
                    f"{self._passes} on each turn",
                    hint="record the missing votes, or ask for fewer with --votes",
                )


def _alternates(conversation: ConversationVerdict) -> bool:
    """Whether prompts and responses take turns, prompts first, and every turn was judged."""
    sides = tuple(turn.side for turn in conversation.turns)
    expected = tuple(Side.RESPONSE if n % 2 else Side.PROMPT for n in range(len(sides)))
    return sides == expected and len(sides) == conversation.turns_total


def evaluate(
    verdicts: Iterable[ConversationVerdict], passes: int, rule: Rule, positive: str = "parasocial"
) -> Evaluation:
    """All figures of `verdicts`, each of whose judged turns has `passes` votes.

    Raises UsageError where a turn has another number of votes, or `rule` needs more than `passes`.
    """
    builder = EvaluationBuilder(passes, rule, positive)
    for verdict in verdicts:
        builder.add(verdict)
    return builder.evaluation()
