"""A run loses no vote for good, never sticks at one conversation, and stops where nothing helps."""

from pathlib import Path

import pytest

from chaperone_cli.errors import BudgetExhausted, EvaluatorError, VotesPending
from chaperone_cli.evaluators.claude.caller import Patience
from chaperone_cli.evaluators.claude.ledger import Ledger
from tests.evaluators.claude.auditing import audit
from tests.evaluators.claude.batching import Runs
from tests.support.scripted import conversation
from tests.support.standin import running

TALKS = [conversation(f"c{number}", f"hello {number}", "hi", "bye") for number in range(6)]
ODD = conversation("odd", "hello odd", "the forbidden word", "bye")
USELESS = ("refusal", "gibberish", "max_tokens", "no_text", "cut_off", "unknown_stop")


@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_refused_request_costs_one_conversation_and_one_night(tmp_path: Path, place: int) -> None:
    talks = [*TALKS[:place], ODD, *TALKS[place:]]
    store = tmp_path / "votes"
    with running(rule="no", rejects="forbidden") as standin:
        first = audit(standin.url, *talks, store=store)
        assert first.error is None
        assert first.votes == {
            **{one.id: "n n n" for one in TALKS},
            "odd": "n aaaaa aaaaa",
        }
        assert {vote.reason for turn in first.verdicts["odd"].turns[1:] for vote in turn.votes} == {
            "rejected"
        }
        standin.ledger.clear()
        second = audit(standin.url, *talks, TALKS[0], store=store)
        assert standin.ledger.calls == [], "it is remembered"
        assert (second.error, second.votes) == (None, first.votes)
        new = conversation("new", "a new one", "yes")
        third = audit(standin.url, *talks, new, store=store)
        assert (third.error, third.votes) == (None, {**first.votes, "new": "n n"})
        assert len(standin.ledger.calls) == 2


def test_a_conversation_by_itself_may_be_refused_from_its_first_turn(tmp_path: Path) -> None:
    talk = conversation("odd", "the forbidden word", "hi")
    with running(rule="no", rejects="forbidden") as standin:
        audited = audit(standin.url, talk, passes=1, store=tmp_path / "votes")
        assert (audited.error, audited.votes) == (None, {"odd": "a a"})
        # After each refusal a question of our own, which nothing else comes in place of.
        assert [call.status for call in standin.ledger.calls] == [400, 200, 400, 200]
        audit(standin.url, talk, passes=1, store=tmp_path / "votes")
        assert len(standin.ledger.calls) == 4


@pytest.mark.parametrize("fault", ["bad_request", "internal", "unavailable", "html"])
def test_a_server_that_refuses_everything_is_told_from_one_text(tmp_path: Path, fault: str) -> None:
    with running(rule="no", faults={fault: 1.0}) as standin:
        audited = audit(standin.url, *TALKS, store=tmp_path / "votes")
        assert isinstance(audited.error, EvaluatorError)
        assert len(standin.ledger.calls) <= 9
        standin.faults.heal()
        again = audit(standin.url, *TALKS, store=tmp_path / "votes")
    assert set(again.votes.values()) == {"n n n"}, "nothing was remembered of it"


@pytest.mark.parametrize("fault", ["bad_request", "unprocessable", "firewall", "too_large"])
@pytest.mark.parametrize("answered", [1, 5])
@pytest.mark.parametrize("talks", [1, 4, 16])
def test_a_server_that_begins_to_refuse_everything_is_no_fault_of_what_was_asked(
    tmp_path: Path, fault: str, answered: int, talks: int
) -> None:
    asked = [conversation(f"c{number}", f"hello {number}", *"abcdefg") for number in range(talks)]
    with running(rule="no", script=("ok",) * answered) as standin:
        standin.faults.shares[fault] = 1.0
        broken = audit(standin.url, *asked, passes=1, store=tmp_path / "votes", concurrency=16)
        assert talks == 1 or isinstance(broken.error, EvaluatorError)
        standin.faults.heal()
        again = audit(standin.url, *asked, passes=1, store=tmp_path / "votes")
    assert set(again.votes.values()) == {"n " * 7 + "n"}, "nothing was remembered of it"


