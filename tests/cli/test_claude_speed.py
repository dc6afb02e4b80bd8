"""Time instead of calls, and how many calls are under way at once, from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SAMPLES
from tests.support.cli import Chaperone
from tests.support.standin import Standin, running

LOG, VOTES = SAMPLES / "thirty.jsonl", SAMPLES / "thirty.votes.jsonl"


def audited(chaperone: Chaperone, standin: Standin, *more: str) -> tuple[int, list[Any], int]:
    """Gives exit code, verdicts by conversation and turn, and calls."""
    standin.ledger.clear()
    outcome = chaperone(
        *("audit", "log.jsonl", "--evaluator", "claude", "--base-url", standin.url),
        *("--no-store", "-o", "out.json", *more),
    )
    found = json.loads((chaperone.folder / "out.json").read_bytes())["conversations"]
    verdicts = [
        (one["conversation"], [(turn["turn"], turn["verdict"]) for turn in one["turns"]])
        for one in found
    ]
    return outcome.code, verdicts, len(standin.ledger.calls)


@pytest.mark.parametrize("more", [(), ("--screen", "local")])
@pytest.mark.parametrize("rule", ["unanimous", "balanced"])
def test_fast_has_the_same_verdicts_for_few_calls_more(
    chaperone: Chaperone, more: tuple[str, ...], rule: str
) -> None:
    lines = LOG.read_text("utf-8").splitlines()
    chaperone.write("log.jsonl", *lines[6:14])
    more = (*more, "--rule", rule)
    with running(logs=(LOG,), votes=(VOTES,)) as standin:
        code, verdicts, calls = audited(chaperone, standin, *more)
        assert audited(chaperone, standin, *more, "--latency", "normal")[:2] == (code, verdicts)
        fast = audited(chaperone, standin, *more, "--latency", "fast")
    assert fast[:2] == (code, verdicts) == (10, verdicts)
    assert calls <= fast[2] <= 1.2 * calls


def rounds(standin: Standin) -> list[int]:
    """Counts the calls that were made together, one after the other."""
    found: list[int] = []
    last = float("-inf")
    for call in standin.ledger.calls:
        if call.at - last > 0.15:
            found.append(0)
        found[-1] += 1
        last = call.at
    return found


def test_a_turn_after_a_block_takes_two_rounds(chaperone: Chaperone) -> None:
    turns = [{"role": "user", "content": f"I love you {number}"} for number in range(3)]
    chaperone.write("log.jsonl", json.dumps({"id": "a", "turns": turns}))
    with running(rule="yes", latency=0.3) as standin:
        audited(chaperone, standin, "--latency", "fast")
        assert rounds(standin) == [1, 1, 1, 1, 1, 1, 4, 1, 4]
        audited(chaperone, standin)
        assert rounds(standin) == [1] * 15


def test_calls_at_once_are_bounded(chaperone: Chaperone, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    chaperone.write(
        "log.jsonl",
        *(
            json.dumps({"id": f"c{number}", "turns": [{"role": "user", "content": f"{number}"}]})
            for number in range(60)
        ),
        json.dumps({"id": "last", "turns": turns}),
    )
    with running(rule="no", latency=0.03) as standin:
        audited(chaperone, standin, "--calls-at-once", "3")
        assert standin.ledger.most_at_once == 3
        audited(chaperone, standin)
        assert standin.ledger.most_at_once > 12
