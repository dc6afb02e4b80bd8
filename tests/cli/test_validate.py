"""`chaperone validate` lists every problem, and only then says that a log is fine."""

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
    assert lines[-1] == "1 conversations with 1 turns can be audited; 1501 errors, 0 warnings"
    assert len(lines) == 1502
    assert [line.split(": ")[1] for line in lines[:-1]] == [
        f"log.jsonl:{number}" for number in range(2, 1503)
    ] or lines[-2].startswith("error: log.jsonl:1502 conversation c: ")
