"""The figures that the claude evaluator is built for, as far as they are no matter of speed.

Each has a command of its own in tests/benchmarks, which prints it for the whole of its data.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.codec import rubric
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.evaluators.claude.caller import Patience
from chaperone_cli.evaluators.recorded import RecordedEvaluator
from chaperone_cli.readers import LogReader
from tests.benchmarks.claude_audit import Took, start
from tests.benchmarks.claude_audit import spelled as told
from tests.benchmarks.claude_ground import LOG, VOTES, write_log
from tests.evaluators.claude.auditing import QUICK, audit
from tests.evaluators.claude.batching import Runs, verdicts
from tests.support.standin import running

CALLS = {"unanimous": 1326, "balanced": 1804, "conservative": 2265}
PASSES = 5
KILLS = 3
CONCURRENCY = 8
WAITING = "GET /v1/messages/batches/{id}"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")


def read(log: Path) -> list[Conversation]:
    found = list(LogReader([str(log)]))
    return [one for one in found if isinstance(one, Conversation)]


def recorded(rule: str, talks: Sequence[Conversation]) -> list[ConversationVerdict]:
    found: list[ConversationVerdict] = []
    protocol = Protocol(rubric.load("parasocial"), Rule(rule), PASSES)
    asyncio.run(verdicts(Auditor(protocol, RecordedEvaluator(VOTES)), talks, found))
    return found


def spelled(found: Sequence[ConversationVerdict]) -> list[tuple[str, list[tuple[int, str, int]]]]:
    """Gives verdicts and scores; calls of one wave reach a server in no order."""
    return [
        (one.conversation, [(turn.turn, turn.verdict, turn.score) for turn in one.turns])
        for one in found
    ]


@pytest.mark.parametrize("rule", CALLS)
@pytest.mark.parametrize("way", ["single", "batch"])
def test_the_thirty_come_to_the_recorded_verdicts(tmp_path: Path, rule: str, way: str) -> None:
    talks = read(LOG)
    with running(logs=(LOG,), votes=(VOTES,)) as standin:
        runs = Runs(standin.url, tmp_path, rule=rule)
        outcome = runs.batched(talks) if way == "batch" else runs.live(talks)
    assert outcome.error is None
    assert spelled(outcome.verdicts) == spelled(recorded(rule, talks))
    assert len(standin.ledger.calls) == len(standin.ledger.answered) == CALLS[rule]


@pytest.mark.parametrize(
    ("turns", "characters", "times"), [(20, 240 - 39, 20), (200, 600 - 39, 40)]
)
def test_a_clean_conversation_costs_a_fraction_of_the_papers_way(
    tmp_path: Path, turns: int, characters: int, times: float
) -> None:
    [talk] = read(write_log(tmp_path / "log.jsonl", 1, turns, characters))
    with running(rule="no") as standin:
        audited = audit(standin.url, talk, patience=Patience())
    calls = standin.ledger.calls
    assert audited.votes == {"c-0": " ".join("n" * turns)}
    paper = PASSES * sum(call.usage.prompt for call in calls)
    assert len(calls) == turns
    assert paper / standin.ledger.totals()["billed_input"] >= times


def test_a_stored_run_makes_no_call(tmp_path: Path) -> None:
    talks = read(write_log(tmp_path / "log.jsonl", 10, 20, 100))
    with running(rule="hash:0.3") as standin:
        runs = Runs(standin.url, tmp_path)
        first = runs.live(talks)
        standin.ledger.clear()
        again = runs.live(talks)
        assert standin.ledger.requests == {}
    assert again.verdicts == first.verdicts
    assert (again.usage.votes_asked, again.usage.votes_from_store) == (
        *(0, first.usage.votes_asked),
    )


def test_a_fifth_of_the_calls_may_fail(tmp_path: Path) -> None:
    shares = {
        **{"rate_limit": 0.04, "overloaded": 0.04, "internal": 0.02, "slow": 0.01},
        **{"reset": 0.03, "html": 0.03, "truncated": 0.03},
    }
    talks = read(LOG)[8:14]
    with running(logs=(LOG,), votes=(VOTES,), faults=shares, slow_seconds=2) as standin:
        outcome = Runs(standin.url, tmp_path, patience=QUICK).live(talks)
    ledger = standin.ledger
    failed = len(ledger.calls) - len(ledger.answered)
    assert failed > 0.12 * len(ledger.calls)
    assert {call.fault for call in ledger.calls} >= {"rate_limit", "reset", "html", "truncated"}
    assert outcome.error is None
    assert spelled(outcome.verdicts) == spelled(recorded("unanimous", talks))


def test_killed_runs_repeat_only_what_was_in_flight(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(LOG.read_bytes().splitlines(keepends=True)[9:13]))
    store = tmp_path / "votes.sqlite3"
    with running(logs=(LOG,), votes=(VOTES,), latency=0.01) as standin:
        where = (log, "--base-url", standin.url, "--store", store, "--concurrency", CONCURRENCY)
        ledger = standin.ledger
        for number in range(1, KILLS + 1):
            process = start(*where)
            while process.poll() is None and len(ledger.answered) < 30 * number:
                time.sleep(0.002)
            process.kill()
            process.communicate()
        process = start(*where)
        out, err = process.communicate()
    assert process.returncode == 0, err
    took = Took(**json.loads(out))
    expected = recorded("unanimous", read(log))
    assert took.verdicts == sha256("".join(map(told, expected)).encode()).hexdigest()
    votes = sum(one.votes_cast for one in expected)
    repeated = len(ledger.calls) - votes
    assert votes <= len(ledger.answered)
    assert repeated <= KILLS * ledger.most_at_once
    assert took.asked + took.stored == votes


def test_a_run_killed_while_it_waits_for_a_batch_hands_in_nothing_again(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", 5, 4, 100)
    with running(rule="no", batch_seconds=3600) as standin:
        where = (log, "--base-url", standin.url, "--store", tmp_path / "votes.sqlite3", "--batch")
        process = start(*where)
        while process.poll() is None and not standin.ledger.requests[WAITING]:
            time.sleep(0.005)
        process.kill()
        process.communicate()
        standin.clock.advance(3600)
        process = start(*where)
        out, err = process.communicate()
    assert process.returncode == 0, err
    took = Took(**json.loads(out))
    assert (took.conversations, took.asked, took.stored) == (5, 19, 1)
    assert standin.ledger.requests["POST /v1/messages/batches"] == 1
    assert len(standin.ledger.calls) == 20
