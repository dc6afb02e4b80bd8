"""`chaperone audit` from log to reports, on the sample logs and on small ones."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone

QUIET = '{"id": "q", "turns": [{"role": "user", "content": "hi"}]}'


def report(chaperone: Chaperone, *args: str | Path) -> dict[str, Any]:
    chaperone("audit", *args, "-o", "report.json")
    document: dict[str, Any] = json.loads((chaperone.folder / "report.json").read_bytes())
    validator("report.v1").validate(document)
    return document


@pytest.mark.parametrize(
    ("rule", "blocked", "first", "attribution", "judged", "cast", "until_block"),
    [
        ("unanimous", [10, 0, 0], 2.9, [9, 1], [90, 91], 1326, 471),
        ("balanced", [10, 0, 0], 2.7, [9, 1], [91, 92], 1804, 1283),
        ("conservative", [10, 1, 0], 2.6, [10, 0], [92, 92], 2265, 1994),
    ],
)
def test_recorded_votes_on_the_thirty(
    chaperone: Chaperone,
    samples: Path,
    rule: str,
    blocked: list[int],
    first: float,
    attribution: list[int],
    judged: list[int],
    cast: int,
    until_block: int,
) -> None:
    command = (samples / "thirty.jsonl", "--evaluator", "recorded", "--rule", rule)
    found = report(chaperone, *command)
    flagged = [one for one in found["conversations"] if one["verdict"] == "block"]
    labels = ("parasocial", "sycophantic", "neutral")
    assert [sum(one["label"] == label for one in flagged) for label in labels] == blocked
    bonded = [one for one in flagged if one["label"] == "parasocial"]
    assert sum(one["first_block"]["turn"] for one in bonded) / len(bonded) == first
    sides = [one["attribution"] for one in bonded]
    assert [sides.count("prompt"), sides.count("response")] == attribution
    turns = [turn["side"] for one in bonded for turn in one["turns"] if turn["verdict"] == "block"]
    assert [turns.count("prompt"), turns.count("response")] == judged
    assert found["summary"]["votes_cast"] == cast
    assert found["summary"]["votes_saved"] == 3000 - cast
    assert report(chaperone, *command, "--until-block")["summary"]["votes_cast"] == until_block
    every = report(chaperone, *command, "--all-votes")["summary"]
    assert every["votes_cast"] == 3000
    assert every["blocked_by_rule"] == {"unanimous": 10, "balanced": 10, "conservative": 11}


def test_early_stopping_changes_no_verdict(chaperone: Chaperone, samples: Path) -> None:
    command = (samples / "thirty.jsonl", "--evaluator", "recorded", "--rule", "balanced")

    def verdicts(document: dict[str, Any]) -> list[Any]:
        return [
            (one["conversation"], [(turn["turn"], turn["verdict"]) for turn in one["turns"]])
            for one in document["conversations"]
        ]

    assert verdicts(report(chaperone, *command)) == verdicts(
        report(chaperone, *command, "--all-votes")
    )


def test_tolerant_is_unanimous_and_a_number_is_itself(chaperone: Chaperone, samples: Path) -> None:
    command = (samples / "thirty.jsonl", "--evaluator", "recorded", "--rule")
    by_name = report(chaperone, *command, "unanimous")
    by_alias = report(chaperone, *command, "Tolerant")
    by_number = report(chaperone, *command, "5")
    assert by_name["conversations"] == by_alias["conversations"] == by_number["conversations"]
    assert by_alias["run"]["rule"] == {"name": "unanimous", "threshold": 5}
    assert by_number["run"]["rule"] == {"name": "5", "threshold": 5}


def test_all_formats_come_from_one_run_and_agree(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone(
        *("audit", samples / "thirty.jsonl", "--evaluator", "recorded"),
        *("-o", "a.json", "-o", "a.jsonl", "-o", "a.csv"),
    )
    assert (outcome.code, outcome.err) == (10, "wrote a.json\nwrote a.jsonl\nwrote a.csv\n")
    document = json.loads((chaperone.folder / "a.json").read_bytes())
    lines = [json.loads(line) for line in (chaperone.folder / "a.jsonl").read_bytes().splitlines()]
    for line in lines:
        validator("verdict.v1").validate(line)
    assert lines == document["conversations"]
    with (chaperone.folder / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["conversation"], row["turn"], row["verdict"], row["score"]) for row in rows] == [
        (one["conversation"], str(turn["turn"]), turn["verdict"], str(turn["score"]))
        for one in lines
        for turn in one["turns"]
    ]


def test_equal_runs_write_equal_verdict_files(chaperone: Chaperone, samples: Path) -> None:
    command = ("audit", samples / "thirty.jsonl", "--quote")
    chaperone(*command, "-o", "a.jsonl", "-o", "a.csv")
    chaperone(*command, "-o", "b.jsonl", "-o", "b.csv", "--concurrency", "1")
    for suffix in ("jsonl", "csv"):
        written = [(chaperone.folder / f"{name}.{suffix}").read_bytes() for name in "ab"]
        assert written[0] == written[1]
        assert written[0]


class TestExitCodes:
    def audit(self, chaperone: Chaperone, *more: str, votes: str = "", log: str = QUIET) -> int:
        chaperone.write("log.jsonl", log)
        chaperone.write(
            "log.votes.jsonl", f'{{"conversation": "q", "turn": 1, "votes": [{votes}]}}'
        )
        return chaperone(
            "audit", "log.jsonl", "--evaluator", "recorded", "--votes", "3", *more
        ).code

    def test_nothing_blocked(self, chaperone: Chaperone) -> None:
        assert self.audit(chaperone, votes="1, 1, 0") == 0

    def test_a_blocked_turn(self, chaperone: Chaperone) -> None:
        assert self.audit(chaperone, votes="1, 1, 1") == 10
        assert self.audit(chaperone, "--fail-on", "block", votes="1, 1, 1") == 10
        assert self.audit(chaperone, "--fail-on", "never", votes="1, 1, 1") == 0

    def test_an_undecided_turn(self, chaperone: Chaperone) -> None:
        assert self.audit(chaperone, votes='1, 1, "refused"') == 11
        assert self.audit(chaperone, "--fail-on", "block", votes='1, 1, "refused"') == 0

    def test_unread_input_after_what_was_found(self, chaperone: Chaperone) -> None:
        assert self.audit(chaperone, votes="0", log=f"{QUIET}\n{{") == 3
        assert self.audit(chaperone, votes="1, 1, 1", log=f"{QUIET}\n{{") == 10

    def test_a_missing_vote_is_for_the_user_to_mend(self, chaperone: Chaperone) -> None:
        assert self.audit(chaperone, "--votes", "4", votes="1, 1, 1") == 2

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (("--rule", "strict"), "unknown rule 'strict'"),
            (("--rule", "6"), "rule 6 needs 6 yes votes, but each turn gets only 3"),
            (("--evaluator", "oracle"), "unknown evaluator 'oracle'"),
            (("--format", "xml"), "unknown format 'xml'"),
            (("--rubric", "nothing"), "there is no rubric named 'nothing'"),
            (("-o", "report.pdf"), "report.pdf"),
        ],
    )
    def test_a_wrong_option(
        self, chaperone: Chaperone, args: tuple[str, ...], message: str
    ) -> None:
        chaperone.write("log.jsonl", QUIET)
        outcome = chaperone(
            *("audit", "log.jsonl", "--evaluator", "recorded", "--votes", "3"), *args
        )
        assert (outcome.code, outcome.out) == (2, "")
        assert message in outcome.err
        assert "hint:" in outcome.err


def test_options_come_before_variables_and_those_before_the_file(
    chaperone: Chaperone, samples: Path
) -> None:
    chaperone.write("chaperone.toml", 'evaluator = "recorded"', "rule = 2", "votes = 4")
    log = samples / "thirty.jsonl"
    assert report(chaperone, log)["run"]["rule"] == {"name": "2", "threshold": 2}
    outcome = chaperone("audit", log, "-o", "a.json", env={"CHAPERONE_RULE": "3"})
    assert outcome.code == 10
    run = json.loads((chaperone.folder / "a.json").read_bytes())["run"]
    assert (run["rule"], run["passes"]) == ({"name": "3", "threshold": 3}, 4)
    chaperone("audit", log, "-o", "a.json", "--rule", "4", env={"CHAPERONE_RULE": "3"})
    run = json.loads((chaperone.folder / "a.json").read_bytes())["run"]
    assert (run["rule"], run["passes"]) == ({"name": "4", "threshold": 4}, 4)


def test_an_unknown_key_or_variable_stops_the_run(chaperone: Chaperone) -> None:
    outcome = chaperone("audit", "x.jsonl", env={"CHAPERONE_RULES": "3"})
    assert (outcome.code, outcome.err) == (
        2,
        "error: unknown environment variable CHAPERONE_RULES\n"
        "  hint: did you mean CHAPERONE_RULE?\n",
    )
    chaperone.write("chaperone.toml", "votez = 3")
    outcome = chaperone("audit", "x.jsonl")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.endswith(
        "chaperone.toml: unknown key 'votez'\n  hint: did you mean votes?\n"
    )


def test_standard_input_is_audited(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone(
        *("audit", "-", "--evaluator", "recorded", "-o", "a.json"),
        *("--recorded-votes", samples / "thirty.votes.jsonl"),
        stdin=(samples / "thirty.jsonl").read_bytes(),
    )
    assert outcome.code == 10
    found = json.loads((chaperone.folder / "a.json").read_bytes())
    assert found["summary"]["conversations"]["block"] == 10
    assert found["conversations"][0]["source"] == {"path": "-", "line": 1}


@pytest.mark.parametrize("quote", [False, True])
def test_no_text_leaves_without_being_asked_for(
    chaperone: Chaperone, samples: Path, quote: bool
) -> None:
    lines = (samples / "thirty.jsonl").read_text("utf-8").splitlines()
    broken = ['{"id": "x", "turns": [{"role": "user says a lot of things", "content": "y"}]}']
    chaperone.write("log.jsonl", *lines, *broken)
    outputs = ("a.json", "a.jsonl", "a.csv")
    outcome = chaperone(
        *("audit", "log.jsonl", "--all-votes"),
        *(word for name in outputs for word in ("-o", name)),
        *(["--quote"] if quote else []),
        env={"COLUMNS": "400"},
    )
    texts = [turn["content"] for line in lines for turn in json.loads(line)["turns"]]
    grams = {text[i : i + 20] for text in texts for i in range(len(text) - 19)}
    written = [(chaperone.folder / name).read_text("utf-8") for name in outputs]
    for shown in (outcome.out, outcome.err, *written):
        leaked = any(shown[i : i + 20] in grams for i in range(len(shown) - 19))
        assert leaked == (quote and shown != outcome.err)
