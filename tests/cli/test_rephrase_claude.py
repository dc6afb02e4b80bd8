"""The claude rewriter through the whole command, against a server on this machine."""

import json
from pathlib import Path

import pytest

from tests.support.cli import Chaperone, Outcome
from tests.support.rewriting import rewriting
from tests.support.standin import Standin

TALK = {
    "id": "c",
    "turns": [
        {"role": "user", "content": "Good evening you. The soup was too salty again."},
        {"role": "assistant", "content": "My darling, I waited for you. Add a peeled potato."},
        {"role": "user", "content": "You are the best."},
    ],
}
FIRST = "Sweet darling, a peeled potato takes salt out of a soup."
SECOND = "Dear darling, simmer a peeled potato in the soup."
GOOD = "Simmer a peeled potato in the soup for a while; it takes up salt."
KEY = {"ANTHROPIC_API_KEY": "test"}


@pytest.fixture
def log(chaperone: Chaperone) -> Path:
    return chaperone.write("log.jsonl", json.dumps(TALK))


def rephrase(chaperone: Chaperone, standin: Standin, *more: str) -> Outcome:
    return chaperone(
        *("rephrase", "log.jsonl", "--turn", "2", "--rewriter", "claude", "--evaluator", "claude"),
        *("--base-url", standin.url, "--store", "votes.sqlite3", "--votes", "3", *more),
        env=KEY,
    )


def test_a_rewrite_fails_twice_and_then_passes(chaperone: Chaperone, log: Path) -> None:
    with rewriting(FIRST, SECOND, GOOD, rule="word:darling") as (standin, voting):
        outcome = rephrase(chaperone, standin, "-o", "r.json", "-o", "pairs.jsonl")
    assert (outcome.code, outcome.err) == (0, "wrote r.json\nwrote pairs.jsonl\n")
    assert outcome.out.startswith("PASSING      3/3 -> 0/3  neutral  c turn 2\n")
    [result] = json.loads((chaperone.folder / "r.json").read_text())["results"]
    assert [attempt["score"] for attempt in result["attempts"]] == [3, 3, 0]
    assert [attempt["passes"] for attempt in result["attempts"]] == [False, False, True]
    assert (result["best"], result["later_turns"]) == (3, 1)
    # What was wrong with the earlier rewrites is told, and nothing of it before there is any.
    assert "did not pass" not in voting.tasks[0]
    assert FIRST in voting.tasks[2]
    assert SECOND in voting.tasks[2]
    assert (
        "3 votes still see a parasocial relationship; bond gone: still there: affection"
        in (voting.tasks[2])
    )
    pair = json.loads((chaperone.folder / "pairs.jsonl").read_text())
    assert pair == {
        "prompt": [{"role": "user", "content": TALK["turns"][0]["content"]}],  # type: ignore[index]
        "chosen": [{"role": "assistant", "content": GOOD}],
        "rejected": [{"role": "assistant", "content": TALK["turns"][1]["content"]}],  # type: ignore[index]
        "conversation": "c",
        "turn": 2,
        "strategy": "neutral",
        "chosen_score": 0,
        "rejected_score": 3,
        "passes": 3,
    }


def test_a_second_run_takes_the_votes_from_the_store(chaperone: Chaperone, log: Path) -> None:
    with rewriting(GOOD, GOOD, rule="word:darling") as (standin, _):
        rephrase(chaperone, standin)
        before = standin.ledger.totals()["calls"]
        rephrase(chaperone, standin, "-o", "r.json")
        assert standin.ledger.totals()["calls"] == before + 1
    usage = json.loads((chaperone.folder / "r.json").read_text())["usage"]
    assert (usage["votes_asked"], usage["votes_from_store"]) == (0, 6)
    assert usage["spend"]["calls"] == 1


def test_refusals_are_said_and_do_not_stop_the_attempts(chaperone: Chaperone, log: Path) -> None:
    with rewriting("REFUSED", "", "", "", GOOD, rule="word:darling") as (standin, _):
        outcome = rephrase(chaperone, standin)
    assert outcome.code == 0
    assert "1 attempt brought no rewrite: refused\n" in outcome.out
    assert "1 attempt brought no rewrite: unreadable\n" in outcome.out
    with rewriting(*["REFUSED"] * 3, rule="word:darling") as (standin, _):
        outcome = rephrase(chaperone, standin, "--no-store")
    assert outcome.code == 10
    assert outcome.out.startswith("NOT WRITTEN  3/3 -> -/3  neutral  c turn 2\n")
    assert "3 attempts brought no rewrite: refused\n" in outcome.out


