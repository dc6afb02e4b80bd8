"""`chaperone show` finds one conversation, in a log with its text or in a report without it."""

import json
from pathlib import Path

import pytest

from tests.support.cli import Chaperone

TALK = {
    "id": "c",
    "turns": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hello there, you."},
        {"role": "assistant", "content": "Hello yourself."},
    ],
}
VOTES = (
    '{"conversation": "c", "turn": 1, "votes": [0, 1, 1]}',
    '{"conversation": "c", "turn": 2, "votes": [1, 1, 1]}',
)


@pytest.fixture
def log(chaperone: Chaperone) -> Path:
    chaperone.write("log.votes.jsonl", *VOTES)
    return chaperone.write("log.jsonl", json.dumps(TALK))


def shown(chaperone: Chaperone, *args: str) -> tuple[int, str, str]:
    outcome = chaperone("show", *args, "--evaluator", "recorded", "--votes", "3")
    return outcome.code, outcome.out, outcome.err


def test_a_log_is_shown_with_its_text(chaperone: Chaperone, log: Path) -> None:
    code, out, err = shown(chaperone, "log.jsonl")
    assert (code, err) == (0, "")
    for text in ("Be kind.", "Hello there, you.", "Hello yourself.", "0/3", "3/3"):
        assert text in out


@pytest.mark.parametrize("name", ["r.json", "r.jsonl"])
def test_a_saved_report_is_shown_without_text(chaperone: Chaperone, log: Path, name: str) -> None:
    chaperone("audit", "log.jsonl", "--evaluator", "recorded", "--votes", "3", "-o", name)
    code, out, err = shown(chaperone, name, "--conversation", "c")
    assert (code, err) == (0, "")
    assert "Hello" not in out
    for text in ("log.jsonl:1", "0/3", "3/3", "BLOCK"):
        assert text in out


def test_a_conversation_must_be_named_where_there_are_several(
    chaperone: Chaperone, samples: Path
) -> None:
    log = str(samples / "thirty.jsonl")
    assert shown(chaperone, log)[::2] == (
        2,
        f"error: {log} holds several conversations: parasocial-01, parasocial-02, parasocial-03, "
        "parasocial-04, parasocial-05, ...\n  hint: name one with --conversation ID\n",
    )
    assert shown(chaperone, log, "--conversation", "x")[::2] == (
        2,
        f"error: {log} holds no conversation 'x' that can be read\n",
    )


def test_what_cannot_be_read_is_named(chaperone: Chaperone, log: Path) -> None:
    code, out, err = shown(chaperone, "none.jsonl")
    assert (code, out) == (3, "")
    assert "none.jsonl" in err
    (chaperone.folder / "r.json").write_text('{"schema": "report.v1", "run": 3}')
    code, out, err = shown(chaperone, "r.json")
    assert (code, out) == (3, "")
    assert err.startswith("error: r.json: ")
