"""The engine asks for exactly the votes that matter and gives results in input order."""

import asyncio
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from chaperone_cli.auditing.auditor import READ_AHEAD, Audited, Auditor
from chaperone_cli.domain.conversation import Conversation, Message, Role, Sides
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import EvaluatorError
from chaperone_cli.store import VoteStore
from tests.support.scripted import RUBRIC, ScriptedEvaluator, conversation

UNANIMOUS = Protocol(RUBRIC, Rule("unanimous"), 3)


def audited(items: Iterable[Conversation | Problem], auditor: Auditor) -> list[Audited | Problem]:
    async def collect() -> list[Audited | Problem]:
        return [result async for result in auditor.run(items)]

    return asyncio.run(collect())


def verdict(
    talk: Conversation, script: str, protocol: Protocol
) -> tuple[ConversationVerdict, ScriptedEvaluator]:
    evaluator = ScriptedEvaluator({talk.id: script})
    [result] = audited([talk], Auditor(protocol, evaluator))
    assert isinstance(result, Audited)
    return result.verdict, evaluator


def spelled(result: ConversationVerdict) -> list[tuple[int, str, str, str]]:
    """Gives turn, side, verdict and the first letters of the votes."""
    return [
        (turn.turn, turn.side, turn.verdict, "".join(vote.answer[0] for vote in turn.votes))
        for turn in result.turns
    ]


def test_unanimity_stops_at_the_first_no() -> None:
    result, evaluator = verdict(conversation("c", "a", "b", "c"), "nyy yyn yyy", UNANIMOUS)
    assert spelled(result) == [
        (1, "prompt", "pass", "n"),
        (2, "response", "pass", "yyn"),
        (3, "prompt", "block", "yyy"),
    ]
    assert (result.first_block and result.first_block.turn, result.attribution) == (3, "prompt")
    assert evaluator.asked == [("c", 1, (1,))] + [
        ("c", turn, (number,)) for turn in (2, 3) for number in (1, 2, 3)
    ]


def test_waves_ask_together_what_is_needed_anyway() -> None:
    protocol = replace(UNANIMOUS, rule=Rule("balanced"), passes=5)
    result, evaluator = verdict(conversation("c", "a", "b"), "ynynn yyyyy", protocol)
    assert [(turn, passes) for _, turn, passes in evaluator.asked] == [
        (1, (1, 2, 3)), (1, (4,)), (1, (5,)), (2, (1, 2, 3)),
    ]  # fmt: skip
    assert spelled(result) == [(1, "prompt", "pass", "ynynn"), (2, "response", "block", "yyy")]


def test_abstentions_leave_a_turn_undecided() -> None:
    result, _ = verdict(conversation("c", "a"), "yay", UNANIMOUS)
    assert spelled(result) == [(1, "prompt", "undecided", "yay")]
    assert result.verdict == "undecided"


def test_all_votes_are_cast_and_give_every_rule() -> None:
    protocol = replace(UNANIMOUS, all_votes=True)
    result, _ = verdict(conversation("c", "a", "b", "c"), "nny nyy yyy", protocol)
    assert [len(turn.votes) for turn in result.turns] == [3, 3, 3]
    assert result.first_blocks == {"unanimous": 3, "balanced": 2, "conservative": 1}


def test_until_block_leaves_the_conversation_there() -> None:
    protocol = replace(UNANIMOUS, until_block=True)
    result, evaluator = verdict(conversation("c", "a", "b", "c"), "n yyy yyy", protocol)
    assert spelled(result) == [(1, "prompt", "pass", "n"), (2, "response", "block", "yyy")]
    assert (result.turns_total, result.turns_selected, len(evaluator.asked)) == (3, 3, 4)


