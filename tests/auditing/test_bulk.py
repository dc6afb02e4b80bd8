"""Asking for many votes together comes to what asking turn by turn comes to."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaperone_cli.auditing import bulk
from chaperone_cli.auditing.auditor import Audited, Auditor
from chaperone_cli.domain.conversation import Conversation, Sides, Turn
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import Explanation
from chaperone_cli.domain.vote import Vote
from chaperone_cli.errors import EvaluatorError, VotesPending
from chaperone_cli.evaluators.interface import Bulk, Question, Session
from chaperone_cli.store import VoteStore, vote_key
from tests.support.scripted import RUBRIC, VOTES, ScriptedEvaluator, conversation

UNANIMOUS = Protocol(RUBRIC, Rule("unanimous"), 3)
PASSES = 9


class ScriptedBulk(Bulk):
    """Answers from the script in reverse order, and remembers the rounds."""

    def __init__(self, evaluator: "BulkEvaluator", rubric: Rubric) -> None:
        self._evaluator = evaluator
        self._rubric = rubric

    async def ask(self, questions: Sequence[Question]) -> AsyncIterator[tuple[bytes, Vote]]:
        self._evaluator.rounds.append([self._evaluator.asked_for(one) for one in questions])
        if self._evaluator.silent:
            raise VotesPending("not yet")
        for question in reversed(questions):
            name, turn, number = self._evaluator.asked_for(question)
            word = self._evaluator.script[name].split()[turn - 1]
            yield question.key, VOTES[word[number - 1]]


class BulkEvaluator(ScriptedEvaluator):
    def __init__(self, script: dict[str, str], talks: Sequence[Conversation]) -> None:
        super().__init__(script)
        self.script = script
        self.silent = False
        self.rounds: list[list[tuple[str, int, int]]] = []
        self._keys = {
            vote_key(prefix, RUBRIC.digest, self.identity.digest, number): (name, turn, number)
            for name, turn, prefix in _prefixes(talks)
            for number in range(1, PASSES + 1)
        }

    def asked_for(self, question: Question) -> tuple[str, int, int]:
        return self._keys[question.key]

    def bulk(self, rubric: Rubric) -> Bulk:
        return ScriptedBulk(self, rubric)


def _prefixes(talks: Sequence[Conversation]) -> list[tuple[str, int, bytes]]:
    found = []
    for talk in talks:
        prefix = bytes(16)
        for number, message in enumerate(talk.messages, start=1):
            prefix = message.chain(prefix)
            found.append((talk.id, number, prefix))
    return found


def audited(items: Sequence[Conversation | Problem], auditor: Auditor) -> list[Audited | Problem]:
    async def collect() -> list[Audited | Problem]:
        return [result async for result in auditor.run(items)]

    return asyncio.run(collect())


def together(
    protocol: Protocol, script: dict[str, str], folder: Path
) -> tuple[list[Audited | Problem], BulkEvaluator, Auditor]:
    talks = _talks(script)
    evaluator = BulkEvaluator(script, talks)
    auditor = Auditor(protocol, evaluator, VoteStore(folder / "votes.sqlite3"))
    results = audited(talks, auditor)
    assert evaluator.asked == []
    return results, evaluator, auditor


def _talks(script: dict[str, str]) -> list[Conversation]:
    return [
        conversation(name, *(f"{name} {number}" for number, _ in enumerate(words.split())))
        for name, words in script.items()
    ]


class ExplainingEvaluator(BulkEvaluator):
    """Explains only once as many wait for an explanation as may be asked for at a time."""

    def __init__(self, script: dict[str, str], talks: Sequence[Conversation], at_once: int) -> None:
        super().__init__(script, talks)
        self._barrier = asyncio.Barrier(at_once)

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:
        return _ExplainingSession(self)

    async def explain(self, turn: Turn) -> Explanation:
        async with asyncio.timeout(5):
            await self._barrier.wait()
        return Explanation(turn.number, "It shows.")


class _ExplainingSession(Session):
    def __init__(self, evaluator: ExplainingEvaluator) -> None:
        self._evaluator = evaluator

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:
        raise AssertionError("votes are asked for together")

    async def explain(self, turn: Turn) -> Explanation | None:
        return await self._evaluator.explain(turn)


def test_explanations_are_asked_for_several_at_a_time(tmp_path: Path) -> None:
    talks = _talks({f"c{number}": "yyy" for number in range(8)})
    evaluator = ExplainingEvaluator({talk.id: "yyy" for talk in talks}, talks, at_once=4)
    protocol = replace(UNANIMOUS, explain=True)
    store = VoteStore(tmp_path / "votes.sqlite3")
    results = audited(talks, Auditor(protocol, evaluator, store, concurrency=4))
    found = [result for result in results if isinstance(result, Audited)]
    assert [one.conversation.id for one in found] == [talk.id for talk in talks]
    assert {one.verdict.explanation for one in found} == {Explanation(1, "It shows.")}


WORDS = st.text("yyynnnae", min_size=PASSES, max_size=PASSES)
SCRIPTS = st.lists(st.lists(WORDS, max_size=4).map(" ".join), min_size=1, max_size=4).map(
    lambda talks: {f"c{number}": words for number, words in enumerate(talks)}
)
PROTOCOLS = st.builds(
    Protocol,
    st.just(RUBRIC),
    st.sampled_from([Rule(name) for name in (*Rule.NAMES, "1")]),
    st.integers(1, PASSES),
    st.sampled_from(Sides),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=150)
@given(SCRIPTS, PROTOCOLS)
def test_verdicts_are_those_of_a_replay_turn_by_turn(
    script: dict[str, str], protocol: Protocol
) -> None:
    with TemporaryDirectory() as folder:
        results, evaluator, auditor = together(protocol, script, Path(folder))
    turn_by_turn = Auditor(protocol, ScriptedEvaluator(script))
    assert results == audited(_talks(script), turn_by_turn)
    progress, expected = auditor.progress, turn_by_turn.progress
    assert progress == expected
    asked = [one for questions in evaluator.rounds for one in questions]
    assert len(asked) == len(set(asked)) == auditor.usage.votes_asked
    if not protocol.until_block:
        assert len(asked) == turn_by_turn.usage.votes_asked


def test_each_round_asks_all_that_can_still_matter(tmp_path: Path) -> None:
    script = {"a": "nnn yyn", "b": "yyy"}
    _, evaluator, _ = together(UNANIMOUS, script, tmp_path)
    assert evaluator.rounds == [
        [("a", 1, 1), ("a", 2, 1), ("b", 1, 1)],
        [("a", 2, 2), ("b", 1, 2)],
        [("a", 2, 3), ("b", 1, 3)],
    ]


def test_rounds_leave_what_lies_behind_the_first_block(tmp_path: Path) -> None:
    protocol = replace(UNANIMOUS, rule=Rule("2"), until_block=True)
    results, evaluator, _ = together(protocol, {"a": "yny yyn yny yny"}, tmp_path)
    assert evaluator.rounds == [
        [("a", turn, number) for turn in (1, 2, 3, 4) for number in (1, 2)],
        [("a", 1, 3)],
    ]
    [result] = results
    assert isinstance(result, Audited)
    assert [turn.turn for turn in result.verdict.turns] == [1]


def test_stored_votes_join_the_same_round(tmp_path: Path) -> None:
    together(UNANIMOUS, {"a": "nnn yyy"}, tmp_path)
    _, evaluator, auditor = together(
        replace(UNANIMOUS, passes=4), {"a": "nnnn yyyn", "b": "nnnn"}, tmp_path
    )
    assert evaluator.rounds == [[("a", 2, 4), ("b", 1, 1)]]
    assert (auditor.usage.votes_asked, auditor.usage.votes_from_store) == (2, 4)


def test_conversations_that_begin_alike_share_their_votes(tmp_path: Path) -> None:
    twins = [conversation(name, "hello", "hi") for name in ("a", "b")]
    evaluator = BulkEvaluator({"a": "nnn nnn", "b": "nnn nnn"}, twins)
    audited(twins, Auditor(UNANIMOUS, evaluator, VoteStore(tmp_path / "votes.sqlite3")))
    assert [len(questions) for questions in evaluator.rounds] == [2]


def test_order_problems_and_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MOST_TURNS", 4)
    talks = [conversation(f"c{number}", f"a{number}", "b") for number in range(5)]
    problem = Problem(Severity.ERROR, "log.jsonl", "a line is broken", 9)
    evaluator = BulkEvaluator({talk.id: "nnn nnn" for talk in talks}, talks)
    auditor = Auditor(UNANIMOUS, evaluator, VoteStore(tmp_path / "votes.sqlite3"))
    results = audited([*talks[:2], problem, *talks[2:]], auditor)
    names = ["?" if isinstance(one, Problem) else one.conversation.id for one in results]
    assert names == ["c0", "c1", "?", "c2", "c3", "c4"]
    assert [len(questions) for questions in evaluator.rounds] == [4, 4, 2]


def test_what_is_pending_lets_later_chunks_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "MOST_TURNS", 1)
    talks = [conversation(f"c{number}", f"a{number}") for number in range(3)]
    evaluator = BulkEvaluator({talk.id: "nnn" for talk in talks}, talks)
    store = VoteStore(tmp_path / "votes.sqlite3")
    audited(talks[:1], Auditor(UNANIMOUS, evaluator, store))
    evaluator.silent = True
    given: list[str] = []

    async def check() -> None:
        async for result in Auditor(UNANIMOUS, evaluator, store).run(talks):
            assert isinstance(result, Audited)
            given.append(result.conversation.id)

    with pytest.raises(VotesPending):
        asyncio.run(check())
    assert given == ["c0"]
    assert evaluator.rounds[1:] == [[("c1", 1, 1)], [("c2", 1, 1)]]


def test_a_passing_failure_is_not_kept(tmp_path: Path) -> None:
    [result], _, _ = together(UNANIMOUS, {"a": "yey"}, tmp_path)
    assert isinstance(result, Audited)
    assert result.verdict.verdict == "undecided"
    _, evaluator, _ = together(UNANIMOUS, {"a": "yyy"}, tmp_path)
    assert evaluator.rounds == [[("a", 1, 2)]]


def test_an_unanswered_question_is_an_error(tmp_path: Path) -> None:
    class Forgetful(ScriptedBulk):
        async def ask(self, questions: Sequence[Question]) -> AsyncIterator[tuple[bytes, Vote]]:
            async for answer in super().ask(questions[1:]):
                yield answer

    class Evaluator(BulkEvaluator):
        def bulk(self, rubric: Rubric) -> Bulk:
            return Forgetful(self, rubric)

    talks = [conversation("a", "hello", "hi")]
    auditor = Auditor(
        UNANIMOUS, Evaluator({"a": "nnn nnn"}, talks), VoteStore(tmp_path / "votes.sqlite3")
    )
    with pytest.raises(EvaluatorError, match="left 1 votes unanswered"):
        audited(talks, auditor)
