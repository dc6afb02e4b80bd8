"""A full disk behind standard output is said, and whoever stops reading it is no error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from tests.support.cli import Chaperone

FULL = Path("/dev/full")
LOG = str(SAMPLES / "thirty.jsonl")
COMMANDS = [
    ("audit", LOG, "--evaluator", "recorded"),
    ("evaluate", LOG, "--evaluator", "recorded"),
    ("calibrate", LOG, "--evaluator", "recorded"),
    ("show", LOG, "--conversation", "neutral-01"),
    ("rephrase", LOG, "--conversation", "parasocial-01", "--first-block"),
    ("convert", LOG, "-o", "-"),
    ("validate", LOG),
    ("report", "saved.json"),
    ("diff", "saved.json", "saved.json"),
    ("verify", "evidence"),
    ("rubrics",),
]
by_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])


@pytest.fixture
def saved(chaperone: Chaperone) -> Path:
    """A folder with a saved run."""
    chaperone("audit", LOG, "--evaluator", "recorded", "-o", "saved.json", "-o", "evidence/")
    return chaperone.folder


def written_to(folder: Path, output: int, *command: str) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "chaperone_cli", *command],
        stdout=output,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
        timeout=60,
    )
    return ended.returncode, ended.stderr.decode()


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@by_command
def test_a_full_disk_behind_standard_output_is_said(saved: Path, command: tuple[str, ...]) -> None:
    full = os.open(FULL, os.O_WRONLY)
    assert written_to(saved, full, *command) == (
        1,
        "error: cannot write to standard output: No space left on device\n"
        "  hint: make room, or send standard output elsewhere\n",
    )
    os.close(full)


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_standard_output_costs_no_file(saved: Path) -> None:
    full = os.open(FULL, os.O_WRONLY)
    code, err = written_to(saved, full, *COMMANDS[0], "-o", "new.json")
    os.close(full)
    assert (code, err.splitlines()[0]) == (
        1,
        "error: cannot write to standard output: No space left on device",
    )
    # They differ in the line of the run: when it was, and how long it took.
    whole, again = (
        (saved / name).read_bytes().splitlines()[3:-1] for name in ("saved.json", "new.json")
    )
    assert again[:-1] == whole[:-1]


@by_command
def test_a_reader_that_went_away_is_no_error(saved: Path, command: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code, err = written_to(saved, writing, *command)
    os.close(writing)
    assert (code, err) == (10 if command[0] in ("audit", "rephrase") else 0, "")


@by_command
def test_a_closed_standard_output_is_said(saved: Path, command: tuple[str, ...]) -> None:
    said = ["bash", "-c", 'exec "$@" >&-', "-", sys.executable, "-m", "chaperone_cli", *command]
    ended = subprocess.run(
        said,
        capture_output=True,
        cwd=saved,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr.decode()) == (
        2,
        "error: standard output is closed\n  hint: send it somewhere, as to /dev/null\n",
    )


def test_a_full_disk_behind_standard_error_costs_nothing(saved: Path) -> None:
    full = os.open(FULL, os.O_WRONLY)
    ended = subprocess.run(
        [sys.executable, "-m", "chaperone_cli", "validate", LOG],
        stdout=subprocess.PIPE,
        stderr=full,
        cwd=saved,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
        timeout=60,
    )
    os.close(full)
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"30 conversations with 600 turns can be audited")