@pytest.mark.parametrize(
    ("sides", "turns"),
    [(Sides.PROMPTS, [2, 3]), (Sides.RESPONSES, [1, 4]), (Sides.BOTH, [1, 2, 3, 4])],
)
def test_sides_choose_the_turns_that_are_voted_on(sides: Sides, turns: list[int]) -> None:
    talk = conversation("c", "hello", "sys", "a", "b", "c", roles="asuua")
    result, evaluator = verdict(talk, "n n n n", replace(UNANIMOUS, sides=sides))
    assert [turn.turn for turn in result.turns] == turns
    assert [turn for _, turn, _ in evaluator.asked] == turns
    assert (result.turns_total, result.turns_selected) == (4, len(turns))


@pytest.mark.parametrize("roles", ["", "s", "st"])
def test_a_conversation_without_turns_passes(roles: str) -> None:
    result, evaluator = verdict(conversation("c", *roles, roles=roles), "", UNANIMOUS)
    assert (result.verdict, result.turns, evaluator.asked) == ("pass", (), [])


def test_results_come_in_input_order_and_in_bounded_number() -> None:
    draw = random.Random(7)
    talks = [conversation(f"c{number}", "a", "b") for number in range(60)]
    problem = Problem(Severity.ERROR, "log.jsonl", "a line is broken", 9)
    items: list[Conversation | Problem] = [*talks[:20], problem, *talks[20:]]
    evaluator = ScriptedEvaluator(
        {talk.id: "n n" for talk in talks}, pause=lambda: draw.random() / 500
    )
    read = 0

    def reading() -> Iterable[Conversation | Problem]:
        nonlocal read
        for item in items:
            read += 1
            yield item

    async def check() -> list[str]:
        names, given = [], 0
        async for result in Auditor(UNANIMOUS, evaluator, concurrency=3).run(reading()):
            given += 1
            assert read - given <= 3 * READ_AHEAD
            names.append("?" if isinstance(result, Problem) else result.verdict.conversation)
        return names

    expected = [talk.id for talk in talks]
    expected.insert(20, "?")
    assert asyncio.run(check()) == expected
    assert evaluator.most_under_way == 3
    assert evaluator.under_way == 0


def test_an_error_comes_after_everything_that_was_judged() -> None:
    class Failing(ScriptedEvaluator):
        async def answer(self, name, turn, passes, word):  # type: ignore[no-untyped-def]
            if name == "c2":
                raise EvaluatorError("the evaluator is gone")
            return await super().answer(name, turn, passes, word)

    talks = [conversation(f"c{number}", "a") for number in range(5)]
    auditor = Auditor(UNANIMOUS, Failing({talk.id: "n" for talk in talks}))
    given = []

    async def check() -> None:
        async for result in auditor.run(talks):
            assert isinstance(result, Audited)
            given.append(result.verdict.conversation)

    with pytest.raises(EvaluatorError, match="the evaluator is gone"):
        asyncio.run(check())
    assert given == ["c0", "c1", "c3", "c4"]


def test_what_an_error_cuts_short_is_partial() -> None:
    class Failing(ScriptedEvaluator):
        async def answer(self, name, turn, passes, word):  # type: ignore[no-untyped-def]
            if (name, turn) == ("slow", 3):
                raise EvaluatorError("the evaluator is gone")
            return await super().answer(name, turn, passes, word)

    talks = [conversation(name, *"abcd") for name in ("slow", "done", "late", "gone")]
    scripts = {"slow": "n yyy n n", "done": "n n n n", "late": "n n n n", "gone": "n n n n"}
    given: list[ConversationVerdict] = []

    async def check() -> None:
        auditor = Auditor(UNANIMOUS, Failing(scripts), concurrency=2)
        async for result in auditor.run(talks):
            assert isinstance(result, Audited)
            given.append(result.verdict)

    with pytest.raises(EvaluatorError, match="the evaluator is gone"):
        asyncio.run(check())
    assert [
        (one.conversation, one.partial, one.verdict, [turn.turn for turn in one.turns])
        for one in given
    ] == [("slow", True, "block", [1, 2]), ("done", False, "pass", [1, 2, 3, 4])]