def test_what_makes_the_server_fail_on_one_text_does_not_end_the_run(tmp_path: Path) -> None:
    # The first text fails often enough for a server that is not there; a line of our own does not.
    script = (*["internal"] * 6, "ok", *["internal"] * 40)
    with running(rule="no", script=script) as standin:
        patience = Patience(timeout=1, deadline=1.0, backoff=0.01)
        audited = audit(standin.url, *TALKS[:1], patience=patience, passes=1)
        assert audited.error is None
        assert audited.votes["c0"].startswith("a ")
        assert audited.verdicts["c0"].turns[0].votes[0].reason == "error"


def test_what_is_too_long_is_known_before_it_is_sent(tmp_path: Path) -> None:
    talk = conversation("long", "hello", *["so it goes on and on " * 150] * 11)
    with running(rule="no", max_input=8000) as standin:
        audited = audit(standin.url, talk, *TALKS, passes=2, store=tmp_path / "votes")
        assert audited.error is None
        votes = audited.votes["long"].split()
        longest = votes.index("aa")
        assert votes == ["n"] * longest + ["aa"] * (12 - longest)
        assert 3 < longest < 11
        reasons = {vote.reason for one in audited.verdicts["long"].turns for vote in one.votes}
        assert reasons == {None, "too_long"}
        assert {call.status for call in standin.ledger.calls} == {200}
        counted = standin.ledger.requests["POST /v1/messages/count_tokens"]
        assert 1 <= counted <= 6
        assert audited.remarks == (
            f"{12 - longest} turns of 1 conversation came after more text than claude-haiku-5-5 "
            "takes (8,000 tokens): nobody voted on them",
        )
        standin.ledger.clear()
        again = audit(standin.url, talk, *TALKS, passes=2, store=tmp_path / "votes")
        assert (again.votes, standin.ledger.requests.total()) == (audited.votes, 0)


def test_what_a_server_without_limits_finds_too_long_is_not_sent_twice() -> None:
    talk = conversation("long", "hello", *["so it goes on and on " * 20] * 9)
    with running(rule="no", local=True, max_input=1500) as standin:
        audited = audit(standin.url, talk, *TALKS, model="llama", passes=1, max_calls=None)
    votes = audited.votes["long"].split()
    assert votes[-1] == "a" == votes[votes.index("a")]
    assert [call.status for call in standin.ledger.calls].count(400) == 1


@pytest.mark.parametrize("fault", USELESS)
def test_a_useless_reply_is_healed_by_the_same_run_or_the_next(tmp_path: Path, fault: str) -> None:
    shares, store = {fault: 0.2}, tmp_path / "votes"
    talks = [conversation(f"c{number}", f"hello {number}", "hi", "bye") for number in range(40)]
    with running(rule="no", faults=shares) as standin:
        first = audit(standin.url, *talks, passes=1, store=store)
        assert first.error is None
        abstained = " ".join(first.votes.values()).count("a")
        assert abstained <= (40 if fault == "refusal" else 4), "all but refusals are asked again"
        standin.faults.heal()
        standin.ledger.clear()
        kept = audit(standin.url, *talks, passes=1, store=store, keep_abstentions=True)
        assert (kept.votes, standin.ledger.calls) == (first.votes, [])
        second = audit(standin.url, *talks, passes=1, store=store)
        assert set(second.votes.values()) == {"n n n"}
        assert len(standin.ledger.calls) == abstained


@pytest.mark.parametrize("fault", USELESS)
def test_asking_again_is_bounded(fault: str) -> None:
    with running(rule="no", script=("ok", *[fault] * 3)) as standin:
        audited = audit(standin.url, TALKS[0], passes=1)
    tries = 1 if fault == "refusal" else 3
    assert audited.votes == {"c0": f"n a {'a' if tries == 1 else 'n'}"}
    assert sum(call.fault is not None for call in standin.ledger.calls) == 2 if tries == 1 else 3
    paid = sum(call.dollars for call in standin.ledger.calls)
    assert audited.spend.dollars == pytest.approx(paid)


