"""Pipes and devices: read as a stream where they are named, never waited for where they are not."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from tests.support.cli import Chaperone
from tests.support.runs import NO, YES, write_log

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

PASSED_OVER = "passed over: no file but a pipe, a socket or a device; name it to read it"
THIRTY = SAMPLES / "thirty.jsonl"


def shell(folder: Path, command: str) -> tuple[int, str, str]:
    line = command.replace("chaperone", f"{sys.executable} -m chaperone_cli", 1)
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def pipes(chaperone: Chaperone) -> Path:
    """A folder with a log, a pipe and a link to a device that never ends."""
    write_log(chaperone, {"a": [NO, NO]}, "logs/log")
    folder = chaperone.folder / "logs"
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.json").symlink_to("/dev/zero")
    return chaperone.folder


@pytest.mark.parametrize("named", ["logs", "'logs/*.json*'"])
def test_pipes_and_devices_in_a_folder_are_passed_over_with_a_line(pipes: Path, named: str) -> None:
    code, out, _ = shell(pipes, f"chaperone validate {named}")
    lines = [line for line in out.splitlines() if "votes" not in line]
    assert f"warning: logs/pipe.jsonl: {PASSED_OVER}" in lines
    assert f"warning: logs/zero.json: {PASSED_OVER}" in lines
    assert code == (0 if named == "logs" else 3)  # the pattern takes the votes for a log
    audited, out, _ = shell(pipes, "chaperone audit logs --evaluator recorded --votes 3")
    assert audited == 0
    assert "0 of 1 conversation blocked" in out


def test_a_pipe_that_is_named_is_read_as_a_stream(tmp_path: Path) -> None:
    (tmp_path / "log.gz").write_bytes(gzip.compress(THIRTY.read_bytes()))
    code, out, _ = shell(tmp_path, "chaperone validate <(zcat log.gz)")
    assert (code, out.split(";")[0]) == (0, "30 conversations with 600 turns can be audited")
    shown = [
        shell(tmp_path, f"chaperone show {log} --conversation neutral-01")[:2]
        for log in (THIRTY, f"<(cat {THIRTY})")
    ]
    plain, piped = (out.splitlines() for _, out in shown)
    assert plain[1:] == piped[1:]  # the first line names the file


def test_recorded_votes_and_keys_may_come_through_pipes(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO, YES]})
    chaperone.write("key", "a key of more than sixteen bytes")
    audit = "chaperone audit log.jsonl --evaluator recorded --votes 3 --hash-ids -o"
    code, _, err = shell(
        chaperone.folder,
        f"{audit} piped.jsonl --recorded-votes <(cat log.votes.jsonl) --hash-key-file <(cat key)",
    )
    assert (code, err) == (10, "wrote piped.jsonl\n")
    whole = f"{audit} plain.jsonl --recorded-votes log.votes.jsonl --hash-key-file key"
    assert shell(chaperone.folder, whole)[0] == 10
    piped, plain = (
        (chaperone.folder / f"{name}.jsonl").read_bytes() for name in ("piped", "plain")
    )
    assert len(piped) == len(plain)
    assert piped.split(b'"judgement"')[0] == plain.split(b'"judgement"')[0]


@pytest.mark.parametrize(
    "command",
    [
        "report {}",
        "diff {} saved.json",
        "diff saved.json {}",
        "rephrase log.jsonl --all --report {}",
    ],
)
def test_a_saved_run_from_a_pipe_is_refused(chaperone: Chaperone, command: str) -> None:
    write_log(chaperone, {"a": [NO, YES]})
    chaperone("audit", "log.jsonl", "--evaluator", "recorded", "--votes", "3", "-o", "saved.json")
    line = f"chaperone {command.format('<(cat saved.json)')}"
    code, out, err = shell(chaperone.folder, line)
    assert (code, out) == (2, "")
    assert "this is a stream, and a saved run is read more than once" in err


def test_logs_are_checked_beside_a_pipe(pipes: Path) -> None:
    audit = "chaperone audit logs/log.jsonl --evaluator recorded --votes 3 -o evidence/"
    assert shell(pipes, audit)[0] == 0
    code, _, _ = shell(pipes, "chaperone verify evidence --log logs")
    assert code == 0
