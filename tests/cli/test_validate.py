"""`chaperone validate` lists every problem, and only then says that a log is fine."""

import json
from pathlib import Path

from tests.support.cli import Chaperone

GOOD = '{"id": "c", "turns": [{"role": "user", "content": "hi"}]}'


def test_a_log_without_problems(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone("validate", samples / "thirty.jsonl")
    assert (outcome.code, outcome.out, outcome.err) == (
        0,
        "30 conversations with 600 turns can be audited; 0 errors, 0 warnings\n"
        "75,011 characters of text, all kept\n",
        "",
    )


def test_every_problem_is_listed(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", GOOD, *(["{"] * 1500), GOOD)
    outcome = chaperone("validate", "log.jsonl")
    lines = outcome.out.splitlines()
    assert outcome.code == 3
    assert lines[-2:] == [
        "1 conversation with 1 turn can be audited; 1,501 errors, 0 warnings",
        "4 characters of text, all kept",
    ]
    assert [line.split(": ")[1].split(" ")[0] for line in lines[:-2]] == [
        f"log.jsonl:{number}" for number in range(2, 1503)
    ]


def test_a_time_that_selects_nothing_is_a_warning(chaperone: Chaperone) -> None:
    turns = [{"role": "user", "content": "hi", "at": at} for at in ("2026-01-31T10:00Z", "soon")]
    chaperone.write("log.jsonl", json.dumps({"id": "q", "turns": turns}))
    outcome = chaperone("validate", "log.jsonl")
    assert (outcome.code, outcome.out) == (
        0,
        "warning: log.jsonl:1 conversation q: entry 2: `at` is no ISO 8601 time; --since and "
        "--until pass it over\n"
        "1 conversation with 2 turns can be audited; 0 errors, 1 warning\n"
        "4 characters of text, all kept\n",
    )


def test_what_became_of_the_text_is_said(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone("validate", samples / "formats")
    assert outcome.out.splitlines()[-1] == (
        "2,395 characters of text: 2,251 kept, 82 branch, 33 alternative, 24 rendering, 5 deleted"
    )


def test_line_100_is_no_emoji(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", GOOD, *("" for _ in range(98)), "{")
    outcome = chaperone("validate", "log.jsonl")
    assert outcome.out.startswith("error: log.jsonl:100: is not valid JSON")
