"""Evaluators beside other work: in another process, in another event loop, among threads."""

import asyncio
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.codec import rubric
from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.vote import Answer, Vote
from chaperone_cli.evaluators.claude.batches import BatchedClaude
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from chaperone_cli.evaluators.interface import Evaluator
from chaperone_cli.evaluators.local import LocalEvaluator
from chaperone_cli.evaluators.local.screen import LocalScreen
from chaperone_cli.evaluators.recorded import RecordedEvaluator
from tests.support.scripted import conversation
from tests.support.standin import running

SETTINGS = 10_000
"""Bytes that the settings of an evaluator take at most."""
TALK = conversation("c", "I love you more than anybody.", "I love you too, darling.", "Always?")


def cast(evaluator: Evaluator, talk: Conversation = TALK, passes: int = 1) -> list[list[Vote]]:
    async def ask() -> list[list[Vote]]:
        session = evaluator.open(talk, rubric.load("parasocial"))
        wanted = range(1, passes + 1)
        try:
            return [[*await session.vote(turn, wanted)] for turn in talk.turns]
        finally:
            await evaluator.close()

    return asyncio.run(ask())


def test_the_local_evaluator_is_copied_as_its_settings() -> None:
    used = LocalEvaluator()
    votes = cast(used, passes=5)
    data = pickle.dumps(used)
    assert len(data) < SETTINGS
    copy = pickle.loads(data)
    assert copy.identity == used.identity
    assert cast(copy, passes=5) == votes


def test_the_screen_is_copied_as_its_settings() -> None:
    used = LocalScreen()
    suspicions = [*used.suspicions(TALK)]
    data = pickle.dumps(used)
    assert len(data) < SETTINGS
    assert [*pickle.loads(data).suspicions(TALK)] == suspicions


def test_recorded_votes_are_read_again(tmp_path: Path) -> None:
    rows = (f'{{"conversation": "c{n}", "turn": 1, "votes": [1]}}\n' for n in range(1000))
    (tmp_path / "log.votes.jsonl").write_text("".join(rows))
    talk = Conversation("c7", (Message(Role.USER, "Hi"),), Source(str(tmp_path / "log.jsonl"), 1))
    used = RecordedEvaluator()
    votes = cast(used, talk)
    data = pickle.dumps(used)
    assert len(data) < SETTINGS
    assert cast(pickle.loads(data), talk) == votes


def test_the_claude_evaluator_is_copied_as_its_settings(tmp_path: Path) -> None:
    with running(rule="yes") as standin:
        options = Options(base_url=standin.url)
        for used in (
            ClaudeEvaluator(options),
            BatchedClaude(options, tmp_path / "votes.db", detach=True),
        ):
            cast(used)
            data = pickle.dumps(used)
            assert len(data) < SETTINGS
            copy = pickle.loads(data)
            assert type(copy) is type(used)
            assert (copy.options, copy.identity) == (used.options, used.identity)


def test_the_claude_evaluator_works_in_a_second_event_loop() -> None:
    with running(rule="yes", latency=0.02) as standin:
        evaluator = ClaudeEvaluator(Options(base_url=standin.url, max_calls=100))
        for _ in range(3):
            # Several votes at once wait for the connection and for each other.
            votes = cast(evaluator, passes=5)
            assert [vote.answer for row in votes for vote in row] == [Answer.YES] * 15


def threads() -> set[int]:
    from threadpoolctl import threadpool_info

    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture
def four_threads() -> Any:
    """Lets this process use four threads for matrices, whatever the machine has."""
    import numpy as np  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(4, user_api="blas"):
        yield


@pytest.mark.usefixtures("four_threads")
def test_the_local_evaluator_leaves_the_threads_of_others_alone() -> None:
    assert threads() == {4}
    cast(LocalEvaluator(), passes=5)
    list(LocalScreen().suspicions(TALK))
    assert threads() == {4}


@pytest.mark.usefixtures("four_threads")
def test_evaluators_in_several_threads_leave_them_alone_too() -> None:
    evaluator, together = LocalEvaluator(), threading.Barrier(4)
    expected = cast(evaluator, passes=5)

    def compute() -> list[list[Vote]]:
        together.wait(10)
        return cast(evaluator, passes=5)

    with ThreadPoolExecutor(4) as pool:
        found = [future.result() for future in [pool.submit(compute) for _ in range(4)]]
    assert found == [expected] * 4
    assert threads() == {4}
