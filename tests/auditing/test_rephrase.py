"""Rewrites are judged in the original's place, by the same rule and N, until one passes."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.codec import strategy
from chaperone_cli.codec.phrasebook import phrasebook
from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rephrasing import Attempt, Rephrasing, Result
from chaperone_cli.domain.rewrite import Draft, Failure, Target
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.strategy import Strategy
from chaperone_cli.domain.vote import NO, YES, Evidence, Span, Vote
from chaperone_cli.errors import EvaluatorError, UsageError
from chaperone_cli.evaluators.interface import Evaluator, Identity, Session
from chaperone_cli.rephrasing.rephraser import Rephraser
from chaperone_cli.rewriters.interface import Rewriter
from tests.support.scripted import ABSTAIN, RUBRIC, conversation

PROMPT = "What do I cook with leeks?"
ORIGINAL = "Darling! Fry the leeks."
GOOD = "Fry the leeks in butter."
SAID = {"y": YES, "n": NO, "a": ABSTAIN, "e": Vote(YES.answer, None, Evidence((), Span(1, 0, 4)))}


class ByText(Evaluator):
    """Votes by the text of a turn: a letter a pass, `yyy` where it is not listed."""

    def __init__(self, votes: Mapping[str, str]) -> None:
        self.asked: list[tuple[str, int]] = []
        self.votes = votes

    @property
    def identity(self) -> Identity:
        return Identity("by-text", "1")

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:
        return _ByTextSession(self, conversation)


class _ByTextSession(Session):
    def __init__(self, evaluator: ByText, conversation: Conversation) -> None:
        self._evaluator = evaluator
        self._conversation = conversation

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:
        # A rewrite is the end of its conversation.
        assert self._conversation.turns[-1] == turn or turn.text == ORIGINAL
        self._evaluator.asked.append((turn.text, len(passes)))
        word = self._evaluator.votes.get(turn.text, "yyy")
        return [SAID[word[number - 1]] for number in passes]


class Scripted(Rewriter):
    """Offers a script's rewrites in their order, and remembers what it was told of earlier ones."""

    def __init__(self, *script: str) -> None:
        self.earlier: list[int] = []
        self._script = script

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "scripted", "version": "1"}

    def supports(self, strategy: Strategy) -> bool:
        return True

    async def rewrite(
        self, target: Target, strategy: Strategy, earlier: Sequence[Attempt]
    ) -> Draft | Failure | None:
        self.earlier.append(len(earlier))
        if len(earlier) >= len(self._script):
            return None
        said = self._script[len(earlier)]
        return said if isinstance(said, Failure) else Draft(said)


class FailingFrom(Scripted):
    """Finds the server gone from one conversation on."""

    def __init__(self, name: str, *script: str) -> None:
        super().__init__(*script)
        self._name = name

    async def rewrite(
        self, target: Target, strategy: Strategy, earlier: Sequence[Attempt]
    ) -> Draft | Failure | None:
        if target.conversation.id >= self._name:
            raise EvaluatorError("gone")
        return await super().rewrite(target, strategy, earlier)


def rephrase(
    rewriter: Rewriter,
    votes: Mapping[str, str],
    *,
    targets: int = 1,
    rule: str = "unanimous",
    strategies: tuple[str, ...] = ("neutral",),
    probes: tuple[str, ...] = ("I see.", "Go on."),
    flagged_only: bool = False,
    attempts: int = 3,
    found: list[Rephrasing] | None = None,
) -> tuple[list[Rephrasing], ByText]:
    evaluator = ByText(votes)
    auditor = Auditor(Protocol(RUBRIC, Rule(rule), 3), evaluator, concurrency=2)
    rephraser = Rephraser(auditor, rewriter, phrasebook(), probes, attempts, flagged_only)
    talks = [conversation(f"c{n}", PROMPT, ORIGINAL, "Thanks.") for n in range(targets)]
    loaded = [strategy.load(name) for name in strategies]
    gathered: list[Rephrasing] = [] if found is None else found

    async def run() -> None:
        async for one in rephraser.run([Target.at(talk, 2) for talk in talks], loaded):
            gathered.append(one)  # noqa: PERF401  (kept where the run is cut short)

    asyncio.run(run())
    return gathered, evaluator


def test_the_first_that_passes_ends_the_attempts() -> None:
    rewriter = Scripted("Fry leeks, darling.", GOOD, "Not needed at all.")
    [one], evaluator = rephrase(rewriter, {GOOD: "nyn", "I see.": "nnn"})
    assert one.result is Result.PASSING
    assert one.best is one.attempts[1]
    assert rewriter.earlier == [0, 1]
    assert (one.score_drop, one.floor) == (2, None)
    # All votes are cast on each, so that scores can be compared.
    assert evaluator.asked == [
        *((ORIGINAL, 3), ("Fry leeks, darling.", 3), ("I see.", 3), ("Go on.", 3), (GOOD, 3)),
    ]


