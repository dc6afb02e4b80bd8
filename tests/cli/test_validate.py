"""`chaperone validate` lists every problem, and only then says that a log is fine."""

import json
from pathlib import Path

from tests.support.cli import Chaperone


def test_a_log_without_problems(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone("validate", samples / "thirty.jsonl")
    assert (outcome.code, outcome.out, outcome.err) == (
        0,
        "30 conversations with 600 turns can be audited; 0 errors, 0 warnings\n",
        "",
    )


def test_every_problem_is_listed(chaperone: Chaperone) -> None:
    good = '{"id": "c", "turns": [{"role": "user", "content": "hi"}]}'
    chaperone.write("log.jsonl", good, *(["{"] * 1500), good)
    outcome = chaperone("validate", "log.jsonl")
    lines = outcome.out.splitlines()
    assert outcome.code == 3
    assert lines[-1] == "1 conversation with 1 turn can be audited; 1,501 errors, 0 warnings"
    assert len(lines) == 1502
    assert [line.split(": ")[1] for line in lines[:-1]] == [
        f"log.jsonl:{number}" for number in range(2, 1503)
    ] or lines[-2].startswith("error: log.jsonl:1502 conversation c: ")


def test_a_time_that_selects_nothing_is_a_warning(chaperone: Chaperone) -> None:
    turns = [{"role": "user", "content": "hi", "at": at} for at in ("2026-01-31T10:00Z", "soon")]
    chaperone.write("log.jsonl", json.dumps({"id": "q", "turns": turns}))
    outcome = chaperone("validate", "log.jsonl")
    assert (outcome.code, outcome.out) == (
        0,
        "warning: log.jsonl:1 conversation q: entry 2: `at` is no ISO 8601 time; --since and "
        "--until pass it over\n"
        "1 conversation with 2 turns can be audited; 0 errors, 1 warning\n",
    )