def test_none_passes(chaperone: Chaperone, log: Path) -> None:
    with rewriting(FIRST, SECOND, FIRST, rule="word:darling") as (standin, _):
        outcome = rephrase(chaperone, standin)
    assert outcome.code == 10
    assert outcome.out.startswith("NOT PASSING  3/3 -> 3/3  neutral  c turn 2\n")
    assert "plain replies without any bond score 0/3 here at the least\n" in outcome.out


def test_where_no_reply_passes_no_more_is_spent(chaperone: Chaperone, log: Path) -> None:
    with rewriting(GOOD, rule="yes") as (standin, _):
        outcome = rephrase(chaperone, standin)
    assert outcome.code == 10
    assert outcome.out.startswith("IRREPARABLE  3/3 -> 3/3  neutral  c turn 2\n")


@pytest.mark.parametrize("limit", [("--max-calls", "4"), ("--max-cost", "0.001")])
def test_a_spent_budget_ends_the_run(
    chaperone: Chaperone, log: Path, limit: tuple[str, str]
) -> None:
    with rewriting(FIRST, SECOND, GOOD, rule="word:darling") as (standin, _):
        outcome = rephrase(chaperone, standin, *limit)
        assert standin.ledger.totals()["calls"] <= 4
    assert outcome.code == 13
    assert outcome.err.startswith(f"error: the next call could exceed {' '.join(limit)} (")
    assert "darling" not in outcome.err


def test_a_strategy_of_several_steps_hands_each_answer_on(chaperone: Chaperone, log: Path) -> None:
    notes = ("The user longs.", "Sees a person.", "Look to people.", "Answer on the soup alone.")
    with rewriting(*notes, GOOD, rule="word:darling") as (standin, voting):
        outcome = rephrase(chaperone, standin, "--strategy", "guided", "-o", "r.json")
    assert outcome.code == 0
    assert len(voting.tasks) == 5
    assert "Rewrite the reply under this directive: Answer on the soup alone." in voting.tasks[4]
    [result] = json.loads((chaperone.folder / "r.json").read_text())["results"]
    assert result["attempts"][0]["notes"] == dict(
        zip(("emotion", "thinking", "guidance", "directive"), notes, strict=True)
    )


def test_an_invented_number_does_not_pass(chaperone: Chaperone, log: Path) -> None:
    wrong = "Simmer a potato in the soup, and call 555 0199 for help."
    with rewriting(wrong, GOOD, rule="word:darling") as (standin, _):
        rephrase(chaperone, standin, "-o", "r.json")
    [result] = json.loads((chaperone.folder / "r.json").read_text())["results"]
    failed = [
        check["name"] for check in result["attempts"][0]["checks"] if check["passed"] is False
    ]
    assert (failed, result["best"]) == (["no_new_numbers"], 2)


def test_a_rewriter_without_a_key_says_so(chaperone: Chaperone, log: Path) -> None:
    args = ("rephrase", "log.jsonl", "--turn", "2", "--force", "--rewriter", "claude", "--no-store")
    rewriter = chaperone(*args, "-o", "r.json")
    assert (rewriter.code, rewriter.out, rewriter.err) == (
        2,
        "",
        "error: there is no API key for the claude rewriter\n"
        "  hint: set ANTHROPIC_API_KEY, or name a server that needs none with --base-url, or "
        "rewrite offline with --rewriter prune\n",
    )
    assert not (chaperone.folder / "r.json").exists()
    evaluator = chaperone(*args, "--evaluator", "claude")
    assert evaluator.err.startswith("error: there is no API key for the claude evaluator\n")


def test_the_model_may_rewrite_for_the_local_evaluator(chaperone: Chaperone, log: Path) -> None:
    with rewriting(GOOD, rule="yes") as (standin, voting):
        outcome = chaperone(
            *("rephrase", "log.jsonl", "--turn", "2", "--force", "--rewriter", "claude"),
            *("--base-url", standin.url, "-o", "r.json"),
            env=KEY,
        )
        assert standin.ledger.totals()["calls"] == len(voting.tasks) == 1
    assert outcome.code == 0
    assert json.loads((chaperone.folder / "r.json").read_text())["run"]["evaluator"]["name"] == (
        "local"
    )
