"""Every fault of the table takes the course that the documentation says."""

from pathlib import Path

import pytest

from chaperone_cli.domain.cost import Spend
from chaperone_cli.errors import BudgetExhausted, EvaluatorError
from chaperone_cli.evaluators.claude.caller import Patience
from tests.evaluators.claude.auditing import Audit, audit
from tests.support.fault_table import ENDED, FAULTS, SPENT, Course, page
from tests.support.scripted import conversation
from tests.support.standin import Standin, running
from tests.support.standin.faults import KINDS

PAGE = Path(__file__).parents[3] / "docs" / "faults.md"
TALK = conversation("c", "hello", "hi")
ERRORS = {1: EvaluatorError, 13: BudgetExhausted}


def test_the_page_shows_the_table_and_the_table_holds_every_fault() -> None:
    assert PAGE.read_text("utf-8") == page()
    assert set(FAULTS) == set(KINDS)


def run(standin: Standin, store: Path, *, deadline: float = 20.0) -> Audit:
    patience = Patience(timeout=0.4, deadline=deadline, backoff=0.01)
    return audit(standin.url, TALK, passes=1, store=store, patience=patience)


def spent(standin: Standin) -> float:
    return sum(call.dollars for call in standin.ledger.calls)


@pytest.mark.parametrize("kind", FAULTS)
def test_once(kind: str, tmp_path: Path) -> None:
    course, store = FAULTS[kind][1], tmp_path / "votes"
    with running(rule="no", script=("ok", kind), slow_seconds=1) as standin:
        first = run(standin, store)
        kind_of_error = ERRORS.get(course.code)
        assert (type(first.error) if first.error else None) == kind_of_error
        assert first.votes == {"c": "n" if course.once == "-" else course.once}
        said(first.spend, course, spent(standin))
        standin.ledger.clear()
        second = run(standin, store)
        missing = course.once == "-" or ("a" in course.once and course.again)
        assert len(standin.ledger.calls) == missing
        remembered = "n a" if "a" in course.once and not course.again else "n n"
        assert (second.error, second.votes) == (None, {"c": remembered})


def said(spend: Spend, course: Course, paid: float) -> None:
    """Sees that what calls cost, and may have cost, is told."""
    assert spend.dollars is not None
    assert spend.dollars <= paid + 1e-9 <= spend.most_dollars + 2e-9
    assert (spend.unaccounted > 0, spend.written_off > 0) == (course.lost, course.lost)
    if not course.lost:
        assert spend.dollars == pytest.approx(paid)


@pytest.mark.parametrize("kind", [kind for kind, (_, course) in FAULTS.items() if course.lasting])
def test_for_as_long_as_a_vote_is_asked_for(kind: str, tmp_path: Path) -> None:
    course, store = FAULTS[kind][1], tmp_path / "votes"
    deadline = 0.6 if course.lasting == "error" else 20.0
    # What is remembered is refused alone: where all is, it is not the fault of what was asked.
    times = 99 if course.again else 1
    with running(rule="no", script=("ok", *[kind] * times), slow_seconds=1) as standin:
        first = run(standin, store, deadline=deadline)
        assert (first.error, first.votes) == (None, {"c": "n a"})
        assert first.verdicts["c"].turns[1].votes[0].reason == course.lasting
        # What the last attempt may cost is written off too where its time was cut short.
        assert first.spend.most_dollars >= spent(standin) - 1e-9
        standin.faults.heal()
        second = run(standin, store)
    assert (second.error, second.votes) == (None, {"c": "n n" if course.again else "n a"})


@pytest.mark.parametrize("kind", FAULTS)
def test_always(kind: str, tmp_path: Path) -> None:
    course = FAULTS[kind][1]
    talks = [conversation(f"c{number}", f"hello {number}", "hi") for number in range(40)]
    patience = Patience(timeout=0.2, deadline=1.0, backoff=0.01)
    with running(rule="no", faults={kind: 1.0}, slow_seconds=0.5) as standin:
        audited = audit(standin.url, *talks, store=tmp_path / "votes", patience=patience)
        calls = len(standin.ledger.calls)
        paid = spent(standin)
    assert type(audited.error) is ERRORS[course.always]
    assert calls <= (1 if course in (ENDED, SPENT) else 25)
    said(audited.spend, course, paid)
