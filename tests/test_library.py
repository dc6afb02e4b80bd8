"""The library does what the commands do, wherever it is called from."""

import asyncio
import json
import pickle
import re
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import chaperone_cli as chaperone
from chaperone_cli.domain.problem import Problem
from chaperone_cli.errors import UsageError
from tests.support.cli import Chaperone

ROOT = Path(__file__).parents[1]
LOG = ROOT / "sample_logs" / "thirty.jsonl"
RECORDED = ROOT / "sample_logs" / "thirty.votes.jsonl"


def blocked(evaluator: object = "recorded") -> list[tuple[str, str]]:
    run = chaperone.audit(LOG, evaluator=evaluator)  # type: ignore[arg-type]
    return [(one.conversation, one.verdict.value) for one in run]


def test_reports_are_those_of_the_command(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    command: Chaperone = request.getfixturevalue("chaperone")
    by_command = command.folder / "command.jsonl"
    outcome = command("audit", LOG, "--evaluator", "recorded", "-o", by_command, "--quote")
    assert outcome.code == 10
    run = chaperone.audit(LOG, evaluator="recorded")
    chaperone.write_report(run, tmp_path / "library.jsonl", tmp_path / "library.json", quote=True)
    assert (tmp_path / "library.jsonl").read_bytes() == by_command.read_bytes()
    saved = chaperone.load_report(tmp_path / "library.json")
    chaperone.write_report(saved, tmp_path / "again.jsonl", quote=True)
    assert (tmp_path / "again.jsonl").read_bytes() == by_command.read_bytes()
    assert run.summary.conversations == (saved.summary and saved.summary.conversations)


def test_an_audit_runs_inside_event_loops_one_after_another() -> None:
    expected = blocked()

    async def notebook() -> None:
        assert blocked() == expected
        run = chaperone.audit(LOG, evaluator="recorded")
        assert [(one.conversation, one.verdict.value) async for one in run] == expected

    for _ in range(2):
        asyncio.run(notebook())


def test_threads_and_processes_share_an_evaluator() -> None:
    evaluator = chaperone.open_evaluator("recorded", recorded_votes=RECORDED)
    assert len(pickle.dumps(evaluator)) < 10_000
    expected = blocked()
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(blocked, [evaluator] * 3)) == [expected] * 3
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert processes.submit(blocked, evaluator).result() == expected


def test_leaving_an_audit_early_and_failing_ones_leave_no_thread() -> None:
    import threading

    before = threading.active_count()
    for _ in chaperone.audit(LOG, evaluator="recorded"):
        break
    with pytest.raises(UsageError, match="no such votes file"):
        list(chaperone.audit(LOG, evaluator="recorded", recorded_votes="none.jsonl"))
    assert threading.active_count() == before


def test_the_host_is_left_alone(capfd: pytest.CaptureFixture[str]) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    list(chaperone.audit(LOG, evaluator="recorded"))
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert capfd.readouterr() == ("", "")


def test_conversations_and_problems_can_be_handed_over(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    turns = [{"role": "user", "content": "Hello"}]
    log.write_text(json.dumps({"id": "a", "turns": turns}) + "\n{\n")
    items = list(chaperone.read_logs(log))
    run = chaperone.audit(items)
    assert [(one.conversation, one.verdict.value) for one in run] == [("a", "pass")]
    assert run.problems == [one for one in items if isinstance(one, Problem)] != []


def test_settings_are_checked_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="votes must be a whole number from 1 to 99; it is 0"):
        chaperone.audit("nowhere.jsonl", votes=0)
    with pytest.raises(UsageError, match="unknown setting 'side'"):
        chaperone.audit("nowhere.jsonl", side="both")
    with pytest.raises(UsageError, match="unknown rule 'most'"):
        chaperone.audit("nowhere.jsonl", rule="most")


def test_figures_and_rewrites_are_those_of_the_commands() -> None:
    figures = chaperone.evaluate(LOG, evaluator="recorded")
    assert (figures.conversations, figures.unlabelled, len(figures.rules)) == (30, 0, 3)
    one, *more = chaperone.rephrase(LOG, conversation="parasocial-01")
    assert (one.target.turn.number, one.strategy.id, more) == (2, "neutral", [])


def test_importing_is_cheap() -> None:
    program = "import sys, chaperone_cli; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not {"asyncio", "numpy", "orjson", "typer"} & set(done.stdout.decode().split())


def test_the_readme_runs_as_printed() -> None:
    [program] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[:1] == ["parasocial-01 is blocked at turn 1, a prompt"]
    assert "10 of 30 blocked" in done.stdout.splitlines()[-1]
