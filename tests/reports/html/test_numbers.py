"""The page and `report.v1` of the same run say the same, number by number."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median_low
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pytest

from tests.conftest import SAMPLES
from tests.reports.html import pages
from tests.reports.html.conftest import Visit
from tests.reports.html.odd import write_odd
from tests.support.cli import spawn

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Run(NamedTuple):
    """One run's page and its JSON."""

    page: Path
    json: dict[str, Any]

    @property
    def conversations(self) -> list[dict[str, Any]]:
        """The verdicts."""
        found: list[dict[str, Any]] = self.json["conversations"]
        return found


def audited(folder: Path, *options: str) -> Run:
    page, saved = folder / "report.html", folder / "report.json"
    process = spawn("audit", SAMPLES / "thirty.jsonl", "-o", page, "-o", saved, *options)
    _, told = process.communicate()
    assert process.returncode == 10, told.decode()
    return Run(page, json.loads(saved.read_bytes()))


@pytest.fixture(scope="module", params=["all_votes", "settled", "odd"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The sample dialogues with all votes and quotes, the same with early stops, and odd ones."""
    folder = tmp_path_factory.mktemp("run")
    match request.param:
        case "all_votes":
            yield audited(folder, "--all-votes", "--quote")
        case "settled":
            yield audited(folder, "--rule", "balanced", "--until-block")
        case _:
            page, saved = write_odd(folder)
            yield Run(page, json.loads(saved.read_bytes()))


@pytest.fixture(scope="module")
def page(run: Run, visit_long: Visit) -> "Page":
    return visit_long(run.page)


def test_totals(run: Run, page: "Page") -> None:
    summary, usage = run.json["summary"], run.json["usage"]
    counts, problems = summary["conversations"], summary["problems"]
    shown = pages.figures(page)
    expected = {
        "blocked": counts["block"],
        "undecided": counts["undecided"],
        "passed": counts["pass"] - counts["empty"],
        "judged": sum(summary["turns_judged"].values()),
        "saved": summary["votes_saved"],
        "problems": sum(problems.values()),
        "votes_cast": summary["votes_cast"],
        "votes_saved": summary["votes_saved"],
        "abstentions": sum(summary["abstentions"].values()),
        "blocked_prompt": summary["turns_blocked"]["prompt"],
        "blocked_response": summary["turns_blocked"]["response"],
        **usage,
    }
    agreement = summary["agreement"]
    expected |= {
        "alike": agreement["alike"],
        "independent_votes": round(agreement["independent_votes"], 1),
    }
    if any(problems.values()):
        expected |= {"errors": problems["error"], "warnings": problems["warning"]}
    firsts = [one["first_block"]["turn"] for one in run.conversations if one["first_block"]]
    expected |= {"median": median_low(firsts), "mean": round(fmean(firsts), 1)}
    assert shown == expected


def test_bars(run: Run, page: "Page") -> None:
    summary = run.json["summary"]
    found = summary["conversations"]
    counts = {name: found[name] for name in ("block", "undecided", "pass")}
    counts["pass"] -= found["empty"]
    assert pages.bars(page, "verdicts") == counts
    assert pages.bars(page, "attribution") == summary["attribution"]
    assert pages.bars(page, "rules") == summary.get("blocked_by_rule", {})
    cues = Counter(
        cue
        for one in run.conversations
        for cue in {
            cue
            for turn in one["turns"]
            for each in turn.get("evidence", ())
            for cue in each["cues"]
        }
    )
    assert pages.bars(page, "cues") == cues


def test_labels(run: Run, page: "Page") -> None:
    counts = Counter(
        (one["label"], verdict)
        for one in run.conversations
        for verdict in (one["verdict"], "all")
        if "label" in one
    )
    labels = {label for label, _ in counts}
    assert {tuple(row) for row in pages.cells(page, "labels")} == {
        (label, *(str(counts[label, each]) for each in ("block", "undecided", "pass", "all")))
        for label in labels
    }


def test_first_blocks(run: Run, page: "Page") -> None:
    firsts = [one["first_block"] for one in run.conversations if one["first_block"]]
    expected: Counter[tuple[int, str]] = Counter((one["turn"], one["side"]) for one in firsts)
    shown: Counter[tuple[int, str]] = Counter()
    for turn, prompts, responses in pages.cells(page, "first"):
        shown[int(turn), "prompt"] += int(prompts)
        shown[int(turn), "response"] += int(responses)
    assert +shown == expected


def test_scores(run: Run, page: "Page") -> None:
    scores: dict[tuple[str, int], list[int]] = {}
    for one in run.conversations:
        for turn in one["turns"]:
            scores.setdefault((one["verdict"], turn["turn"]), []).append(turn["score"])
    headings = page.locator("[data-chart=scores] thead th").all_text_contents()[1::2]
    for turn, *numbers in pages.cells(page, "scores"):
        for verdict, mean, count in zip(headings, numbers[::2], numbers[1::2], strict=True):
            found = scores.pop((verdict.lower(), int(turn)), [])
            assert (mean, int(count)) == (f"{fmean(found):.2f}" if found else "–", len(found))  # noqa: RUF001
    assert not scores


def test_list(run: Run, page: "Page") -> None:
    page.select_option("#sort", "log", force=True)
    assert pages.rows(page) == [pages.expected_row(one) for one in run.conversations]


def test_filters(run: Run, page: "Page") -> None:
    for verdict in ("block", "undecided", "pass"):
        for side in ("", "prompt", "response"):
            pages.go(page, f"#verdict={verdict}&side={side}&sort=log")
            assert [row["id"] for row in pages.rows(page)] == [
                one["conversation"]
                for one in run.conversations
                if one["verdict"] == verdict and (not side or one["attribution"] == side)
            ]


def test_timelines(run: Run, page: "Page") -> None:
    for one in run.conversations:
        pages.go(page, f"#c={quote(one['conversation'])}")
        assert pages.timeline(page) == pages.expected_timeline(one)
        evidence = [each for turn in one["turns"] for each in turn.get("evidence", ())]
        spans = [each["span"] for each in evidence if "span" in each]
        assert {f"“{span['quote']}”" for span in spans if "quote" in span} == pages.quotes(page)
