"""Every format marks the conversations that the run was cut short in."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.run import Ending
from chaperone_cli.reports import for_path
from chaperone_cli.reports.files import place_of
from tests.reports.hostile import blocked, undecided
from tests.reports.runs import Judged, header, report

NOBODY = Conversation("c", (), Source("a.jsonl", 1))
OPEN = replace(blocked("open"), turns_total=6, turns_selected=6, partial=True)
BLOCKED = replace(OPEN, conversation="blocked")
OPEN = replace(OPEN, turns=OPEN.turns[:1])
WHOLE = blocked("whole")


def written(folder: Path, name: str, log: str = "a.jsonl") -> bytes:
    path = folder / name
    verdicts = (BLOCKED, OPEN, WHOLE, undecided("left"))
    run = [Judged(NOBODY, replace(one, source=Source(log, 1)), {}) for one in verdicts]
    report(for_path(path), header(passes=3), run, (), Ending.INTERRUPTED)
    return place_of(path, Ending.INTERRUPTED).read_bytes()


def test_csv(tmp_path: Path) -> None:
    found = list(csv.DictReader(written(tmp_path, "r.csv").decode().splitlines()))
    marks = {(row["conversation"], row["partial"]) for row in found}
    assert marks == {
        ("blocked", "true"),
        ("open", "true"),
        ("whole", "false"),
        ("left", "false"),
    }


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    written(tmp_path, "r.parquet")
    found = parquet.read_table(tmp_path / "r.incomplete.parquet").to_pylist()
    marks = {(row["conversation"], row["partial"]) for row in found}
    assert marks == {("blocked", True), ("open", True), ("whole", False), ("left", False)}


def test_sarif(tmp_path: Path) -> None:
    run = json.loads(written(tmp_path, "r.sarif"))["runs"][0]
    marks = {
        one["properties"]["conversation"]: one["properties"].get("partial")
        for one in run["results"]
    }
    assert marks == {"blocked": True, "whole": None}
    said = [one["message"]["text"] for one in run["results"]]
    assert ["The run was cut short after turn 2." in one for one in said] == [True, False]
    told = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert told == [
        "Conversation open stayed undecided: the run was cut short after turn 1.",
        "Conversation left stayed undecided.",
    ]


def test_junit(tmp_path: Path) -> None:
    said = re.findall(r'message="([^"]*)"', written(tmp_path, "r.xml").decode())
    assert said[:3] == [
        "turn 2, a response, is the first to block: 3 of 3; the run was cut short after turn 2",
        "the run was cut short after turn 1",
        "turn 2, a response, is the first to block: 3 of 3",
    ]


def test_markdown(tmp_path: Path) -> None:
    text = written(tmp_path, "r.md").decode()
    verdicts = re.findall(r"\| `(\w+)` \|  ?\|? ?(\w+(?:, in part)?) \|", text)
    assert verdicts == [
        ("blocked", "block, in part"),
        ("whole", "block"),
        ("open", "undecided, in part"),
        ("left", "undecided"),
    ]
    assert "2 blocked, 2 undecided, 0 passed, 2 of them in part |" in text


def test_html(tmp_path: Path) -> None:
    text = written(tmp_path, "r.html").decode()
    assert "covers the 4 conversations audited until then, 2 of them in part." in text
    blocks = re.findall(r'<script type="application/json" class="\w+">(.*?)</script>', text, re.S)
    rows: list[list[Any]] = json.loads(blocks[0])
    place = json.loads(blocks[1])["columns"].index("partial")
    assert {row[0]: row[place] for row in rows} == {
        "blocked": "was cut short after turn 2",
        "open": "was cut short after turn 1",
        "whole": 0,
        "left": 0,
    }
    static = dict(re.findall(r"<bdi>(\w+)</bdi></th>(.*?)</tr>", text, re.S))
    assert "3 of 3; cut short" in static["blocked"]
    assert '<span class="badge cut">cut short</span>' in static["open"]
    assert "cut short" not in static["whole"] + static["left"]
