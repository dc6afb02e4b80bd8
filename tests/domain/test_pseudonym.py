"""Keyed hashes for ids and paths: the same under one key, and nothing of the name is left."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.pseudonym import HashedNames, PlainNames
from chaperone_cli.errors import EvaluatorError, MissingVoteError
from tests.reports.hostile import blocked
from tests.reports.runs import header

KEY = b"a key of sixteen bytes or more"
ID = "alice@example.org"
PATH = "logs/alice@example.org.jsonl.gz"


@given(st.text(), st.text())
def test_names_are_alike_only_if_they_are_equal(one: str, other: str) -> None:
    names = HashedNames(KEY)
    assert (names.id(one) == names.id(other)) == (one == other)
    assert names.id(one) == HashedNames(KEY).id(one) != HashedNames(KEY + b"!").id(one)


def test_a_hash_keeps_its_form() -> None:
    names = HashedNames(KEY)
    assert re.fullmatch(r"id-[0-9a-f]{20}", names.id(ID))
    assert names.path(PATH).startswith("log-")
    assert names.path(PATH).endswith(".gz")
    assert names.path("alice.smith").count(".") == 0
    assert names.path("-") == "-"


def test_verdicts_and_headers_lose_every_name() -> None:
    names = HashedNames(KEY)
    shown = names.verdict(blocked(ID, PATH))
    assert shown == replace(
        blocked(ID), conversation=names.id(ID), source=Source(names.path(PATH), 1)
    )
    votes: dict[str, str | int | float | bool | None] = {"votes": f"{ID}.votes.jsonl", "seed": 1}
    head = names.header(replace(header(), inputs=(PATH, "-"), evaluator_settings=votes))
    assert head.inputs == (names.path(PATH), "-")
    assert "alice" not in str(head.evaluator_settings)
    beside = {"votes": "beside each log"}
    assert names.header(replace(header(), evaluator_settings=beside)).evaluator_settings == beside


def test_a_problem_loses_names_inside_its_message_too() -> None:
    names = HashedNames(KEY)
    names.verdict(blocked(ID, PATH))
    problem = Problem(Severity.ERROR, "b.jsonl", f"{ID} already stands at {PATH}:3", 9, ID)
    shown = names.problem(problem)
    assert shown == Problem(
        Severity.ERROR,
        names.path("b.jsonl"),
        f"{names.id(ID)} already stands at {names.path(PATH)}:3",
        9,
        names.id(ID),
    )


def test_a_short_name_leaves_other_words_whole() -> None:
    names = HashedNames(KEY)
    shown = names.problem(Problem(Severity.ERROR, "b", "an id that is a: a", 9, "a"))
    assert shown.message == f"an id that is {names.id('a')}: {names.id('a')}"


@pytest.mark.parametrize("name", [ID, 'it\'s "quoted"', "a\nb"])
def test_an_error_loses_the_names_that_it_says_it_has(name: str) -> None:
    names = HashedNames(KEY)
    shown = names.error(MissingVoteError.at(PATH, name, 3, 2))
    assert shown.message == (
        f"{names.path(PATH)} holds no vote of pass 2 on turn 3 of conversation {names.id(name)}"
    )
    assert names.error(EvaluatorError("no credentials")).message == "no credentials"


def test_plain_names_change_nothing() -> None:
    names, verdict, error = PlainNames(), blocked(ID), EvaluatorError(ID)
    problem = Problem(Severity.ERROR, PATH, ID)
    assert names.verdict(verdict) is verdict
    assert names.problem(problem) is problem
    assert names.error(error) is error
    assert names.path(PATH) == PATH
