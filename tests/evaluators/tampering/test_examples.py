"""What is written to sway an evaluator is pointed out, and harmless neighbours of it are not."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.domain.conversation import Message, Role
from chaperone_cli.evaluators.tampering import KINDS, suspicions

HERE = Path(__file__).parent
LOGS = sorted((HERE.parents[2] / "sample_logs").glob("*.jsonl"))


def examples(name: str, kind: str) -> list[dict[str, Any]]:
    lines = (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [line for line in map(json.loads, lines) if line["kind"] == kind]


def raised(line: dict[str, Any]) -> tuple[str, ...]:
    return suspicions([Message(Role.USER, line["text"], name=line.get("name"))])


@pytest.mark.parametrize("line", examples("development", "attempt"), ids=lambda line: line["text"])
def test_an_attempt_is_pointed_out(line: dict[str, Any]) -> None:
    assert raised(line)


@pytest.mark.parametrize("line", examples("development", "harmless"), ids=lambda line: line["text"])
def test_a_harmless_neighbour_is_not(line: dict[str, Any]) -> None:
    assert raised(line) == ()


def test_of_examples_set_aside_most_are_told_apart() -> None:
    attempts = examples("held_out", "attempt")
    harmless = examples("held_out", "harmless")
    assert (len(attempts), len(harmless)) == (50, 30)
    assert len({line["language"] for line in attempts}) >= 17
    assert sum(bool(raised(line)) for line in attempts) >= 38
    assert sum(bool(raised(line)) for line in harmless) <= 1


@pytest.mark.parametrize(
    ("name", "counts", "least", "most"),
    [
        ("kept_aside", {"attempt": 240, "harmless": 194}, 71, 13),
        # Written by another hand, without sight of the phrases: never to be learned from.
        ("blind", {"attempt": 60, "harmless": 60}, 31, 7),
    ],
)
def test_of_many_kinds_in_many_languages_few_are_told_apart(
    name: str, counts: dict[str, int], least: int, most: int
) -> None:
    """What is reached; 76 % of attempts with at most 1 harmless text of 30 is wanted."""
    lines = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    found = Counter(line["label"] for line in lines if raised(line))
    assert Counter(line["label"] for line in lines) == counts
    assert found["attempt"] >= least
    assert found["harmless"] <= most


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_everyday_turns_raise_nothing(path: Path) -> None:
    turns = [
        turn["content"]
        for line in path.read_text("utf-8").splitlines()
        for turn in json.loads(line).get("turns", ())
        if isinstance(turn.get("content"), str)
    ]
    assert sum(bool(suspicions([Message(Role.USER, text)])) for text in turns) <= len(turns) / 100


@pytest.mark.parametrize(
    "text", ["no\n", "ignore all ", "0 1 ", "a.b ", "[[[", "\\u0022", "忽略所有"]
)
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    for cue in suspicions([Message(Role.USER, text * (200_000 // len(text)))]):
        assert cue.removeprefix("tampering suspected: ") in KINDS
    assert time.process_time() - start < 10