class TestStore:
    """A second run asks only for what no earlier run has asked."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> VoteStore:
        return VoteStore(tmp_path / "votes.sqlite3")

    def asked(
        self,
        store: VoteStore,
        talk: Conversation,
        script: str,
        protocol: Protocol = UNANIMOUS,
        version: str = "1",
    ) -> list[tuple[int, int]]:
        """Audits and gives the votes asked of the evaluator, by turn and pass."""
        evaluator = ScriptedEvaluator({talk.id: script})
        evaluator.version = version
        audited([talk], Auditor(protocol, evaluator, store))
        assert evaluator.under_way == 0
        return [(turn, number) for _, turn, passes in evaluator.asked for number in passes]

    def test_nothing_is_asked_twice(self, store: VoteStore) -> None:
        talk = conversation("c", "a", "b")
        assert self.asked(store, talk, "nnn yyy") == [(1, 1), (2, 1), (2, 2), (2, 3)]
        assert self.asked(store, talk, "") == []

    def test_votes_follow_the_text_and_not_the_id(self, store: VoteStore) -> None:
        self.asked(store, conversation("c", "a", "b"), "n n")
        assert self.asked(store, conversation("d", "a", "b"), "") == []
        assert self.asked(store, conversation("c", "a", "B"), "n n") == [(2, 1)]
        assert self.asked(store, conversation("c", "A", "b"), "n n") == [(1, 1), (2, 1)]

    def test_a_log_that_grew_costs_its_new_turns(self, store: VoteStore) -> None:
        self.asked(store, conversation("c", "a", "b"), "n n")
        assert self.asked(store, conversation("c", "a", "b", "c"), "x x n") == [(3, 1)]

    def test_context_takes_part_in_the_key(self, store: VoteStore) -> None:
        self.asked(store, conversation("c", "a", "s", "b", roles="usa"), "n n")
        assert self.asked(store, conversation("c", "a", "S", "b", roles="usa"), "n n") == [(2, 1)]

    def test_more_passes_ask_for_the_further_ones(self, store: VoteStore) -> None:
        talk = conversation("c", "a")
        self.asked(store, talk, "yyy")
        assert self.asked(store, talk, "yyyyy", replace(UNANIMOUS, passes=5)) == [(1, 4), (1, 5)]

    def test_another_evaluator_or_rubric_asks_anew(self, store: VoteStore) -> None:
        talk = conversation("c", "a")
        self.asked(store, talk, "n")
        assert self.asked(store, talk, "n", version="2") == [(1, 1)]
        other = replace(UNANIMOUS, rubric=replace(RUBRIC, version=2))
        assert self.asked(store, talk, "n", other) == [(1, 1)]
        retitled = replace(UNANIMOUS, rubric=replace(RUBRIC, title="Another title"))
        assert self.asked(store, talk, "n", retitled) == []

    def test_a_passing_failure_is_not_kept(self, store: VoteStore) -> None:
        talk = conversation("c", "a")
        assert self.asked(store, talk, "en") == [(1, 1), (1, 2)]
        assert self.asked(store, talk, "yy") == [(1, 1)]
        assert self.asked(store, talk, "") == []

    def test_counts_tell_asked_from_stored(self, store: VoteStore) -> None:
        talk = conversation("c", "a", "b")
        self.asked(store, talk, "n n")
        grown = conversation("c", "a", "b", "c")
        auditor = Auditor(UNANIMOUS, ScriptedEvaluator({"c": "n n yyy"}), store)
        audited([grown], auditor)
        assert (auditor.usage.votes_asked, auditor.usage.votes_from_store) == (3, 2)


def test_text_cannot_imitate_another_division_into_messages() -> None:
    prefix = bytes(16)
    one = Message(Role.USER, "ab").chain(prefix)
    two = Message(Role.USER, "b").chain(Message(Role.USER, "a").chain(prefix))
    named = Message(Role.USER, "b", name="a").chain(prefix)
    assert len({one, two, named}) == 3
