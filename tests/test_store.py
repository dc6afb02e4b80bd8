"""Votes come back from the store as they were filed, and never instead of others."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.errors import StoreError
from chaperone_cli.store import VoteStore, vote_key

spans = st.builds(Span, *[st.integers(0, 10**9)] * 3)
evidence = st.builds(Evidence, st.lists(st.text(), max_size=3).map(tuple), st.none() | spans)
votes = st.one_of(
    st.builds(Vote, st.sampled_from([Answer.YES, Answer.NO]), evidence=st.none() | evidence),
    st.builds(Vote, st.just(Answer.ABSTAIN), st.sampled_from(AbstainReason)),
)
DIGEST = "ab" * 32


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> VoteStore:
    return VoteStore(tmp_path_factory.mktemp("store") / "new" / "votes.sqlite3")


@given(key=st.binary(min_size=20, max_size=20), vote=votes, second=votes)
def test_the_first_answer_under_a_key_stays(
    shared: VoteStore, key: bytes, vote: Vote, second: Vote
) -> None:
    before = shared.get(key)
    first = vote if before is None or _heals(before, vote) else before
    assert shared.add(key, vote) == first
    standing = second if _heals(first, second) else first
    assert shared.add(key, second) == standing
    assert shared.get(key) == standing


def _heals(standing: Vote, new: Vote) -> bool:
    return standing.answer is Answer.ABSTAIN and new.answer is not Answer.ABSTAIN


@pytest.mark.parametrize("reason", AbstainReason)
def test_a_later_run_asks_again_what_may_heal(tmp_path: Path, reason: AbstainReason) -> None:
    path, vote = tmp_path / "votes.sqlite3", Vote(Answer.ABSTAIN, reason)
    VoteStore(path).add(b"a", vote)
    assert VoteStore(path, keep_abstentions=True).get(b"a") == vote
    later = VoteStore(path)
    healing = reason in ("refused", "unreadable", "error")
    assert later.get(b"a") == (None if healing else vote)
    assert later.add(b"a", vote) == vote
    assert later.get(b"a") == vote, "within a run it stands"
    assert later.add(b"a", YES) == YES
    assert later.add(b"a", vote) == YES
    assert VoteStore(path).get(b"a") == YES


def test_an_abstention_of_a_run_that_goes_on_is_not_asked_for_again(tmp_path: Path) -> None:
    path, refused = tmp_path / "votes", Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
    keys = (b"one", b"all", b"by hand")
    first = VoteStore(path)
    assert first.claim(keys[0])
    assert first.claim_all(keys[1:]) == [*keys[1:]]
    first.settle(keys[0], refused)
    for key in keys[1:]:
        first.add(key, refused)
    first.release(*keys[1:])
    beside = VoteStore(path)
    assert [beside.get(key) for key in keys] == [refused] * 3
    assert [beside.claim(key) for key in keys] == [False] * 3
    first.close()
    later = VoteStore(path)
    assert [later.get(key) for key in keys] == [None] * 3
    assert later.claim_all(keys) == [*keys]
    assert later.settle(keys[0], YES) == YES
    assert beside.get(keys[0]) == YES
    assert not later.claim(keys[0])


def test_votes_outlive_the_process_that_cast_them(tmp_path: Path) -> None:
    path = tmp_path / "votes.sqlite3"
    store = VoteStore(path)
    store.add(b"a", YES)
    other = VoteStore(path)  # a second process, while the first still runs
    other.add(b"b", NO)
    assert (store.get(b"b"), other.get(b"a"), other.get(b"c")) == (NO, YES, None)


def test_a_key_differs_by_prefix_rubric_evaluator_and_pass() -> None:
    variants = [
        vote_key(b"p" * 16, DIGEST, b"e" * 32, 1),
        vote_key(b"q" * 16, DIGEST, b"e" * 32, 1),
        vote_key(b"p" * 16, "cd" * 32, b"e" * 32, 1),
        vote_key(b"p" * 16, DIGEST, b"f" * 32, 1),
        vote_key(b"p" * 16, DIGEST, b"e" * 32, 2),
    ]
    assert len(set(variants)) == len(variants)


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    path = tmp_path / "votes.sqlite3"
    path.write_text("not a database, but long enough to be read as one" * 40)
    with pytest.raises(StoreError) as caught:
        VoteStore(path)
    assert caught.value.message == (
        f"{path}: the vote store cannot be opened: file is not a database"
    )
    assert caught.value.hint == "name another file with --store, or go without one with --no-store"


def test_a_store_of_a_newer_layout_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "votes.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="written by a newer chaperone"):
        VoteStore(path)
