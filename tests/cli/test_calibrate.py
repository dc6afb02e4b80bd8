"""`chaperone calibrate`: what a screen would have missed, held against what a screened run does."""

import json
from pathlib import Path
from typing import Any

from chaperone_cli.codec.schemas import validator
from tests.cli.test_screen import BREAD, LOVE, line, votes
from tests.support.cli import Chaperone


def calibrated(chaperone: Chaperone, *args: str | Path, code: int = 0) -> tuple[str, Any]:
    outcome = chaperone("calibrate", *args, "--evaluator", "recorded", "-o", "c.json")
    assert (outcome.code, outcome.err) == (code, "wrote c.json\n")
    document = json.loads((chaperone.folder / "c.json").read_bytes())
    validator("calibration.v1").validate(document)
    return outcome.out, document


def lines(chaperone: Chaperone, name: str) -> list[str]:
    return (chaperone.folder / name).read_text("utf-8").splitlines()


def test_the_thirty(chaperone: Chaperone, samples: Path) -> None:
    log = samples / "thirty.jsonl"
    said, document = calibrated(chaperone, log, "--screen", "local")
    assert document["conversations"] == {"total": 30, "blocked": 10}
    assert document["turns"] == {"total": 600, "blocking": 181, "undecided": 0}
    assert document["votes_cast"] == 1326
    in_force, level = document["in_force"], document["run"]["screen"]["level"]
    assert in_force["level"] == level
    assert (in_force["missed"], in_force["delayed"], document["displaced"]) == (0, 0, [])
    assert [one["label"] for one in document["labels"]] == ["parasocial", "sycophantic", "neutral"]
    assert f"level {level:g} misses 0 of 10 first blocks and delays 0 " in said
    assert f"suggested: --screen-level {document['suggested']:g}, " in said

    chaperone("audit", log, "--evaluator", "recorded", "--screen", "local", "-o", "a.json")
    run = json.loads((chaperone.folder / "a.json").read_bytes())
    assert in_force["screened_out"] == {
        "conversations": run["summary"]["screened_out"]["conversations"],
        "turns": sum(run["summary"]["screened_out"]["turns"].values()),
        "blocking": 181 - sum(run["summary"]["turns_blocked"].values()),
        "undecided": 0,
        "votes": run["summary"]["screened_out"]["votes"],
        "votes_cast": 1326 - run["summary"]["votes_cast"],
    }


def test_a_suggested_level_keeps_every_first_block(chaperone: Chaperone, samples: Path) -> None:
    log = samples / "thirty.jsonl"
    _, document = calibrated(chaperone, log, "--screen", "local")
    recorded = ("audit", log, "--evaluator", "recorded")
    level = f"--screen-level={document['suggested']}"
    chaperone(*recorded, "-o", "before.jsonl")
    chaperone(*recorded, "--screen", "local", level, "-o", "after.jsonl")
    before, after = (
        [json.loads(row)["first_block"] for row in lines(chaperone, name)]
        for name in ("before.jsonl", "after.jsonl")
    )
    assert after == before


def test_what_a_level_misses_is_named_and_fails_a_criterion(chaperone: Chaperone) -> None:
    log = chaperone.write("log.jsonl", line("love", *LOVE), line("bread", *BREAD))
    chaperone.write(
        "log.votes.jsonl", *votes("love", [0] * 5, [1] * 5), *votes("bread", [0] * 5, [0] * 5)
    )
    high = ("--screen", "local", "--screen-level", "1000")
    said, document = calibrated(chaperone, log, *high)
    assert document["displaced"] == [
        {"conversation": "love", "label": None, "first_block": 2, "first_block_screened": None}
    ]
    assert document["in_force"]["missed"] == 1
    assert "  love: blocked at turn 2, missed\n" in said
    calibrated(chaperone, log, *high, "--max-missed", "0.5", code=12)
    calibrated(chaperone, log, *high, "--max-missed", "1")
    low = ("--screen", "local", "--screen-level=-1000")
    calibrated(chaperone, log, *low, "--max-missed", "0")


def test_a_log_without_a_block_suggests_nothing(chaperone: Chaperone) -> None:
    log = chaperone.write("log.jsonl", line("bread", *BREAD))
    chaperone.write("log.votes.jsonl", *votes("bread", [0] * 5, [0] * 5))
    said, document = calibrated(chaperone, log, "--screen", "local")
    assert document["suggested"] is None
    assert "no level can be suggested: the votes block nothing that could be missed\n" in said


def test_without_a_screen_there_is_nothing_to_calibrate(chaperone: Chaperone) -> None:
    outcome = chaperone("calibrate", "log.jsonl", "--evaluator", "recorded", "--screen", "none")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == ("error: there is no screen to calibrate\n  hint: add --screen local\n")
