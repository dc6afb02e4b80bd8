"""`report.v1`: what is written is valid, reads back whole, and damage is said where it stands."""

import copy
from typing import Any

import pytest
from hypothesis import given

from chaperone_cli.codec import report
from chaperone_cli.codec.fields import Node, dumps
from chaperone_cli.codec.schemas import schema, validator
from chaperone_cli.errors import InputError
from tests.codec.saved import REPORTS


@given(REPORTS)
def test_what_is_written_is_valid_and_reads_back_the_same(saved: report.Report) -> None:
    document = report.encode(saved)
    validator("report.v1").validate(document)

    again = report.decode(Node.parse(dumps(document), "report.json"))

    assert again == saved
    assert report.encode(again) == document


def test_the_example_of_the_contract_reads_back_the_same() -> None:
    example = schema("report.v1")["examples"][0]
    assert report.encode(report.decode(Node(example, "report.json"))) == example


DAMAGE = [
    (lambda d: d.update(schema="verdict.v1"), "report.json: expected a report.v1 document"),
    (lambda d: d.update(extra=1), "report.json: expected no keys besides schema, run, "),
    (lambda d: d["run"].pop("passes"), "report.json: run: expected the key passes"),
    (
        lambda d: d["run"]["rule"].update(name="9"),
        "report.json: run.rule.name: expected a rule that 5 votes can satisfy",
    ),
    (
        lambda d: d["run"]["rule"].update(threshold=4),
        "report.json: run.rule.threshold: expected 5, as the rule says for 5 votes",
    ),
    (
        lambda d: d["run"]["evaluator"]["settings"].update(a=[]),
        "report.json: run.evaluator.settings.*: expected text, a number, true, false or null",
    ),
    (
        lambda d: d["conversations"][0].update(verdict="block"),
        "report.json: conversations[0].verdict: expected what follows from the turns",
    ),
    (
        lambda d: d["problems"][0].update(severity=1),
        "report.json: problems[0].severity: expected error or warning",
    ),
    (
        lambda d: d["summary"].update(ending="soon"),
        "report.json: summary.ending: expected complete or interrupted or failed or out_of_budget",
    ),
    (
        lambda d: d["usage"].update(seconds="long"),
        "report.json: usage.seconds: expected a number from 0",
    ),
    (lambda d: d["run"].update(inputs="x"), "report.json: run.inputs: expected an array"),
    (lambda d: d["run"].update(all_votes=1), "report.json: run.all_votes: expected true or false"),
]


@pytest.mark.parametrize(("damage", "expected"), DAMAGE)
def test_damage_is_said_where_it_stands(damage: Any, expected: str) -> None:
    document = copy.deepcopy(schema("report.v1")["examples"][0])
    damage(document)
    with pytest.raises(InputError) as caught:
        report.decode(Node.parse(dumps(document), "report.json"))
    assert caught.value.message.startswith(expected)
    assert caught.value.hint
