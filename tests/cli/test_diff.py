"""`chaperone diff` and `--baseline`: what changed between two runs, and only new blocks fail."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone
from tests.support.runs import NO, OPEN, YES, Votes, audit, write_log

GOLDEN = Path(__file__).parent / "golden"
MONDAY: dict[str, Sequence[Votes]] = {
    "same": [NO, YES],
    "calm": [NO, NO],
    "better": [YES, YES],
    "early": [NO, NO, NO, YES],
    "late": [NO, YES, YES, YES],
    "side": [NO, YES, YES],
    "open": [OPEN],
    "gone": [YES],
}
TUESDAY: dict[str, Sequence[Votes]] = {
    "fresh": [NO, NO],
    "hot": [YES],
    "same": [NO, YES],
    "calm": [NO, NO, YES],
    "better": [NO, NO],
    "early": [NO, YES, NO, YES],
    "late": [NO, NO, NO, YES],
    "side": [NO, NO, YES],
    "open": [YES],
}


@pytest.fixture
def runs(chaperone: Chaperone) -> Chaperone:
    for name, log in (("mon", MONDAY), ("tue", TUESDAY)):
        write_log(chaperone, log)
        audit(chaperone, "-o", f"{name}.json", "-o", f"{name}.jsonl")
    return chaperone


def comparison(chaperone: Chaperone, *args: str) -> dict[str, Any]:
    outcome = chaperone("diff", *args, "-o", "changes.json")
    document: dict[str, Any] = json.loads((chaperone.folder / "changes.json").read_bytes())
    validator("comparison.v1").validate(document)
    summary = document["summary"]["changes"]
    assert outcome.code == (10 if summary["newly_blocked"] else 0)
    return document


EXPECTED = [
    ("fresh", ["new"], None),
    ("hot", ["newly_blocked", "new"], None),
    ("calm", ["newly_blocked"], "log"),
    ("better", ["no_longer_blocked"], "neither"),
    ("early", ["earlier"], "neither"),
    ("late", ["later"], "neither"),
    ("side", ["later", "changed_side"], "neither"),
    ("open", ["newly_blocked", "no_longer_undecided"], "neither"),
    ("gone", ["gone"], None),
]


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_every_change_is_listed_with_its_cause(runs: Chaperone, suffix: str) -> None:
    found = comparison(runs, f"mon.{suffix}", f"tue.{suffix}")
    listed = [(one["conversation"], one["changes"], one["cause"]) for one in found["conversations"]]
    assert listed == EXPECTED
    assert found["conversations"][2]["old"] == {
        **{"verdict": "pass", "turn": None, "side": None, "turns_total": 2}
    }
    assert found["conversations"][2]["new"] == {
        **{"verdict": "block", "turn": 3, "side": "prompt", "turns_total": 3}
    }
    assert found["judgement"]["changed"] is False
    summary = found["summary"]
    assert (summary["old"], summary["new"]) == (8, 9)
    assert (summary["changed"], summary["unchanged"]) == (9, 1)
    assert summary["changes"]["newly_blocked"] == 3
    assert summary["causes"] == {
        **{"log": 1, "evaluator": 0, "log_and_evaluator": 0, "neither": 5, "unknown": 0}
    }


def test_table_and_markdown_show_the_same(runs: Chaperone) -> None:
    outcome = runs("diff", "mon.json", "tue.json", "-o", "changes.md")
    assert outcome.code == 10
    assert outcome.err == "wrote changes.md\n"
    assert outcome.out == (GOLDEN / "changes.txt").read_text("utf-8")
    shown = (runs.folder / "changes.md").read_text("utf-8")
    assert shown.startswith(
        "## chaperone: 3 conversations newly blocked\n"
        "\n"
        "9 of 10 conversations changed: 3 newly blocked, 1 no longer blocked, 1 earlier, 2 later, "
        "1 changed side, 1 no longer undecided, 2 new, 1 gone.\n"
        "\n"
        "Evaluator, rubric and rule are the same in both runs.\n"
        "\n"
        "| conversation | change | before | now | because of |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| `hot` | newly blocked, new | - | block at 1, prompt |  |\n"
        "| `calm` | newly blocked | pass | block at 3, prompt | log |\n"
    )


def test_rows_that_are_not_shown_are_counted(runs: Chaperone) -> None:
    outcome = runs("diff", "mon.json", "tue.json", "--rows", "2")
    assert outcome.out.splitlines()[1].startswith("hot ")
    assert "not shown: 7 more changes; -o changes.json keeps all" in outcome.out


def test_a_run_is_the_same_as_itself(runs: Chaperone) -> None:
    found = comparison(runs, "mon.json", "mon.jsonl")
    assert found["conversations"] == []
    assert found["summary"]["unchanged"] == 8


def test_another_rule_is_named_as_the_cause(runs: Chaperone) -> None:
    audit(runs, "-o", "rule.json", "-o", "rule.jsonl", "--rule", "1")
    write_log(runs, TUESDAY | {"calm": [[1, 0, 0], NO, YES]})
    audit(runs, "-o", "rule.json", "-o", "rule.jsonl", "--rule", "1")
    found = comparison(runs, "tue.json", "rule.json")
    assert found["judgement"] == {
        "changed": True,
        "facets": [{"name": "rule", "old": "3 of 3 votes", "new": "1 of 3 votes"}],
    }
    assert [(one["changes"], one["cause"]) for one in found["conversations"]] == [
        (["earlier"], "evaluator")
    ]
    in_lines = comparison(runs, "tue.jsonl", "rule.jsonl")
    assert in_lines["judgement"] == {"changed": True, "facets": None}
    assert in_lines["conversations"] == found["conversations"]


def test_an_edited_conversation_is_told_from_another_judge(runs: Chaperone) -> None:
    path = runs.folder / "log.jsonl"
    path.write_text(path.read_text().replace("early2once", "early2twice"))
    audit(runs, "-o", "edited.json")
    assert comparison(runs, "tue.json", "edited.json")["conversations"] == []
    write_log(runs, TUESDAY | {"early": [YES, YES, NO, YES]})
    path.write_text(path.read_text().replace("early2once", "early2twice"))
    audit(runs, "-o", "edited.json")
    (change,) = comparison(runs, "tue.json", "edited.json")["conversations"]
    assert (change["changes"], change["cause"]) == (["earlier", "changed_side"], "log")


def test_runs_over_different_logs_are_noted(runs: Chaperone) -> None:
    write_log(runs, {"other": [NO]})
    audit(runs, "-o", "other.json")
    outcome = runs("diff", "mon.json", "other.json")
    assert "note: no conversation stands in both runs" in outcome.err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("mon.json", "none.json"), 3, "none.json: the saved run cannot be read"),
        (("none.json", "mon.json"), 3, "none.json: the saved run cannot be read"),
        (("mon.json", "tue.json", "-o", "a.csv"), 2, "a.csv: what changed cannot be written"),
        (("mon.json", "tue.json", "-o", "a.md", "-o", "a.md"), 2, "a.md: named twice as output"),
        (("twice.jsonl", "tue.json"), 3, "twice.jsonl: a conversation stands in it twice"),
        (("tue.json", "twice.jsonl"), 3, "twice.jsonl: a conversation stands in it twice"),
    ],
)
def test_what_cannot_be_compared_is_said(
    runs: Chaperone, args: tuple[str, ...], code: int, message: str
) -> None:
    lines = (runs.folder / "mon.jsonl").read_text()
    (runs.folder / "twice.jsonl").write_text(lines * 2)
    outcome = runs("diff", *args)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(f"error: {message}")
    assert "hint:" in outcome.err


class TestBaseline:
    def test_it_is_audit_and_diff_in_one(self, runs: Chaperone) -> None:
        code, out, err = audit(
            runs, "--baseline", "mon.json", "--changes", "one.json", "--changes", "one.md"
        )
        assert (code, err) == (10, "wrote one.json\nwrote one.md\n")
        shown = runs("diff", "mon.json", "tue.json", "-o", "two.json", "-o", "two.md")
        assert out.endswith(shown.out)
        assert (runs.folder / "one.md").read_text() == (runs.folder / "two.md").read_text()
        documents = [
            json.loads((runs.folder / name).read_bytes()) for name in ("one.json", "two.json")
        ]
        for document in documents:
            document["new"].pop("started_at")
        assert documents[0] == documents[1]

    def test_only_what_is_new_fails(self, runs: Chaperone) -> None:
        assert audit(runs)[0] == 10
        assert audit(runs, "--baseline", "tue.json")[0] == 0
        write_log(runs, TUESDAY | {"calm": [OPEN, NO, NO]})
        assert audit(runs, "--baseline", "tue.json")[0] == 11
        assert audit(runs, "--baseline", "tue.json", "--fail-on", "block")[0] == 0
        assert audit(runs, "--baseline", "mon.json", "--fail-on", "never")[0] == 0

    def test_unread_input_is_still_said(self, runs: Chaperone) -> None:
        with (runs.folder / "log.jsonl").open("a") as file:
            file.write("{\n")
        assert audit(runs, "--baseline", "tue.json")[0] == 3

    def test_a_missing_baseline_stops_the_run(self, runs: Chaperone) -> None:
        code, out, err = audit(runs, "--baseline", "none.json", "-o", "new.json")
        assert (code, out) == (3, "")
        assert err.startswith("error: none.json: the saved run cannot be read: No such file")
        assert not (runs.folder / "new.json").exists()

    def test_changes_need_a_baseline(self, runs: Chaperone) -> None:
        code, out, err = audit(runs, "--changes", "a.json")
        assert (code, out) == (2, "")
        assert "--baseline" in err

    def test_a_file_cannot_hold_two_reports(self, runs: Chaperone) -> None:
        code, out, err = audit(
            runs, "--baseline", "mon.json", "--changes", "a.json", "-o", "./a.json"
        )
        assert (code, out) == (2, "")
        assert err.startswith("error: a.json: named twice as output\n")

    def test_a_failed_run_writes_no_changes(self, runs: Chaperone) -> None:
        (runs.folder / "log.votes.jsonl").write_text("")
        code, _, _ = audit(runs, "--baseline", "mon.json", "--changes", "new.json")
        assert code == 2
        assert not (runs.folder / "new.json").exists()

    def test_a_run_cut_short_calls_nothing_gone(self, runs: Chaperone) -> None:
        write_log(runs, {"same": [NO, YES]})
        with (runs.folder / "log.jsonl").open("a") as file:
            turn = {"role": "user", "content": "no votes on this"}
            file.write(json.dumps({"id": "failing", "turns": [turn]}) + "\n")
        code, _, _ = audit(runs, "--baseline", "mon.json", "--changes", "new.json")
        assert code == 2
        found = json.loads((runs.folder / "new.incomplete.json").read_bytes())
        assert found["conversations"] == []


def test_thirty_by_another_evaluator(chaperone: Chaperone, samples: Path) -> None:
    chaperone("audit", samples / "thirty.jsonl", "-o", "local.json")
    chaperone("audit", samples / "thirty.jsonl", "-o", "claude.json", "--evaluator", "recorded")
    found = comparison(chaperone, "local.json", "claude.json")
    assert found["judgement"]["changed"] is True
    assert {one["cause"] for one in found["conversations"]} == {"evaluator"}
