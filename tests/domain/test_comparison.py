"""Two runs compared: every way in which a conversation can differ, and what differs beneath it."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.comparison import (
    Cause,
    Change,
    Comparison,
    Outcome,
    changed_facets,
    compare,
)
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.verdict import Digests, Verdict
from tests.reports.runs import header

SAME = Digests("0" * 16, "a" * 16)
PASSED = Outcome(Verdict.PASS, None, None, 4, SAME)
OPEN = Outcome(Verdict.UNDECIDED, None, None, 4, SAME)
AT_2 = Outcome(Verdict.BLOCK, 2, Side.RESPONSE, 4, SAME)
AT_3 = Outcome(Verdict.BLOCK, 3, Side.PROMPT, 4, SAME)
AT_4 = Outcome(Verdict.BLOCK, 4, Side.RESPONSE, 4, SAME)


def changes(old: Outcome | None, new: Outcome | None) -> list[str]:
    found = compare("c", old, new)
    return [] if found is None else [change.value for change in found.changes]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (PASSED, PASSED, []),
        (AT_2, AT_2, []),
        (PASSED, AT_2, ["newly_blocked"]),
        (OPEN, AT_2, ["newly_blocked", "no_longer_undecided"]),
        (AT_2, PASSED, ["no_longer_blocked"]),
        (AT_2, OPEN, ["no_longer_blocked", "newly_undecided"]),
        (AT_4, AT_2, ["earlier"]),
        (AT_2, AT_4, ["later"]),
        (AT_3, AT_2, ["earlier", "changed_side"]),
        (AT_2, AT_3, ["later", "changed_side"]),
        (AT_2, AT_2._replace(side=Side.PROMPT), ["changed_side"]),
        (PASSED, OPEN, ["newly_undecided"]),
        (OPEN, PASSED, ["no_longer_undecided"]),
        (None, PASSED, ["new"]),
        (None, AT_2, ["newly_blocked", "new"]),
        (None, OPEN, ["newly_undecided", "new"]),
        (PASSED, None, ["gone"]),
        (AT_2, None, ["gone"]),
        (OPEN, None, ["gone"]),
    ],
)
def test_every_change_has_its_names(
    old: Outcome | None, new: Outcome | None, expected: list[str]
) -> None:
    assert changes(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        (SAME, SAME, Cause.NEITHER),
        (SAME, Digests("1" * 16, "a" * 16), Cause.LOG),
        (SAME, Digests("0" * 16, "b" * 16), Cause.EVALUATOR),
        (SAME, Digests("1" * 16, "b" * 16), Cause.BOTH),
        (Digests(None, "a" * 16), Digests(None, "a" * 16), Cause.UNKNOWN),
        (SAME, Digests(None, "a" * 16), Cause.UNKNOWN),
        (SAME, None, Cause.UNKNOWN),
        (SAME, Digests("12ab-" + "0" * 16, "a" * 16), Cause.UNKNOWN),
        (Digests("12ab-1", "a" * 16), Digests("12ac-2", "a" * 16), Cause.UNKNOWN),
        (Digests("12ab-1", "a" * 16), Digests("12ab-2", "a" * 16), Cause.LOG),
    ],
)
def test_digests_tell_the_cause(old: Digests | None, new: Digests | None, cause: Cause) -> None:
    found = compare("c", PASSED._replace(digests=old), AT_2._replace(digests=new))
    assert found is not None
    assert found.cause is cause


def test_a_log_that_grew_needs_no_digest() -> None:
    short = Digests(None, "a" * 16)
    grown = AT_2._replace(digests=short, turns_total=5)
    found = compare("c", PASSED._replace(digests=short), grown)
    assert found is not None
    assert found.cause is Cause.LOG


def test_a_conversation_in_one_run_only_has_no_cause() -> None:
    for old, new in ((None, AT_2), (AT_2, None)):
        found = compare("c", old, new)
        assert found is not None
        assert found.cause is None


OUTCOMES = st.none() | st.sampled_from([PASSED, OPEN, AT_2, AT_3, AT_4])


@given(OUTCOMES, OUTCOMES)
def test_two_runs_compared_the_other_way_round(old: Outcome | None, new: Outcome | None) -> None:
    opposite = {
        "newly_blocked": "no_longer_blocked",
        "earlier": "later",
        "newly_undecided": "no_longer_undecided",
        "new": "gone",
    }
    opposite |= {one: other for other, one in opposite.items()}
    if old is not None and new is not None:
        turned = {opposite.get(change, change) for change in changes(old, new)}
        assert turned == set(changes(new, old))


@given(st.lists(st.tuples(OUTCOMES, OUTCOMES).filter(any), max_size=20))
def test_totals_add_up(pairs: list[tuple[Outcome | None, Outcome | None]]) -> None:
    comparison = Comparison(old_total=sum(old is not None for old, _ in pairs))
    for old, new in pairs:
        comparison.add(compare("c", old, new), in_new=new is not None)
    counted = Counter(change for old, new in pairs for change in changes(old, new))
    assert comparison.changes == counted
    assert comparison.new_total == sum(new is not None for _, new in pairs)
    assert comparison.changed + comparison.unchanged == len(pairs)
    assert comparison.in_both == sum(None not in pair for pair in pairs)
    assert comparison.in_both == comparison.old_total - comparison.changes[Change.GONE]


def test_what_differs_in_the_judgement_is_named() -> None:
    old = header()
    new = replace(old, protocol=replace(old.protocol, rule=Rule("balanced"), until_block=True))
    assert changed_facets(old, new) == (
        ("rule", "5 of 5 votes", "3 of 5 votes"),
        ("until block", "false", "true"),
    )
    assert changed_facets(old, replace(old, started_at="later", platform="elsewhere")) == ()
    assert changed_facets(None, new) is None