def test_a_reply_that_was_cut_off_gets_more_room() -> None:
    with running(rule="no", thinking_tokens=5000) as standin:
        audited = audit(standin.url, TALKS[0], passes=1, model="claude-opus-5-5")
    assert (audited.error, audited.votes) == (None, {"c0": "n n n"})
    assert [call.usage.output for call in standin.ledger.calls] == [4096, 5006] * 3
    assert audited.spend.tokens.output == 3 * (4096 + 5006)


def test_a_stored_abstention_that_is_shared_is_paid_for_once_a_run(tmp_path: Path) -> None:
    twins = [conversation(f"twin{number}", "the same words") for number in range(5)]
    with running(rule="no", script=("refusal",)) as standin:
        audit(standin.url, *twins[:1], passes=1, store=tmp_path / "votes")
        standin.ledger.clear()
        standin.faults.follow("refusal")
        again = audit(standin.url, *twins, passes=1, store=tmp_path / "votes", concurrency=1)
    assert len(standin.ledger.calls) == 1
    assert set(again.votes.values()) == {"a"}


@pytest.mark.parametrize("fault", USELESS)
def test_a_server_of_no_use_is_not_paid_for_long(tmp_path: Path, fault: str) -> None:
    talks = [conversation(f"c{number}", f"hello {number}", "hi") for number in range(50)]
    with running(rule="no", faults={fault: 1.0}, latency=0.005) as standin:
        audited = audit(standin.url, *talks, store=tmp_path / "votes")
    assert isinstance(audited.error, EvaluatorError)
    calls = standin.ledger.calls
    assert len(calls) <= 10 + 8 + 3, "ten, those under way, and three of our own"
    paid = sum(call.dollars for call in calls)
    assert audited.spend.dollars == pytest.approx(paid)
    assert f"{len(calls)} calls, ${paid:.4f}" in audited.error.message
    kind = "refused" if fault == "refusal" else "unreadable"
    assert f" {kind}), and a harmless question of our own brought none" in audited.error.message


def test_refusals_of_one_conversation_do_not_end_a_run() -> None:
    words = ["bad"] * 6 + ["fine"]
    talk = conversation("c", *words)
    with running(rule="no", script=("ok", *["refusal"] * 29, "ok")) as standin:
        audited = audit(standin.url, talk)
    # Twice ten refusals were followed by a question of our own, which the script refuses too ...
    assert isinstance(audited.error, EvaluatorError)
    script = ("ok", *["refusal"] * 10, "ok", *["refusal"] * 10, "ok", *["refusal"] * 9)
    with running(rule="no", script=script) as standin:
        audited = audit(standin.url, talk)
    assert audited.error is None
    assert audited.votes == {"c": "n " + "aaaaa " * 5 + "aaaan"}
    assert len(standin.ledger.calls) == 1 + 30 + 2


def test_a_cap_holds_where_a_server_reports_nothing() -> None:
    talks = [
        conversation(f"c{number}", f"hello {number}", *["hi there"] * 7) for number in range(20)
    ]
    with running(rule="no", reports_usage=False, latency=0.005) as standin:
        free = audit(standin.url, *talks[:1])
        paid = sum(call.dollars for call in standin.ledger.calls)
        assert free.spend.dollars is not None
        assert paid <= free.spend.dollars
        assert free.spend.estimated == 8
        standin.ledger.clear()
        audited = audit(standin.url, *talks, max_cost=0.01)
        assert isinstance(audited.error, BudgetExhausted)
        assert sum(call.dollars for call in standin.ledger.calls) <= 0.01
        assert audited.spend.dollars is not None
        assert 0.005 < audited.spend.dollars <= 0.01
        assert "replies without figures, counted as the most they can be" in audited.error.message


