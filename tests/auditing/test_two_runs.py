"""Runs at the same time on one store ask for every vote once, whatever becomes of one of them."""

import asyncio
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from chaperone_cli.auditing.auditor import Audited, Auditor
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import YES, Vote
from chaperone_cli.evaluators.interface import Bulk, Question
from chaperone_cli.store import VoteStore
from tests.auditing.test_audit import UNANIMOUS
from tests.support.cli import spawn
from tests.support.scripted import ScriptedEvaluator, conversation


class Runs:
    """One log and one store, and runs over them that note what they ask for."""

    def __init__(self, folder: Path, samples: Path, conversations: int) -> None:
        self.folder = folder
        self.log = folder / "log.jsonl"
        lines = samples.joinpath("thirty.jsonl").read_bytes().splitlines(True)
        self.log.write_bytes(b"".join(lines[:conversations]))

    def start(
        self, name: str, store: str = "votes", seconds: float = 0.02
    ) -> "subprocess.Popen[bytes]":
        return spawn(
            *("audit", self.log, "--evaluator", "stalling", "--concurrency", "4"),
            "--keep-abstentions",  # else a run asks again for those that were filed before it began
            *("--store", self.folder / f"{store}.sqlite3", "-o", self.folder / f"{name}.jsonl"),
            module="tests.support.stalling",
            STALLING_SECONDS=str(seconds),
            STALLING_ASKED=str(self.folder / f"{name}.asked"),
        )

    def asked(self, name: str) -> list[str]:
        path = self.folder / f"{name}.asked"
        return path.read_text().splitlines() if path.exists() else []

    def verdicts(self, name: str) -> bytes:
        return (self.folder / f"{name}.jsonl").read_bytes()

    def left(self) -> list[str]:
        """What of the locks of runs is still there."""
        return [path.name for path in self.folder.glob("*-run-*")]


def wait_until(happened: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.005)


def ended(process: "subprocess.Popen[bytes]") -> int:
    process.communicate(timeout=120)
    return process.returncode


def test_two_runs_at_once_pay_for_each_vote_once(tmp_path: Path, samples: Path) -> None:
    runs = Runs(tmp_path, samples, 8)
    assert ended(runs.start("alone", "other")) == 10
    both = [runs.start("one"), runs.start("two")]
    assert [ended(process) for process in both] == [10, 10]
    asked = runs.asked("one") + runs.asked("two")
    assert sorted(asked) == sorted(runs.asked("alone"))
    assert runs.verdicts("one") == runs.verdicts("two") == runs.verdicts("alone")
    assert runs.left() == []


def test_what_a_killed_run_claimed_is_free_again(tmp_path: Path, samples: Path) -> None:
    runs = Runs(tmp_path, samples, 8)
    assert ended(runs.start("alone", "other")) == 10
    killed = runs.start("killed", seconds=0.1)
    wait_until(lambda: len(runs.asked("killed")) >= 20)
    goes_on = runs.start("goes on")
    time.sleep(1)  # by then it waits for what the other one claimed
    killed.send_signal(signal.SIGKILL)
    assert ended(killed) == -signal.SIGKILL
    assert ended(goes_on) == 10
    assert runs.verdicts("goes on") == runs.verdicts("alone")
    asked = runs.asked("killed") + runs.asked("goes on")
    assert set(asked) == set(runs.asked("alone"))
    in_flight = len(asked) - len(set(asked))
    assert in_flight <= 4 * 5
    assert runs.left() == []


def test_conversations_that_begin_alike_share_their_votes(tmp_path: Path) -> None:
    evaluator = ScriptedEvaluator({"a": "yyy yyy", "b": "yyy yyy"}, pause=lambda: 0.02)
    talks = [conversation("a", "same", "one"), conversation("b", "same", "two")]

    async def run() -> list[object]:
        store = VoteStore(tmp_path / "votes.sqlite3")
        auditor = Auditor(UNANIMOUS, evaluator, store)
        found = [result async for result in auditor.run(talks)]
        assert (auditor.usage.votes_asked, auditor.usage.votes_from_store) == (9, 3)
        store.close()
        return [one.verdict.verdict for one in found if isinstance(one, Audited)]

    assert asyncio.run(run()) == ["block", "block"]
    assert len(evaluator.asked) == 9


class _Slow(Bulk):
    """Answers everything with yes, later, and keeps what it was asked."""

    def __init__(self, asked: list[bytes]) -> None:
        self.asked = asked

    async def ask(self, questions: Sequence[Question]) -> AsyncIterator[tuple[bytes, Vote]]:
        self.asked += [question.key for question in questions]
        await asyncio.sleep(0.2)
        for question in questions:
            yield question.key, YES


def test_two_runs_that_ask_for_all_votes_together_pay_once(tmp_path: Path) -> None:
    asked: list[bytes] = []

    class Evaluator(ScriptedEvaluator):
        def bulk(self, rubric: Rubric) -> Bulk:
            return _Slow(asked)

    async def audit(*names: str) -> list[str]:
        store = VoteStore(tmp_path / "votes.sqlite3")
        talks = [conversation(name, name, "b") for name in names]
        auditor = Auditor(UNANIMOUS, Evaluator({}), store)
        found = [result async for result in auditor.run(talks)]
        store.close()
        return [one.verdict.conversation for one in found if isinstance(one, Audited)]

    async def both() -> list[list[str]]:
        return list(await asyncio.gather(audit("a", "b"), audit("b", "c")))

    assert asyncio.run(both()) == [["a", "b"], ["b", "c"]]
    assert len(asked) == len(set(asked)) == 3 * 2 * 3
