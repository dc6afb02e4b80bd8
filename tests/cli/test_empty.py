"""A conversation without a turn to vote on is never said to have passed."""

import csv
import json

import pytest

from tests.support.cli import Chaperone
from tests.support.runs import NO

EMPTY = {"id": "empty", "turns": []}
TALK = {"id": "talk", "turns": [{"role": "user", "content": "How long do leeks take to cook?"}]}
TOTALS = "0 undecided, 1 passed, 1 without a turn to vote on"


@pytest.fixture
def log(chaperone: Chaperone) -> str:
    chaperone.write("log.votes.jsonl", json.dumps({"conversation": "talk", "turn": 1, "votes": NO}))
    return chaperone.write("log.jsonl", json.dumps(EMPTY), json.dumps(TALK)).name


def test_no_format_says_that_it_passed(chaperone: Chaperone, log: str) -> None:
    files = ("r.json", "r.csv", "r.parquet", "r.md", "r.xml", "r.html")
    more = [word for name in files for word in ("-o", name)]
    voting = ("--evaluator", "recorded", "--votes", "3")
    outcome = chaperone("audit", log, *voting, *more)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    [row] = [line.split() for line in lines if line.startswith("empty ")]
    assert row == ["empty", "no", "turn", "-"]
    assert f"0 of 2 conversations blocked (0 %), {TOTALS}" in lines
    read = {name: (chaperone.folder / name).read_bytes() for name in files}
    cells = {
        row["conversation"]: row["verdict"]
        for row in csv.DictReader(read["r.csv"].decode().splitlines())
    }
    assert cells == {"empty": "", "talk": "pass"}
    assert f"| conversations | 0 blocked, {TOTALS} |" in read["r.md"].decode()
    assert b'<skipped message="no turn to vote on"></skipped>' in read["r.xml"]
    page = read["r.html"].decode()
    assert '<span class="number" data-stat="passed">1</span>' in page
    assert "50 % of all, 1 without a turn</span>" in page
    assert "and 1 without a turn to vote on" in page
    assert '<span class="badge screened">no turn</span>' in page
    for source in (log, "r.json"):
        shown = chaperone("show", source, "--conversation", "empty", *voting).out
        assert shown.splitlines()[1] == "without a turn to vote on; 0 of 0 turns judged"
    again = chaperone("report", "r.json", "--rows", "0").out.splitlines()
    assert any(
        line.startswith("not shown: 1 passed, 1 without a turn to vote on;") for line in again
    )


def test_counts_of_one_are_in_the_singular(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", json.dumps(TALK), "{")
    outcome = chaperone("validate", "log.jsonl")
    assert outcome.out.splitlines()[-2:] == [
        "1 conversation with 1 turn can be audited; 1 error, 0 warnings",
        "31 characters of text, all kept",
    ]