@pytest.mark.parametrize("fault", ["dropped", "html", "truncated", "slow"])
def test_what_failed_calls_may_have_cost_counts_and_is_shown(fault: str) -> None:
    patience = Patience(timeout=0.2, deadline=20, backoff=0.01)
    with running(rule="no", faults={fault: 0.2}, slow_seconds=0.5) as standin:
        audited = audit(standin.url, *TALKS, patience=patience)
        calls = standin.ledger.calls
    assert audited.error is None
    lost = [call for call in calls if call.fault == fault]
    assert len(lost) == audited.spend.unaccounted == audited.spend.failed > 0
    billed = sum(call.dollars for call in calls)
    answered = billed - sum(call.dollars for call in lost)
    assert audited.spend.dollars == pytest.approx(answered)
    assert audited.spend.most_dollars >= billed
    assert f" and at most ${audited.spend.written_off:.4f} more for calls that failed" in (
        audited.spend.shown_dollars
    )


@pytest.mark.parametrize("limit", [0.001, 0.002])
def test_failed_calls_count_against_the_cap(limit: float) -> None:
    talks = [conversation(f"c{number}", f"hello {number}", "hi") for number in range(30)]
    with running(rule="no", faults={"dropped": 0.5}) as standin:
        audited = audit(standin.url, *talks, max_cost=limit)
    assert isinstance(audited.error, BudgetExhausted)
    assert sum(call.dollars for call in standin.ledger.calls) <= limit
    assert audited.spend.most_dollars <= limit
    assert audited.spend.written_off > 0


def test_a_cap_holds_over_all_runs_on_a_store(tmp_path: Path) -> None:
    talks = [conversation(f"c{number}", f"hello {number}", *["hi"] * 7) for number in range(30)]
    store, limit = tmp_path / "votes", 0.003
    with running(rule="no", latency=0.002) as standin:
        for night in range(1, 7):
            audited = audit(standin.url, *talks[: 5 * night], store=store, max_total=limit)
            if audited.error is not None:
                break
        assert isinstance(audited.error, BudgetExhausted)
        assert 2 < night < 6
        spent = sum(call.dollars for call in standin.ledger.calls)
        assert limit / 2 < spent <= limit
        assert f"--max-cost-total {limit:g} " in audited.error.message
        assert f", at most ${spent:.4f} by all runs on this store so far)" in audited.error.message
        assert audited.spend.all_runs == pytest.approx(spent)
        other = audit(standin.url, *talks[-1:], store=tmp_path / "other", max_total=limit)
        assert other.error is None


def test_what_a_killed_run_had_under_way_counts_against_later_ones(tmp_path: Path) -> None:
    killed, store = Ledger(tmp_path / "votes"), tmp_path / "votes"
    killed.note(0.25, 0.5)
    killed.note(0.125, -0.25)
    later = Ledger(store)
    assert killed.total() == 0.25 + 0.125 + 0.25
    assert later.total() == 0.25 + 0.5, "as much as may have been spent by then"
    later.hold(1, 2.0)
    assert Ledger(store).total() == 2.75
    later.free(1)
    killed.close()
    assert Ledger(store).total() == 0.625
    later.note(0.0, 0.25)
    with running(rule="no") as standin:
        audited = audit(standin.url, TALKS[0], store=store, max_total=0.85)
        assert isinstance(audited.error, BudgetExhausted)
        assert standin.ledger.calls == []


def test_a_batch_that_is_out_counts_until_it_is_collected(tmp_path: Path) -> None:
    with running(rule="no", batch_seconds=3600) as standin:
        runs = Runs(standin.url, tmp_path)
        assert isinstance(runs.batched(TALKS, detach=True, store=runs.store).error, VotesPending)
        out = Ledger(runs.store).total()
        standin.clock.advance(3600)
        assert runs.batched(TALKS, detach=True, store=runs.store).error is None
        paid = sum(call.dollars for call in standin.ledger.calls)
    assert Ledger(runs.store).total() == pytest.approx(paid)
    assert out > paid
