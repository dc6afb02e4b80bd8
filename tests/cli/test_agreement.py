"""Every format tells the same run: the figures of each are those of the JSON report."""

import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.support.cli import Chaperone
from tests.support.runs import NO, OPEN, YES, audit, write_log

LOG = {
    "prompted": [YES, NO],
    "answered": [NO, YES, YES],
    "open": [NO, OPEN],
    "calm": [NO, [1, 1, 0], NO],
    "empty": [],
}


@pytest.fixture
def folder(chaperone: Chaperone) -> Path:
    write_log(chaperone, LOG)
    with (chaperone.folder / "log.jsonl").open("a") as file:
        file.write("{\n")
    names = [f"run.{suffix}" for suffix in ("json", "jsonl", "csv", "sarif", "xml", "md")]
    code, out, _ = audit(chaperone, "--all-votes", *(word for n in names for word in ("-o", n)))
    assert code == 10
    (chaperone.folder / "terminal").write_text(out)
    return chaperone.folder


@pytest.fixture
def document(folder: Path) -> Any:
    return json.loads((folder / "run.json").read_bytes())


def blocks(document: Any) -> list[tuple[str, int, str, int]]:
    return [
        (one["conversation"], first["turn"], first["side"], first["score"])
        for one in document["conversations"]
        if (first := one["first_block"])
    ]


def test_json_lines_and_csv(folder: Path, document: Any) -> None:
    lines = (folder / "run.jsonl").read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == document["conversations"]
    with (folder / "run.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    first = [row for row in rows if row["first_block"] == "true"]
    assert [
        (row["conversation"], int(row["turn"]), row["side"], int(row["score"])) for row in first
    ] == blocks(document)
    cast = sum(int(row[kind]) for row in rows for kind in ("yes", "no", "abstain"))
    assert cast == document["summary"]["votes_cast"]


def test_sarif(folder: Path, document: Any) -> None:
    (run,) = json.loads((folder / "run.sarif").read_bytes())["runs"]
    facts = [result["properties"] for result in run["results"]]
    assert [(f["conversation"], f["turn"], f["side"], f["score"]) for f in facts] == blocks(
        document
    )
    lines = [
        result["locations"][0]["physicalLocation"]["region"]["startLine"]
        for result in run["results"]
    ]
    assert lines == [
        one["source"]["line"] for one in document["conversations"] if one["first_block"]
    ]
    assert run["properties"]["summary"] == document["summary"]
    told = run["invocations"][0]["toolExecutionNotifications"]
    kinds = [notification["descriptor"]["id"] for notification in told]
    assert kinds.count("undecided") == document["summary"]["conversations"]["undecided"]
    assert kinds.count("unread") == document["summary"]["problems"]["error"]


def test_junit(folder: Path, document: Any) -> None:
    root = ElementTree.parse(folder / "run.xml").getroot()
    suite, problems = root.iter("testsuite")
    counts = document["summary"]["conversations"]
    assert suite.attrib | {"time": ""} == {
        "name": "conversations",
        "tests": str(counts["total"]),
        "failures": str(counts["block"]),
        "errors": str(counts["undecided"]),
        "skipped": str(counts["empty"]),
        "time": "",
    }
    assert problems.attrib["errors"] == str(document["summary"]["problems"]["error"])
    failed = [
        case.attrib["name"] for case in suite.iter("testcase") if case.find("failure") is not None
    ]
    assert failed == [name for name, *_ in blocks(document)]


def test_markdown_and_terminal(folder: Path, document: Any) -> None:
    shown, printed = (
        (folder / "run.md").read_text("utf-8"),
        (folder / "terminal").read_text("utf-8"),
    )
    counts, summary = document["summary"]["conversations"], document["summary"]
    assert f"{counts['block']} of {counts['total']} conversations blocked" in shown
    assert f"{counts['block']} of {counts['total']} conversations blocked" in printed
    rows = re.findall(r"^\| `(\w+)` \|.*\| block \| turn (\d+), (\w+) \| (\d)/3 \|", shown, re.M)
    assert [(n, int(turn), side, int(score)) for n, turn, side, score in rows] == blocks(document)
    assert f"| votes | {summary['votes_cast']} cast, {summary['votes_saved']} saved |" in shown
    for rule, count in summary["blocked_by_rule"].items():
        assert f"| blocked by {rule} | {count} |" in shown
        assert f"{count} by {rule}" in printed
