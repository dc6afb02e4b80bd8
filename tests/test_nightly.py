"""The nightly script, night after night: new blocks fail, and only whole runs are compared with."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from tests.support.cli import Chaperone
from tests.support.runs import NO, YES, Votes, write_log
from tests.support.standin import running

SCRIPT = Path(__file__).parents[1] / ".ci" / "nightly.sh"
WORKFLOW = SCRIPT.with_suffix(".yml")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a POSIX shell script")


class Nights:
    """Runs the script in a folder, with `chaperone` as it is installed here."""

    def __init__(self, chaperone: Chaperone) -> None:
        self._chaperone = chaperone
        self.state = chaperone.folder / "state"
        tool = chaperone.write(
            "bin/chaperone", f'#!/bin/sh\n"{sys.executable}" -m chaperone_cli "$@"'
        )
        tool.chmod(0o755)

    def night(self, log: Mapping[str, Sequence[Votes]], **env: str) -> int:
        write_log(self._chaperone, log)
        return self.run("log.jsonl", "--evaluator", "recorded", "--votes", "3", **env)

    def run(self, *args: str, **env: str) -> int:
        return subprocess.run(
            ["sh", SCRIPT, "state", *args],
            cwd=self._chaperone.folder,
            env={
                **os.environ,
                "PATH": f"{self._chaperone.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(SCRIPT.parents[1]),
                **env,
            },
            capture_output=True,
            check=False,
        ).returncode

    def changes(self) -> str:
        """Gives the headline of what changed; empty where nothing was compared."""
        path = self.state / "changes.md"
        return path.read_text("utf-8").splitlines()[0] if path.exists() else ""


@pytest.fixture
def nights(chaperone: Chaperone) -> Nights:
    return Nights(chaperone)


def test_only_new_blocks_fail(nights: Nights, chaperone: Chaperone) -> None:
    assert nights.night({"a": [YES], "b": [NO]}) == 10
    assert nights.changes() == ""
    assert nights.night({"a": [YES], "b": [NO]}) == 0
    assert nights.changes() == "## chaperone: 0 conversations newly blocked"
    posted = re.findall(r"chaperone-state/([\w./]+)", WORKFLOW.read_text("utf-8"))
    assert {"changes.md", "evidence/summary.md", "evidence/findings.sarif"} <= set(posted)
    missing = {path for path in posted if not (nights.state / path).exists()}
    assert missing == {"evidence.incomplete/summary.md", "evidence.incomplete/"}
    assert nights.night({"a": [YES], "b": [NO, YES]}) == 10
    assert nights.changes() == "## chaperone: 1 conversation newly blocked"
    assert nights.night({"a": [YES], "b": [NO, YES]}) == 0
    assert chaperone("verify", "state/evidence").code == 0


def test_half_a_run_is_no_baseline(nights: Nights, chaperone: Chaperone) -> None:
    log = {"a": [NO], "b": [YES]}
    assert nights.night(log) == 10
    before = (nights.state / "last.json").read_bytes()
    assert nights.night({"a": [NO], "b": [[1]]}) == 2
    assert (nights.state / "last.json").read_bytes() == before
    assert not (nights.state / "evidence").exists()
    assert chaperone("verify", "state/evidence.incomplete").code == 0
    assert nights.night(log) == 0
    assert not (nights.state / "evidence.incomplete").exists()


def test_a_night_that_could_not_start_leaves_no_evidence_to_post(
    nights: Nights, chaperone: Chaperone
) -> None:
    assert nights.night({"a": [YES]}) == 10
    manifest = (nights.state / "evidence" / "manifest.json").read_bytes()
    assert nights.night({"a": [YES]}, CHAPERONE_RULE="none such") == 2
    assert not (nights.state / "evidence").exists()
    assert nights.night({"a": [YES]}, CHAPERONE_RULE="none such") == 2
    assert (nights.state / "evidence.before" / "manifest.json").read_bytes() == manifest
    assert chaperone("verify", "state/evidence.before").code == 0
    assert nights.night({"a": [YES]}) == 0
    assert chaperone("verify", "state/evidence").code == 0


def test_a_detached_night_has_no_report_yet(nights: Nights, chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", (SAMPLES / "thirty.jsonl").read_text("utf-8").splitlines()[0])
    with running(batch_seconds=3600) as standin:
        asked = ("log.jsonl", "--evaluator", "claude", "--base-url", standin.url)
        code = nights.run(*asked, "--batch", "--detach", ANTHROPIC_API_KEY="none")
    assert code == 11
    assert [path.name for path in nights.state.iterdir()] == ["votes.sqlite3"]


def test_a_folder_for_the_state_is_needed(chaperone: Chaperone) -> None:
    done = subprocess.run(["sh", SCRIPT], capture_output=True, check=False, cwd=chaperone.folder)
    assert done.returncode != 0
    assert b"name the folder that is kept between nights" in done.stderr