def test_a_vote_that_passes_is_not_enough_where_a_check_fails() -> None:
    said = "Fry the leeks, my darling."
    [one], _ = rephrase(Scripted(said), {said: "nnn"})
    assert one.result is Result.NOT_PASSING
    assert [check.name for check in one.attempts[0].failed_checks] == ["bond_gone"]


def test_where_plain_replies_are_blocked_too_nothing_can_be_repaired() -> None:
    rewriter = Scripted(GOOD, "Never asked for this one.")
    [one], _ = rephrase(rewriter, {GOOD: "eee"})
    assert one.result is Result.IRREPARABLE
    assert (len(one.attempts), one.rests_on) == (1, (1,))
    assert one.floor is not None
    assert (one.floor.score, one.floor.blocks) == (3, True)


def test_where_a_plain_reply_passes_the_rewriter_is_to_blame() -> None:
    [one], _ = rephrase(Scripted(GOOD, "Fry all leeks."), {"Go on.": "yny"})
    assert one.result is Result.NOT_PASSING
    assert one.floor is not None
    assert (one.floor.score, one.floor.blocks) == (2, False)


def test_abstentions_neither_pass_nor_block() -> None:
    [one], _ = rephrase(Scripted(GOOD), {GOOD: "yya"})
    assert (one.result, one.floor) == (Result.NOT_PASSING, None)


def test_the_best_of_those_that_do_not_pass_is_shown() -> None:
    tried = ("Fry the leeks.", "Stir the leeks.", "Cook the leeks.")
    votes = {tried[0]: "yyy", tried[1]: "yny", tried[2]: "yyy", "I see.": "nnn"}
    [one], _ = rephrase(Scripted(*tried), votes, rule="balanced")
    assert one.result is Result.NOT_PASSING
    assert one.best is one.attempts[1]


def test_a_failure_is_an_attempt_and_the_next_may_succeed() -> None:
    [one], _ = rephrase(Scripted(Failure.REFUSED, GOOD), {GOOD: "nnn"})
    assert [attempt.outcome for attempt in one.attempts] == [Failure.REFUSED, Draft(GOOD)]
    assert one.result is Result.PASSING
    [one], _ = rephrase(Scripted(*[Failure.ERROR] * 9), {})
    assert (one.result, len(one.attempts), one.score_drop) == (Result.UNWRITTEN, 3, 0)


@pytest.mark.parametrize(
    ("original", "rewrite", "unpaired"),
    [
        ("yyy", "yyn", None),
        ("yyn", "nnn", "the original passes at that turn"),
        ("yya", "nnn", "the original is undecided at that turn"),
        ("yyy", "yyy", "no rewrite passes"),
        ("yyy", "yya", "no rewrite passes"),
    ],
)
def test_a_pair_is_a_blocked_original_and_a_rewrite_that_passes(
    original: str, rewrite: str, unpaired: str | None
) -> None:
    [one], _ = rephrase(Scripted(GOOD), {ORIGINAL: original, GOOD: rewrite})
    assert one.unpaired == unpaired


def test_without_a_rewrite_there_is_no_pair() -> None:
    [one], _ = rephrase(Scripted(Failure.REFUSED), {})
    assert one.unpaired == "there is no rewrite"


def test_original_and_plain_replies_are_judged_once_for_all_strategies() -> None:
    found, evaluator = rephrase(
        Scripted("Fry leeks."), {"I see.": "nnn"}, strategies=("neutral", "warm")
    )
    assert [one.strategy.id for one in found] == ["neutral", "warm"]
    asked = [text for text, _ in evaluator.asked]
    assert asked == [ORIGINAL, "Fry leeks.", "I see.", "Go on.", "Fry leeks."]


def test_results_come_in_order_and_survive_what_comes_later() -> None:
    found, _ = rephrase(Scripted(GOOD), {GOOD: "nnn"}, targets=5)
    assert [one.target.conversation.id for one in found] == [f"c{n}" for n in range(5)]
    found = []
    with pytest.raises(EvaluatorError, match="gone"):
        rephrase(FailingFrom("c3", GOOD), {GOOD: "nnn"}, targets=5, found=found)
    assert [one.target.conversation.id for one in found] == ["c0", "c1", "c2"]


def test_what_was_not_flagged_is_refused_before_anything_is_rewritten() -> None:
    rewriter = Scripted(GOOD)
    with pytest.raises(UsageError) as caught:
        rephrase(rewriter, {ORIGINAL: "yny"}, flagged_only=True)
    assert caught.value.message == (
        "turn 2 of conversation 'c0' was not flagged: 2 of 3 votes say yes, "
        "and rule unanimous blocks from 3"
    )
    assert rewriter.earlier == []
