"""What of a log is audited: conditions, times, samples and limits, and why the rest is not."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.selection import Condition, LeftOut, Omission, Selection, moment
from chaperone_cli.errors import UsageError

PROBLEM = Problem(Severity.ERROR, "a.jsonl", "is broken")


def one(id: str, at: str | None = None, label: str | None = None, **meta: Any) -> Conversation:
    said = (Message(Role.USER, "Hi", at=at),)
    return Conversation(id, said, Source("a.jsonl", 1), label, meta=meta)


def ids(selection: Selection, *items: Conversation | Problem) -> tuple[list[str], LeftOut]:
    left_out = LeftOut()
    chosen = selection.over(items, left_out)
    return [item.id if isinstance(item, Conversation) else "!" for item in chosen], left_out


MODELS = [
    one("none"),
    one("four", model="gpt-4o"),
    one("five", model="gpt-5"),
    one("both", model=["gpt-5", "gpt-4o"]),
    one("deep", label="neutral", app={"model": 4, "beta": True}),
]


@pytest.mark.parametrize(
    ("conditions", "chosen"),
    [
        (["meta.model=gpt-4o"], ["four", "both"]),
        (["meta.model!=gpt-4o"], ["none", "five", "deep"]),
        (["meta.model=gpt-*"], ["four", "five", "both"]),
        (["meta.model=gpt-*", "id=f*"], ["four", "five"]),
        (["meta.app.model=4"], ["deep"]),
        (["meta.app.beta=true"], ["deep"]),
        (["label=neutral"], ["deep"]),
        (["label=*"], ["deep"]),
        (["meta.app=*"], []),
    ],
)
def test_conditions(conditions: list[str], chosen: list[str]) -> None:
    selection = Selection(tuple(map(Condition.parse, conditions)))
    found, left_out = ids(selection, PROBLEM, *MODELS)
    assert found == ["!", *chosen]
    assert left_out == LeftOut(Counter({Omission.WHERE: len(MODELS) - len(chosen)}))


@pytest.mark.parametrize("text", ["", "model=x", "meta=x", "meta.=x", "meta.model", "turns=2"])
def test_a_condition_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        Condition.parse(text)
    assert raised.value.message == f"cannot select by {text!r}"


TIMES = [
    one("january", "2026-01-31T23:30:00-01:00"),
    one("february", "2026-02-10T12:00:00Z"),
    one("long", "2026-03-01T00:00:00Z", created_at="2026-01-01T00:00:00Z"),
    one("undated", "yesterday"),
]


@pytest.mark.parametrize(
    ("since", "until", "chosen", "reasons"),
    [
        ("2026-02-01", None, ["january", "february", "long"], {"undated": 1}),
        ("2026-02-02", None, ["february", "long"], {"since": 1, "undated": 1}),
        (None, "2026-01-31", ["long"], {"until": 2, "undated": 1}),
        (None, "2026-02-01", ["january", "long"], {"until": 1, "undated": 1}),
        ("2026-02-15", "2026-02-20", ["long"], {"since": 2, "undated": 1}),
        (None, "2026-02-10T12:00:00Z", ["january", "long"], {"until": 1, "undated": 1}),
    ],
)
def test_times(
    since: str | None, until: str | None, chosen: list[str], reasons: dict[str, int]
) -> None:
    selection = Selection(
        since=moment(since) if since else None,
        until=moment(until, end_of_day=True) if until else None,
    )
    found, left_out = ids(selection, *TIMES)
    assert (found, {str(key): count for key, count in left_out.reasons.items()}) == (
        chosen,
        reasons,
    )


def test_a_moment_without_zone_is_in_utc() -> None:
    assert moment("2026-01-31T10:00") == datetime(2026, 1, 31, 10, tzinfo=UTC)
    with pytest.raises(ValueError, match="Invalid isoformat"):
        moment("soon")


def test_a_limit_ends_reading() -> None:
    def endless() -> Any:
        yield from (one("a"), PROBLEM, one("b"), one("c"))
        raise AssertionError("it read on")

    left_out = LeftOut()
    found = list(Selection(limit=2).over(endless(), left_out))
    assert [getattr(item, "id", "!") for item in found] == ["a", "!", "b"]
    assert left_out == LeftOut(limited=True)
    assert not ids(Selection(limit=2), one("a"), one("b"))[1]


@given(st.sets(st.text(), max_size=30), st.integers(0, 40), st.integers(0, 3), st.randoms())
def test_a_sample_depends_on_ids_and_seed_alone(
    names: set[str], size: int, seed: int, random: Any
) -> None:
    selection = Selection(sample=size, seed=seed)
    log = [one(name) for name in sorted(names)]
    found, left_out = ids(selection, *log)
    assert found == [each.id for each in log if each.id in found]
    assert len(found) == min(size, len(log)) == len(log) - left_out.reasons[Omission.SAMPLE]
    random.shuffle(log)
    assert set(ids(selection, *log)[0]) == set(found)


def test_seeds_draw_different_samples_of_about_equal_chances() -> None:
    log = [one(str(n)) for n in range(20)]
    drawn = Counter(
        id_ for seed in range(400) for id_ in ids(Selection(sample=5, seed=seed), *log)[0]
    )
    assert len(drawn) == 20
    assert all(60 < times < 145 for times in drawn.values())
