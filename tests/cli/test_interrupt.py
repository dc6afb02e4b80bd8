"""Ctrl-C ends a run cleanly, with what was done saved."""

import json
import signal
import subprocess
import time
from pathlib import Path

from chaperone_cli.codec.schemas import validator
from tests.support.cli import spawn


def wait_for(path: Path, lines: int) -> None:
    deadline = time.monotonic() + 30
    while not path.exists() or len(path.read_bytes().splitlines()) < lines:
        assert time.monotonic() < deadline, f"{path} did not grow to {lines} lines"
        time.sleep(0.005)


def interrupted(process: "subprocess.Popen[bytes]") -> tuple[int, str, str]:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    return process.returncode, out.decode(), err.decode()


def test_a_run_that_is_interrupted_reports_what_was_done(tmp_path: Path, samples: Path) -> None:
    asked = tmp_path / "asked"
    command = (
        *("audit", samples / "thirty.jsonl", "--evaluator", "stalling", "--concurrency", "2"),
        *("--store", tmp_path / "votes.sqlite3", "-o", tmp_path / "a.json"),
        *("-o", tmp_path / "a.jsonl", "--keep-abstentions"),
    )
    process = spawn(
        *command,
        module="tests.support.stalling",
        STALLING_SECONDS="0.005",
        STALLING_ASKED=str(asked),
    )
    wait_for(asked, 300)
    code, out, err = interrupted(process)
    assert code == 130
    assert "Traceback" not in err
    document = json.loads((tmp_path / "a.json").read_bytes())
    validator("report.v1").validate(document)
    assert document["summary"]["ending"] == "interrupted"
    done = document["summary"]["conversations"]["total"]
    assert 0 < done < 30
    assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == done
    assert "interrupted" in out.lower()
    before = asked.read_text().splitlines()

    again = spawn(*command, module="tests.support.stalling", STALLING_ASKED=str(asked))
    again.communicate(timeout=60)
    assert again.returncode == 10
    repeated = set(before) & set(asked.read_text().splitlines()[len(before) :])
    assert len(repeated) <= 2 * 5
    document = json.loads((tmp_path / "a.json").read_bytes())
    assert (document["summary"]["ending"], document["summary"]["conversations"]["total"]) == (
        "complete",
        30,
    )


def test_waiting_for_input_can_be_interrupted(samples: Path) -> None:
    process = spawn("audit", "-")
    assert process.stdin is not None
    process.stdin.write((samples / "thirty.jsonl").read_bytes().splitlines(True)[0])
    process.stdin.flush()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    process.communicate()
