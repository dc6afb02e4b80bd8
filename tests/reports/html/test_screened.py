"""The page of a screened run: what nobody was asked about looks like neither a pass nor a gap."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SAMPLES
from tests.reports.html import pages
from tests.reports.html.conftest import Visit
from tests.support.cli import spawn


@pytest.fixture
def run(tmp_path: Path) -> dict[str, Any]:
    process = spawn(
        *("audit", SAMPLES / "thirty.jsonl", "--evaluator", "recorded", "--screen", "local"),
        *("--screen-level", "0", "-o", tmp_path / "r.html", "-o", tmp_path / "r.json"),
    )
    _, told = process.communicate()
    assert process.returncode == 10, told.decode()
    found: dict[str, Any] = json.loads((tmp_path / "r.json").read_bytes())
    return found


def test_the_page_says_what_was_screened_out(
    run: dict[str, Any], tmp_path: Path, visit: Visit
) -> None:
    page = visit(tmp_path / "r.html")
    figures = page.evaluate(pages.FIGURES)
    out = run["summary"]["screened_out"]
    turns = sum(out["turns"].values())
    assert figures["votes_screened_out"] == out["votes"] == 5 * turns
    assert figures["judged"] == 600 - turns
    assert f"of 600 turns, {turns} screened out" in page.locator(".stats").inner_text()
    badges = {row["id"]: row["verdict"] for row in pages.rows(page)}
    expected = {
        one["conversation"]: one["verdict"] if one["turns"] else "screened out"
        for one in run["conversations"]
    }
    assert badges == expected
    assert list(badges.values()).count("screened out") == out["conversations"] > 0
    whole = next(name for name, badge in badges.items() if badge == "screened out")
    pages.go(page, f"#c={whole}")
    said = page.locator(".turn.gap").all_text_contents()
    assert said == ["turns 1 to 20 were screened out: no vote was asked for"]
    assert page.locator("#conversation .strip .cell-screened").count() == 1
    assert page.locator("#conversation .strip .cell-pass").count() == 0


def test_runs_of_screened_turns_stand_between_judged_ones(
    run: dict[str, Any], tmp_path: Path, visit: Visit
) -> None:
    page = visit(tmp_path / "r.html")
    mixed = next(one for one in run["conversations"] if one["turns"] and "screened_out" in one)
    pages.go(page, f"#c={mixed['conversation']}")
    listed = page.locator(".timeline > li").evaluate_all(
        "(items) => items.map((item) => item.dataset.turn ?? item.textContent)"
    )
    expected: list[str] = []
    screened = {turn["turn"] for turn in mixed["screened_out"]}
    first = 0
    for number in range(1, 22):
        if number in screened:
            first = first or number
            continue
        if first:
            last = number - 1
            which = f"turn {first} was" if first == last else f"turns {first} to {last} were"
            expected.append(f"{which} screened out: no vote was asked for")
            first = 0
        if number <= 20:
            expected.append(str(number))
    assert listed == expected
