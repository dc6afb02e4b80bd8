"""Whatever ends a run early, what was judged until then is reported, and nothing else is lost."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from array import array
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.cli.interrupt import SIGNALS
from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone, spawn

REPORTS = ("a.json", "a.jsonl", "a.csv", "a.html", "a.sarif", "a.xml", "a.md", "a.parquet")
INCOMPLETE = [name.replace("a.", "a.incomplete.") for name in REPORTS]

every_signal = pytest.mark.parametrize(
    "number", SIGNALS, ids=lambda number: signal.Signals(number).name
)


def wait_for(path: Path, lines: int) -> None:
    deadline = time.monotonic() + 30
    while not path.exists() or len(path.read_bytes().splitlines()) < lines:
        assert time.monotonic() < deadline, f"{path} did not grow to {lines} lines"
        time.sleep(0.005)


def ended(process: "subprocess.Popen[bytes]", number: int) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    return process.returncode, out.decode(), err.decode()


def fed(samples: Path, *args: str | Path) -> "subprocess.Popen[bytes]":
    """Starts a command, and waits until it waits for more of the log on its standard input."""
    process = spawn(*args)
    assert process.stdin is not None
    process.stdin.writelines((samples / "thirty.jsonl").read_bytes().splitlines(True)[:3])
    process.stdin.flush()
    unread = array("i", [1])
    while unread[0]:
        fcntl.ioctl(process.stdin, termios.FIONREAD, unread)
        time.sleep(0.01)
    time.sleep(0.2)
    return process


@every_signal
def test_a_run_that_is_ended_reports_what_was_done(
    tmp_path: Path, samples: Path, number: int
) -> None:
    asked, folder = tmp_path / "asked", tmp_path / "reports"
    folder.mkdir()
    command = (
        *("audit", samples / "thirty.jsonl", "--evaluator", "stalling", "--concurrency", "3"),
        *("--store", tmp_path / "votes.sqlite3", "-o", f"{folder}/evidence/"),
        "--keep-abstentions",
        *(word for name in REPORTS for word in ("-o", folder / name)),
    )
    for name in REPORTS:
        (folder / name).write_text("of last night")
    process = spawn(
        *command,
        module="tests.support.stalling",
        STALLING_SECONDS="0.005",
        STALLING_ASKED=str(asked),
    )
    wait_for(asked, 300)
    code, out, err = ended(process, number)
    assert (code, err.splitlines()) == (
        130,
        [
            f"wrote {folder}/evidence.incomplete",
            *(f"wrote {folder / name}" for name in INCOMPLETE),
        ],
    )
    written = {path.name for path in folder.iterdir()}
    assert written == {*REPORTS, *INCOMPLETE, "evidence.incomplete"}
    assert {(folder / name).read_text() for name in REPORTS} == {"of last night"}
    document = json.loads((folder / "a.incomplete.json").read_bytes())
    validator("report.v1").validate(document)
    assert document["summary"]["ending"] == "interrupted"
    total = document["summary"]["conversations"]["total"]
    judged: list[dict[str, Any]] = document["conversations"]
    partial = [one for one in judged if one.get("partial")]
    assert 0 < total < 30
    assert 1 <= document["summary"]["partial"]["conversations"] == len(partial) <= 3
    assert all(0 < len(one["turns"]) < one["turns_selected"] for one in partial)
    assert all(one["verdict"] in ("block", "undecided") for one in partial)
    # Everything that was answered is in the report, but for the votes on the turns under way.
    votes = sum(len(turn["votes"]) for one in judged for turn in one["turns"])
    assert votes == document["summary"]["votes_cast"] >= 300 - 3 * 5 * 2
    assert (folder / "a.incomplete.jsonl").read_bytes().count(b"\n") == total
    said = f"INTERRUPTED before the end of the input: this covers the {total} conversations audited"
    assert out.startswith(said)
    assert f" until then, {len(partial)} of them in part\n" in out.replace("audited\n", "audited ")
    before = asked.read_text().splitlines()

    again = spawn(*command, module="tests.support.stalling", STALLING_ASKED=str(asked))
    again.communicate(timeout=60)
    assert again.returncode == 10
    repeated = set(before) & set(asked.read_text().splitlines()[len(before) :])
    assert len(repeated) <= 3 * 5
    document = json.loads((folder / "a.json").read_bytes())
    assert (document["summary"]["ending"], document["summary"]["conversations"]["total"]) == (
        "complete",
        30,
    )
    assert not any(one.get("partial") for one in document["conversations"])


def test_an_incomplete_report_is_rendered_again_as_one(tmp_path: Path, samples: Path) -> None:
    asked = tmp_path / "asked"
    process = spawn(
        *("audit", samples / "thirty.jsonl", "--evaluator", "stalling"),
        *("--store", tmp_path / "votes.sqlite3", "-o", tmp_path / "a.json"),
        module="tests.support.stalling",
        STALLING_SECONDS="0.005",
        STALLING_ASKED=str(asked),
    )
    wait_for(asked, 300)
    assert ended(process, signal.SIGTERM)[0] == 130
    again = spawn("report", tmp_path / "a.incomplete.json", "-o", tmp_path / "b.json")
    _, err = again.communicate(timeout=60)
    assert (again.returncode, err.decode()) == (0, f"wrote {tmp_path}/b.incomplete.json\n")
    contents = [(tmp_path / f"{name}.incomplete.json").read_bytes() for name in "ab"]
    assert contents[0] == contents[1]


@every_signal
def test_waiting_for_input_can_be_ended(tmp_path: Path, samples: Path, number: int) -> None:
    process = fed(samples, "audit", "-", "-o", tmp_path / "a.json")
    code, _, err = ended(process, number)
    assert (code, err) == (130, f"wrote {tmp_path}/a.incomplete.json\n")
    document = json.loads((tmp_path / "a.incomplete.json").read_bytes())
    assert document["summary"]["ending"] == "interrupted"
    assert not (tmp_path / "a.json").exists()


@every_signal
@pytest.mark.parametrize("command", ["convert", "validate"])
def test_a_command_with_nothing_to_report_says_that_it_was_ended(
    tmp_path: Path, samples: Path, number: int, command: str
) -> None:
    output = tmp_path / "log.jsonl"
    output.write_text("of last night")
    process = fed(samples, command, "-", *(("-o", output) if command == "convert" else ()))
    assert ended(process, number) == (
        130,
        "",
        "interrupted: what was not finished was not written, and is as it was before\n",
    )
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("log.jsonl", "of last night")
    ]


def test_nohup_keeps_its_meaning(tmp_path: Path, samples: Path) -> None:
    log, output = samples / "thirty.jsonl", tmp_path / "a.json"
    process = subprocess.Popen(
        ["nohup", sys.executable, "-m", "chaperone_cli", "audit", log, "-o", output],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    time.sleep(1)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=60)
    assert (process.returncode, output.exists()) == (10, True)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal that can go away")
def test_a_terminal_that_went_away_costs_no_report(tmp_path: Path, samples: Path) -> None:
    asked = tmp_path / "asked"
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.support.stalling", "audit", samples / "thirty.jsonl"),
            *("--evaluator", "stalling", "--store", tmp_path / "votes.sqlite3"),
            *("-o", tmp_path / "a.json"),
        ],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "STALLING_SECONDS": "0.005", "STALLING_ASKED": str(asked)},
        cwd=Path(__file__).parents[2],
    )
    os.close(theirs)
    wait_for(asked, 300)
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    process.wait(timeout=30)
    document = json.loads((tmp_path / "a.incomplete.json").read_bytes())
    assert document["summary"]["ending"] == "interrupted"
    assert document["summary"]["conversations"]["total"] > 0
    assert [path.name for path in tmp_path.glob(".chaperone*")] == []


def test_a_measurement_that_is_ended_leaves_whole_figures_in_their_place(
    tmp_path: Path, samples: Path
) -> None:
    asked, figures = tmp_path / "asked", tmp_path / "figures.json"
    figures.write_text("of last night")
    process = spawn(
        *("evaluate", samples / "thirty.jsonl", "--evaluator", "stalling"),
        *("--store", tmp_path / "votes.sqlite3", "-o", figures, "--concurrency", "2"),
        module="tests.support.stalling",
        STALLING_SECONDS="0.005",
        STALLING_ASKED=str(asked),
    )
    wait_for(asked, 600)
    code, _, err = ended(process, signal.SIGTERM)
    incomplete = tmp_path / "figures.incomplete.json"
    assert (code, err) == (130, f"wrote {incomplete}\n")
    assert figures.read_text() == "of last night"
    validator("evaluation.v1").validate(json.loads(incomplete.read_bytes()))


def test_half_a_conversation_without_a_block_is_no_change(chaperone: Chaperone) -> None:
    turn = {"turn": 1, "side": "prompt", "verdict": "pass", "score": 0, "votes": [0]}
    whole = {
        "schema": "verdict.v1",
        "conversation": "c",
        "source": {"path": "log.jsonl", "line": 1},
        "passes": 1,
        "verdict": "pass",
        "first_block": None,
        "attribution": None,
        "turns_total": 2,
        "turns_selected": 2,
        "turns": [turn, {**turn, "turn": 2, "side": "response"}],
    }
    cut = {**whole, "verdict": "undecided", "partial": True, "turns": [turn]}
    blocked = {
        **cut,
        "verdict": "block",
        "first_block": {"turn": 1, "side": "prompt", "score": 1, "of": 1},
        "attribution": "prompt",
        "turns": [{**turn, "verdict": "block", "score": 1, "votes": [1]}],
    }
    for name, one in (("whole", whole), ("cut", cut), ("blocked", blocked)):
        validator("verdict.v1").validate(one)
        chaperone.write(f"{name}.jsonl", json.dumps(one))
    assert chaperone("diff", "whole.jsonl", "cut.jsonl", "-o", "a.json").code == 0
    changes = json.loads((chaperone.folder / "a.json").read_bytes())["conversations"]
    assert [one["changes"] for one in changes] == [["gone"]]
    assert chaperone("diff", "whole.jsonl", "blocked.jsonl").code == 10
