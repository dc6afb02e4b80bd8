"""A run that is killed at any moment goes on where it stopped, and ends as if it had not been."""

import contextlib
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from chaperone_cli.codec import rubric
from chaperone_cli.domain.conversation import Conversation, PrefixHasher
from chaperone_cli.readers import LogReader
from chaperone_cli.store import vote_key
from tests.support.cli import spawn
from tests.support.stalling import StallingEvaluator

KILLS = 20
CONCURRENCY = 4


class Crashes:
    """One log, audited again and again by processes that get killed."""

    def __init__(self, log: Path, folder: Path) -> None:
        folder.mkdir()
        self.log = log
        self.store = folder / "votes.sqlite3"
        self.asked_file = folder / "asked"
        self.reports = (folder / "verdicts.jsonl", folder / "verdicts.csv")

    def start(self) -> "subprocess.Popen[bytes]":
        return spawn(
            *("audit", self.log, "--evaluator", "stalling", "--store", self.store),
            *("--rule", "balanced", "--concurrency", str(CONCURRENCY), "--keep-abstentions"),
            *(word for report in self.reports for word in ("-o", report)),
            module="tests.support.stalling",
            STALLING_SECONDS="0.002",
            STALLING_ASKED=str(self.asked_file),
        )

    def asked(self) -> list[str]:
        """The votes asked for so far, as `CONVERSATION TURN PASS`."""
        return self.asked_file.read_text().splitlines() if self.asked_file.exists() else []

    def stored(self) -> set[bytes]:
        """The keys of the votes in the store."""
        if not self.store.exists():
            return set()
        with contextlib.closing(sqlite3.connect(self.store)) as db:
            try:
                return {row[0] for row in db.execute("SELECT key FROM votes")}
            except sqlite3.OperationalError:  # killed before the table was made
                return set()

    def run_until(self, asked: int) -> bool:
        """Runs until `asked` votes were asked for, then kills; False if it ended before that."""
        process = self.start()
        while process.poll() is None:
            if len(self.asked()) >= asked:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.001)
        process.communicate()
        return process.returncode == -signal.SIGKILL

    def contents(self) -> list[bytes]:
        return [report.read_bytes() for report in self.reports]


def keys(log: Path) -> dict[str, bytes]:
    """Gives the store key of every vote that an audit of `log` could ask for."""
    digest = rubric.load("parasocial").digest
    evaluator = StallingEvaluator().identity.digest
    found = {}
    for conversation in LogReader([str(log)]):
        assert isinstance(conversation, Conversation)
        hasher = PrefixHasher(conversation)
        for turn in conversation.turns:
            prefix = hasher.up_to(turn)
            for number in range(1, 6):
                name = f"{conversation.id} {turn.number} {number}"
                found[name] = vote_key(prefix, digest, evaluator, number)
    return found


def test_killed_runs_resume_without_losing_or_repeating_a_vote(
    tmp_path: Path, samples: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(samples.joinpath("thirty.jsonl").read_bytes().splitlines(True)[:12]))
    whole = Crashes(log, tmp_path / "whole")
    assert not whole.run_until(10**9)
    key_of = keys(log)
    draw = random.Random(20250821)

    crashed = Crashes(log, tmp_path / "crashed")
    lost = 0
    for _ in range(KILLS):
        before, kept = len(crashed.asked()), crashed.stored()
        assert crashed.run_until(before + draw.randint(1, 25))
        asked_now = crashed.asked()[before:]
        assert kept <= crashed.stored()
        assert [vote for vote in asked_now if key_of[vote] in kept] == []
        in_flight = [vote for vote in asked_now if key_of[vote] not in crashed.stored()]
        assert len(in_flight) <= CONCURRENCY * 5
        lost += len(in_flight)
    assert not crashed.run_until(10**9)

    assert crashed.contents() == whole.contents()
    assert crashed.stored() == whole.stored()
    assert len(crashed.asked()) == len(whole.asked()) + lost
    assert sorted(set(crashed.asked())) == sorted(whole.asked())


def test_a_finished_run_asks_nothing_again(tmp_path: Path, samples: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = samples.joinpath("thirty.jsonl").read_bytes().splitlines(True)
    log.write_bytes(b"".join(lines[:2]))
    runs = Crashes(log, tmp_path / "runs")
    assert not runs.run_until(10**9)
    first, asked = runs.contents(), runs.asked()
    assert not runs.run_until(10**9)
    assert (runs.contents(), runs.asked()) == (first, asked)
