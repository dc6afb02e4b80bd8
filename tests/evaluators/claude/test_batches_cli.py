"""`chaperone audit --batch` and `--detach`, from the command line."""

import re

import pytest

from tests.conftest import SAMPLES
from tests.support.cli import Chaperone
from tests.support.standin import running

LOG, VOTES = SAMPLES / "thirty.jsonl", SAMPLES / "thirty.votes.jsonl"

DEARER = (
    "note: these votes were estimated at $ in batches, and at $ one by one, with the cache; "
    "without --batch they cost less\n"
)


@pytest.fixture
def log(chaperone: Chaperone) -> str:
    """Six dialogues, of which two are parasocial."""
    lines = LOG.read_text("utf-8").splitlines()[8:14]
    return str(chaperone.write("log.jsonl", *lines))


def test_reports_are_those_of_single_calls(chaperone: Chaperone, log: str) -> None:
    reports = {}
    for way in ("--no-batch", "--batch"):
        with running(logs=(LOG,), votes=(VOTES,)) as standin:
            words = ("--evaluator", "claude", "--base-url", standin.url, way)
            done = chaperone("audit", log, *words, "--store", f"{way}.db", "-o", "verdicts.csv")
        said = re.sub(r"\$[0-9.]+", "$", done.err)
        assert (done.code, said) == (10, DEARER * (way == "--batch") + "wrote verdicts.csv\n")
        reports[way] = chaperone.folder.joinpath("verdicts.csv").read_bytes()
    assert reports["--batch"] == reports["--no-batch"]


def test_a_detached_run_is_collected_later(chaperone: Chaperone, log: str) -> None:
    with running(logs=(LOG,), votes=(VOTES,), batch_seconds=3600) as standin:
        words = ("--evaluator", "claude", "--base-url", standin.url, "--store", "votes.db")
        sent = chaperone("audit", log, *words, "--batch", "--detach")
        assert "119 votes are with the server, in 1 batch" in sent.err
        assert "run the same command again to collect them" in sent.err
        assert sent.out == ""
        rounds = 1
        while sent.code not in (0, 10):
            standin.clock.advance(3600)
            sent = chaperone("audit", log, *words, "--batch", "--detach")
            rounds += 1
    assert (sent.code, rounds) == (10, 6)


def test_a_plain_run_says_that_votes_are_out_before_it_pays_for_them_again(
    chaperone: Chaperone, log: str
) -> None:
    with running(logs=(LOG,), votes=(VOTES,), batch_seconds=3600) as standin:
        words = ("--evaluator", "claude", "--base-url", standin.url, "--store", "votes.db")
        chaperone("audit", log, *words, "--batch", "--detach")
        plain = chaperone("audit", log, *words)
        later = chaperone("audit", log, *words)
        other = chaperone("audit", log, *words[:-1], "other.db")
    out = (
        "note: 119 votes are with the server in 1 batch; those that this run needs it asks and "
        "pays for again: add --batch to collect them\n"
    )
    twice = "note: 119 votes were cast that a batch is to bring too: the server bills both\n"
    assert (plain.code, plain.err) == (10, out + twice)
    assert (later.code, later.err) == (10, out), "nothing was asked again"
    assert (other.code, other.err) == (10, "")


def test_the_store_can_be_used_without_batches_afterwards(chaperone: Chaperone, log: str) -> None:
    with running(logs=(LOG,), votes=(VOTES,)) as standin:
        words = ("--evaluator", "claude", "--base-url", standin.url, "--store", "votes.db")
        chaperone("audit", log, *words, "--batch")
        before = len(standin.ledger.calls)
        again = chaperone("audit", log, *words)
        assert len(standin.ledger.calls) == before
    assert again.code == 10


def test_batches_need_a_store(chaperone: Chaperone, log: str) -> None:
    done = chaperone("audit", log, "--evaluator", "claude", "--batch", "--no-store")
    assert (done.code, done.out) == (2, "")
    assert "--no-store" in done.err
