"""No output ever stands on an input, and one that cannot be written is said before any work."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli import Chaperone
from tests.support.runs import NO, YES, write_log

LOG = {"a": [NO, YES], "b": [NO, NO]}
RECORDED = ("--evaluator", "recorded", "--votes", "3")


@pytest.fixture
def logged(chaperone: Chaperone) -> Chaperone:
    """A folder with a log, its votes, and everything else that commands read."""
    write_log(chaperone, LOG)
    chaperone("audit", "log.jsonl", *RECORDED, "-o", "saved.json", "-o", "evidence/")
    chaperone.write("key.json", "a key of more than sixteen bytes")
    chaperone.write("prices.toml", 'as_of = "2026-01-01"')
    return chaperone


def contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def refused(chaperone: Chaperone, *args: str) -> str:
    """Runs a command that must end at once with 2 and change nothing; gives what it said."""
    before = contents(chaperone.folder)
    outcome = chaperone(*args)
    assert (outcome.code, outcome.out) == (2, "")
    assert contents(chaperone.folder) == before
    [error, hint] = outcome.err.splitlines()
    assert hint.startswith("  hint: ")
    return error.removeprefix("error: ")


def overwritten(name: str, known: str = "") -> str:
    same = f"; it is the same file as {known}" if known else ""
    return f"{name}: what is read here would be overwritten{same}"


AUDIT = ("audit", "log.jsonl", *RECORDED)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((*AUDIT, "-o", "log.jsonl"), ("log.jsonl",)),
        ((*AUDIT, "-o", "./log.jsonl"), ("./log.jsonl", "log.jsonl")),
        (("audit", ".", "-o", "log.jsonl"), ("log.jsonl", "./log.jsonl")),
        (("audit", "l*.jsonl", "-o", "log.jsonl"), ("log.jsonl",)),
        (("audit", "missing.jsonl", "-o", "missing.jsonl"), ("missing.jsonl",)),
        (
            ("audit", "missing.jsonl", "-o", "./missing.jsonl"),
            ("./missing.jsonl", "missing.jsonl"),
        ),
        ((*AUDIT, "-o", "log.votes.jsonl"), ("log.votes.jsonl",)),
        (
            (*AUDIT, "--recorded-votes", "log.votes.jsonl", "-o", "log.votes.jsonl"),
            ("log.votes.jsonl",),
        ),
        ((*AUDIT, "--baseline", "saved.json", "-o", "saved.json"), ("saved.json",)),
        ((*AUDIT, "--baseline", "saved.json", "--changes", "saved.json"), ("saved.json",)),
        (
            (*AUDIT, "--baseline", "evidence", "-o", "evidence/"),
            ("evidence/", "evidence/report.json"),
        ),
        (
            (*AUDIT, "--config", "evidence/settings.toml", "-o", "evidence/"),
            ("evidence/", "evidence/settings.toml"),
        ),
        (
            (*AUDIT, "--rubric", "evidence/rubric.toml", "-o", "evidence"),
            ("evidence", "evidence/rubric.toml"),
        ),
        ((*AUDIT, "--hash-ids", "--hash-key-file", "key.json", "-o", "key.json"), ("key.json",)),
        ((*AUDIT, "--store", "log.jsonl"), ("log.jsonl",)),
        (("evaluate", "saved.json", "-o", "saved.json"), ("saved.json",)),
        (("calibrate", "saved.json", "-o", "saved.json"), ("saved.json",)),
        (("convert", "log.jsonl", "-o", "log.jsonl"), ("log.jsonl",)),
        (("convert", "log.jsonl", "saved.json", "-o", "saved.json"), ("saved.json",)),
        (("report", "saved.json", "-o", "saved.json"), ("saved.json",)),
        (
            ("report", "evidence", "-o", "evidence/report.json"),
            ("evidence/report.json",),
        ),
        (("diff", "saved.json", "log.jsonl", "-o", "saved.json"), ("saved.json",)),
        (("diff", "log.jsonl", "saved.json", "-o", "saved.json"), ("saved.json",)),
        (("rephrase", "log.jsonl", "--all", "-o", "log.jsonl"), ("log.jsonl",)),
        (
            ("rephrase", "log.jsonl", "--all", "--report", "saved.json", "-o", "saved.json"),
            ("saved.json",),
        ),
        (("doctor", "--prices", "prices.toml", "--store", "prices.toml"), ("prices.toml",)),
        (("show", "log.jsonl", "--store", "log.jsonl"), ("log.jsonl",)),
    ],
)
def test_no_output_stands_on_an_input(
    logged: Chaperone, args: tuple[str, ...], said: tuple[str, ...]
) -> None:
    assert refused(logged, *args) == overwritten(*said)


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize(
    "command", [("audit",), ("convert",), ("evaluate",), ("rephrase", "--all")]
)
def test_a_link_hides_no_input(
    logged: Chaperone, link: Callable[[Path, Path], None], command: tuple[str, ...]
) -> None:
    name = "link.json"
    link(logged.folder / "log.jsonl", logged.folder / name)
    assert refused(logged, *command, "log.jsonl", "-o", name) == overwritten(name, "log.jsonl")


def test_what_a_run_that_is_cut_short_would_write_stands_on_no_input_either(
    logged: Chaperone,
) -> None:
    (logged.folder / "log.jsonl").rename(logged.folder / "log.incomplete.jsonl")
    error = refused(logged, "audit", "log.incomplete.jsonl", "-o", "log.jsonl")
    assert error == overwritten("log.jsonl", "log.incomplete.jsonl")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((*AUDIT, "-o", "a.json", "-o", "./a.json"), "./a.json"),
        ((*AUDIT, "-o", "saved.json", "-o", "link.json"), "link.json"),
        ((*AUDIT, "-o", "e/", "-o", "e/report.json"), "e/report.json"),
        ((*AUDIT, "-o", "votes.json", "--store", "votes.json"), "votes.json"),
        (("evaluate", "log.jsonl", "-o", "a.json", "-o", "a.json"), "a.json"),
        (("report", "evidence", "-o", "a.md", "-o", "a.md"), "a.md"),
        (("rephrase", "log.jsonl", "--all", "-o", "a.json", "-o", "a.json"), "a.json"),
    ],
)
def test_no_file_holds_two_outputs(logged: Chaperone, args: tuple[str, ...], said: str) -> None:
    os.link(logged.folder / "saved.json", logged.folder / "link.json")
    assert refused(logged, *args) == f"{said}: named twice as output"


def shell(folder: Path, command: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["bash", "-c", command.replace("chaperone", f"{sys.executable} -m chaperone_cli", 1)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("convert log.jsonl -o - >> log.jsonl", "standard output"),
        ("validate log.jsonl >> log.jsonl", "standard output"),
        ("audit log.jsonl >> log.jsonl", "standard output"),
        ("report saved.json >> saved.json", "standard output"),
    ],
)
def test_standard_output_stands_on_no_input(logged: Chaperone, command: str, said: str) -> None:
    before = contents(logged.folder)
    code, _, err = shell(logged.folder, f"chaperone {command}")
    assert (code, err.splitlines()[0]) == (
        2,
        f"error: {overwritten(said, command.split()[1])}",
    )
    assert contents(logged.folder) == before


def test_standard_input_is_an_input(logged: Chaperone) -> None:
    before = contents(logged.folder)
    code, out, err = shell(logged.folder, "chaperone convert - -o log.jsonl < log.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {overwritten('log.jsonl', 'standard input')}\n")
    assert contents(logged.folder) == before


COMMANDS = [
    (*AUDIT, "--store", "votes.sqlite3"),
    ("evaluate", "log.jsonl"),
    ("calibrate", "log.jsonl", *RECORDED),
    ("convert", "log.jsonl"),
    ("report", "saved.json"),
    ("diff", "saved.json", "saved.json"),
    ("rephrase", "log.jsonl", "--all"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_place_that_cannot_be_written_is_said_before_any_work(
    logged: Chaperone, command: tuple[str, ...]
) -> None:
    (logged.folder / "taken.json").mkdir()
    os.mkfifo(logged.folder / "pipe.json")
    logged.write("kept.json", "of last year").chmod(0o444)
    for name, why in (
        ("none/a.json", "there is no folder none"),
        ("taken.json", "it is a folder"),
        ("pipe.json", "it is no file but a pipe or a device"),
        ("kept.json", "it is write-protected"),
        ("/proc/self/a.json", "No such file or directory"),
    ):
        if command[0] != "audit" or name != "taken.json":
            assert refused(logged, *command, "-o", name) == f"cannot write {name}: {why}"


def test_a_folder_of_evidence_that_cannot_be_made_is_said_before_any_work(
    logged: Chaperone,
) -> None:
    error = refused(logged, *AUDIT, "-o", "none/evidence/")
    assert error == "cannot make the folder none/evidence: there is no folder none"


def test_a_device_is_not_replaced(logged: Chaperone) -> None:
    error = refused(logged, "convert", "log.jsonl", "-o", "/dev/null")
    assert error == "cannot write /dev/null: it is no file but a pipe or a device"


def test_outputs_beside_inputs_are_written(logged: Chaperone) -> None:
    outcome = logged(*AUDIT, "-o", "new.json", "-o", "saved.json", "-o", "evidence/")
    assert (outcome.code, outcome.err) == (
        10,
        "wrote new.json\nwrote saved.json\nwrote evidence/\n",
    )
    assert json.loads((logged.folder / "new.json").read_bytes())["summary"]["ending"] == "complete"
