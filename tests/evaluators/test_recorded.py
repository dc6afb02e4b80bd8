"""Recorded votes are found, checked and given back; a missing one names its turn."""

import gzip
from pathlib import Path

import pytest

from tests.support.cli import Chaperone

LOG = (
    '{"id": "c", "turns": [{"role": "user", "content": "hi"}, '
    '{"role": "assistant", "content": "ho"}]}'
)
ROWS = (
    '{"conversation": "c", "turn": 1, "votes": [1, 0, 1]}',
    '{"conversation": "c", "turn": 2, "votes": [1, 1, "refused"]}',
)


def replayed(chaperone: Chaperone, *more: str | Path) -> tuple[int, str]:
    outcome = chaperone("audit", "log.jsonl", "--evaluator", "recorded", "--votes", "3", *more)
    return outcome.code, outcome.err


def test_the_file_beside_the_log_is_found(chaperone: Chaperone) -> None:
    log = chaperone.write("log.jsonl", LOG)
    votes = chaperone.write("log.votes.jsonl", *ROWS)
    assert replayed(chaperone) == (11, "")
    Path(f"{log}.gz").write_bytes(gzip.compress(log.read_bytes()))
    assert chaperone("audit", "log.jsonl.gz", "--evaluator", "recorded", "--votes", "3").code == 11
    votes.rename(votes.with_name("other.jsonl"))
    assert replayed(chaperone, "--recorded-votes", "other.jsonl") == (11, "")
    votes.with_name("other.gz").write_bytes(
        gzip.compress(votes.with_name("other.jsonl").read_bytes())
    )
    assert replayed(chaperone, "--recorded-votes", "other.gz") == (11, "")


def test_a_missing_vote_names_its_turn(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", LOG)
    chaperone.write("log.votes.jsonl", ROWS[0])
    assert replayed(chaperone) == (
        2,
        "error: log.votes.jsonl holds no vote of pass 1 on turn 2 of conversation 'c'\n"
        "  hint: record the missing votes, ask for fewer passes with --votes, "
        "or leave the conversation out\n",
    )
    chaperone.write("log.votes.jsonl", *ROWS)
    assert chaperone("audit", "log.jsonl", "--evaluator", "recorded", "--all-votes").err == (
        "error: log.votes.jsonl holds no vote of pass 4 on turn 1 of conversation 'c'\n"
        "  hint: record the missing votes, ask for fewer passes with --votes, "
        "or leave the conversation out\n"
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "unexpected end of data: line 1 column 2 (char 1)"),
        ("[]", "expected an object with conversation, turn and votes"),
        ('{"turn": 1, "votes": [1]}', "`conversation` must be a conversation's id, as text"),
        (
            '{"conversation": "c", "turn": 0, "votes": [1]}',
            "`turn` must be a whole number from 1",
        ),
        (
            '{"conversation": "c", "turn": true, "votes": [1]}',
            "`turn` must be a whole number from 1",
        ),
        (
            '{"conversation": "c", "turn": 1, "votes": []}',
            "`votes` must be a list of at least one vote",
        ),
        (
            '{"conversation": "c", "turn": 1, "votes": [2]}',
            "a vote is 1, 0 or one of refused, unreadable, error, unsupported_language, too_long, "
            "rejected",
        ),
        (
            '{"conversation": "c", "turn": 1, "votes": [true]}',
            "a vote is 1, 0 or one of refused, unreadable, error, unsupported_language, too_long, "
            "rejected",
        ),
        (
            '{"conversation": "c", "turn": 1, "votes": [1], "side": "left"}',
            "`side` must be prompt or response",
        ),
    ],
)
def test_a_line_that_is_no_vote_is_named(chaperone: Chaperone, line: str, reason: str) -> None:
    chaperone.write("log.jsonl", LOG)
    chaperone.write("log.votes.jsonl", ROWS[0], "", line)
    assert replayed(chaperone) == (
        3,
        f"error: log.votes.jsonl:3: not a recorded vote: {reason}\n"
        "  hint: see schemas/vote.v1.schema.json\n",
    )


def test_a_turn_recorded_twice_is_named(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", LOG)
    chaperone.write("log.votes.jsonl", ROWS[0], ROWS[0])
    assert replayed(chaperone) == (
        3,
        "error: log.votes.jsonl:2: turn 1 of conversation 'c' is already recorded on an earlier "
        "line\n  hint: keep one line a turn\n",
    )


def test_a_missing_file_is_named(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", LOG)
    assert replayed(chaperone) == (
        2,
        "error: log.votes.jsonl: there is no such votes file\n"
        "  hint: name the votes with --recorded-votes FILE, or choose another --evaluator\n",
    )
    outcome = chaperone("audit", "-", "--evaluator", "recorded", stdin=LOG.encode())
    assert (outcome.code, outcome.err) == (
        2,
        "error: a log from standard input has no votes file beside it\n"
        "  hint: name the votes with --recorded-votes FILE\n",
    )
