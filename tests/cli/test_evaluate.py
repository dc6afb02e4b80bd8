"""`chaperone evaluate` on the sample logs, and on logs that do not fit."""

import json
from pathlib import Path

from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone


def test_the_thirty_with_recorded_votes(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone(
        "evaluate", samples / "thirty.jsonl", "--evaluator", "recorded", "-o", "e.json"
    )
    assert (outcome.code, outcome.err) == (0, "wrote e.json\n")
    document = json.loads((chaperone.folder / "e.json").read_bytes())
    validator("evaluation.v1").validate(document)
    assert "left_out" not in document
    assert document["agreement"]["split_turns"] == 4
    assert round(document["agreement"]["kappa"], 2) == 0.99
    needed = [(rule["votes_needed"], rule["votes_until_block"]) for rule in document["rules"]]
    assert needed == [(1326, 471), (1804, 1283), (2265, 1994)]
    assert "Fleiss kappa" in outcome.out


def test_a_votes_file_needs_no_log(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone("evaluate", samples / "paper_ledger.votes.jsonl", "-o", "e.json")
    assert outcome.code == 0
    document = json.loads((chaperone.folder / "e.json").read_bytes())
    validator("evaluation.v1").validate(document)
    assert [rule["accuracy"]["rate"] for rule in document["rules"]] == [1.0, 0.8, 0.6]
    assert document["run"]["evaluator"]["settings"]["votes"] == "paper_ledger.votes.jsonl"


def test_a_votes_file_that_does_not_fit_names_its_line(chaperone: Chaperone) -> None:
    good = '{"conversation": "c", "turn": 1, "side": "prompt", "votes": [1, 1]}'
    for line, message in [
        (
            '{"conversation": "c", "turn": 2, "votes": [1, 1]}',
            "a votes file without its log must name each turn's `side`",
        ),
        (
            '{"conversation": "c", "turn": 2, "side": "prompt", "votes": [1]}',
            "1 vote, where 2 are expected",
        ),
        (
            '{"conversation": "c", "turn": 3, "side": "prompt", "votes": [1, 1]}',
            "turn 3 of conversation 'c' stands where turn 2 is expected",
        ),
    ]:
        chaperone.write("c.votes.jsonl", good, line)
        outcome = chaperone("evaluate", "c.votes.jsonl", "--votes", "2")
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.startswith(f"error: c.votes.jsonl:2: {message}\n  hint: ")


def test_what_cannot_be_measured_is_said(chaperone: Chaperone, samples: Path) -> None:
    chaperone.write("log.jsonl", '{"id": "q", "turns": [{"role": "user", "content": "hi"}]}', "{")
    chaperone.write("log.votes.jsonl", '{"conversation": "q", "turn": 1, "votes": [0, 0, 0, 0, 0]}')
    outcome = chaperone("evaluate", "log.jsonl", "--evaluator", "recorded")
    assert outcome.code == 3
    assert "No judged conversation has a label" in outcome.out
    assert outcome.err.startswith("error: log.jsonl:2: ")
    outcome = chaperone("evaluate", samples / "thirty.jsonl", "-o", "e.csv")
    assert (outcome.code, outcome.out, outcome.err) == (
        2,
        "",
        "error: cannot write figures to 'e.csv'\n  hint: name a .json file with --output\n",
    )


def test_only_the_selected_branches_and_conversations_are_measured(
    chaperone: Chaperone, samples: Path
) -> None:
    log = samples / "thirty.jsonl"
    selection = ("--where", "label=parasocial", "--sample", "4", "--seed", "2", "--limit", "3")
    outcome = chaperone("evaluate", log, "--evaluator", "recorded", *selection, "-o", "e.json")
    assert (outcome.code, outcome.err) == (
        0,
        "  26 conversations left out: 6 by sample, 20 by where\n"
        "  nothing read behind --limit\n"
        "wrote e.json\n",
    )
    document = json.loads((chaperone.folder / "e.json").read_bytes())
    validator("evaluation.v1").validate(document)
    assert document["rules"][0]["accuracy"]["total"] == 3
    reasons = {"where": 20, "since": 0, "until": 0, "undated": 0, "sample": 6}
    assert document["left_out"] == {**reasons, "limited": True}
    export = samples / "formats" / "chatgpt.zip"
    measured = [chaperone("evaluate", export, "--branches", which).out for which in ("last", "all")]
    assert measured[0] != measured[1]


def test_a_votes_file_cannot_be_selected_from(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone("evaluate", samples / "paper_ledger.votes.jsonl", "--limit", "3")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: conversations of a votes file cannot be selected: ")


RUBRIC = """
id = "clinging"
version = 1
title = "Clinging"

[[labels]]
id = "clinging"
question = "Does the user cling?"
guidance = "See."
"""


def of_two(chaperone: Chaperone) -> None:
    """Writes a log of a clinging conversation that nobody blocks and another that is blocked."""
    turns = [{"role": "user", "content": "Hello."}]
    labels = {"missed": "clinging", "caught": "parasocial"}
    rows = [{"id": id_, "label": label, "turns": turns} for id_, label in labels.items()]
    cast = {"missed": [0] * 5, "caught": [1] * 5}
    votes = [{"conversation": id_, "turn": 1, "votes": found} for id_, found in cast.items()]
    chaperone.write("log.jsonl", *map(json.dumps, rows))
    chaperone.write("log.votes.jsonl", *map(json.dumps, votes))


def test_figures_go_by_the_label_of_the_rubric(chaperone: Chaperone) -> None:
    of_two(chaperone)
    chaperone.write("clinging.toml", RUBRIC)
    evaluate = ("evaluate", "log.jsonl", "--evaluator", "recorded", "-o", "e.json")
    outcome = chaperone(*evaluate, "--rubric", "clinging.toml")
    document = json.loads((chaperone.folder / "e.json").read_bytes())
    validator("evaluation.v1").validate(document)
    assert document["label"] == "clinging"
    for rule in document["rules"]:
        assert [rule[name]["rate"] for name in ("accuracy", "precision", "recall")] == [0, 0, 0]
        assert [one["label"] for one in rule["labels"]] == ["clinging", "parasocial"]
    assert "\nTurns judged clinging\n" in outcome.out
    assert "parasocial conversations" not in outcome.out
    assert "The paper's figures do not stand beside these: it asks for parasocial." in outcome.out
    chaperone(*evaluate)
    document = json.loads((chaperone.folder / "e.json").read_bytes())
    assert document["label"] == "parasocial"
    assert [rule["accuracy"]["rate"] for rule in document["rules"]] == [1, 1, 1]


def test_a_label_of_the_rubric_that_no_conversation_carries(chaperone: Chaperone) -> None:
    of_two(chaperone)
    chaperone.write("other.toml", RUBRIC.replace("clinging", "jealous"))
    outcome = chaperone(
        *("evaluate", "log.jsonl", "--evaluator", "recorded", "--rubric", "other.toml")
    )
    assert "! No conversation is labelled jealous: recall cannot be measured\n" in outcome.out


def test_a_rubric_of_several_labels_is_refused(chaperone: Chaperone) -> None:
    of_two(chaperone)
    second = '[[labels]]\nid = "second"\nquestion = "Is it?"\nguidance = "See."\n'
    chaperone.write("two.toml", RUBRIC + second)
    outcome = chaperone("evaluate", "log.jsonl", "--evaluator", "recorded", "--rubric", "two.toml")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "error: rubric 'clinging' has 2 labels; an evaluation is of one\n"
        "  hint: use a rubric with one label\n"
    )
