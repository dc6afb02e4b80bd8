"""`verdict.v1`: what is written is valid, reads back whole, and damage is said where it stands."""

import copy
import json
from typing import Any

import orjson
import pytest
from hypothesis import given

from chaperone_cli.codec import verdict
from chaperone_cli.codec.fields import Node, dumps
from chaperone_cli.codec.schemas import schema, validator
from chaperone_cli.domain.conversation import Side, Source
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.errors import InputError
from tests.codec.saved import saved_verdicts

SECRET = "I would rather talk to you than to anybody else alive"


def sample() -> dict[str, Any]:
    """Gives the first example of the contract."""
    example: dict[str, Any] = schema("verdict.v1")["examples"][0]
    return example


@pytest.mark.parametrize("contract", ["verdict.v1", "vote.v1", "report.v1"])
def test_examples_are_valid(contract: str) -> None:
    examples = schema(contract)["examples"]
    assert examples
    for example in examples:
        validator(contract).validate(example)


def test_a_document_is_built_field_by_field() -> None:
    said = Evidence(("attachment",), Span(1, 0, 200, Side.PROMPT))
    refused = Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
    turns = (
        TurnVerdict(1, Side.PROMPT, Verdict.PASS, (NO, refused)),
        TurnVerdict(
            3,
            Side.PROMPT,
            Verdict.BLOCK,
            (
                Vote(Answer.YES, evidence=said),
                Vote(Answer.YES, evidence=Evidence(("exclusivity",))),
                Vote(Answer.YES, evidence=said),
            ),
        ),
    )
    given_ = ConversationVerdict("c", Source("a.jsonl", 7), 4, 2, turns, "parasocial", 1)

    document = verdict.encode(given_, 3, {Span(1, 0, 200, Side.PROMPT): "x" * 200})

    assert document == {
        "schema": "verdict.v1",
        "conversation": "c",
        "source": {"path": "a.jsonl", "line": 7},
        "label": "parasocial",
        "onset": 1,
        "passes": 3,
        "verdict": "block",
        "first_block": {"turn": 3, "side": "prompt", "score": 3, "of": 3},
        "attribution": "prompt",
        "turns_total": 4,
        "turns_selected": 2,
        "turns": [
            {
                "turn": 1,
                "side": "prompt",
                "verdict": "pass",
                "score": 0,
                "votes": [0, "refused"],
            },
            {
                "turn": 3,
                "side": "prompt",
                "verdict": "block",
                "score": 3,
                "votes": [1, 1, 1],
                "evidence": [
                    {
                        "passes": [1, 3],
                        "cues": ["attachment"],
                        "span": {
                            **{"turn": 1, "side": "prompt", "start": 0, "end": 200},
                            "quote": "x" * 139 + "…",
                        },
                    },
                    {"passes": [2], "cues": ["exclusivity"]},
                ],
            },
        ],
    }


@given(saved_verdicts())
def test_what_is_written_is_valid_and_reads_back_the_same(saved: verdict.SavedVerdict) -> None:
    document = verdict.encode(saved.verdict, 5, saved.quotes)
    validator("verdict.v1").validate(document)

    again = verdict.decode(Node.parse(dumps(document), "v.jsonl:1"))

    assert again == saved
    assert verdict.encode(again.verdict, 5, again.quotes) == document


def test_a_file_of_verdicts_reads_line_by_line() -> None:
    lines = [dumps(sample()) + b"\n", b"\n", dumps(schema("verdict.v1")["examples"][1])]
    assert [saved.verdict.conversation for saved in verdict.decode_lines(lines, "v.jsonl")] == [
        "c-17",
        "empty",
    ]


DAMAGE = [
    (lambda d: d.update(schema="verdict.v9"), 'a verdict.v1 document, an object with "schema"'),
    (lambda d: d.pop("turns"), "the key turns"),
    (lambda d: d.update({SECRET: 1}), "no keys besides schema, conversation, "),
    (lambda d: d["source"].update(line=SECRET), "source.line: expected a whole number from 1"),
    (lambda d: d["turns"][0].update(side=SECRET), "turns[0].side: expected prompt or response"),
    (lambda d: d["turns"][0].update(score=2), "turns[0].score: expected 1, the number of yes"),
    (lambda d: d["turns"][0].update(votes=[SECRET]), "turns[0].votes[0]: a vote is 1, 0"),
    (lambda d: d["turns"][0].update(votes=[True]), "turns[0].votes[0]: a vote is 1, 0"),
    (
        lambda d: d["turns"][1]["evidence"][1].update(passes=[4]),
        "turns[1].evidence[1].passes[0]: expected a pass from 1 to 3, each once",
    ),
    (
        lambda d: d["turns"][1]["evidence"][1].update(passes=[3]),
        "turns[1].evidence[1].passes[0]: expected a pass from 1 to 3, each once",
    ),
    (
        lambda d: d["turns"][1]["evidence"][0]["span"].update(start=22),
        "turns[1].evidence[0].span.end: expected a whole number from 22",
    ),
    (lambda d: d["turns"].reverse(), "turns: expected turns in order, none beyond turns_total"),
    (lambda d: d.update(turns_total=1), "turns: expected turns in order, none beyond turns_total"),
    (lambda d: d.update(turns_selected=1), "turns_selected: expected a number from the judged"),
    (lambda d: d.update(verdict="pass"), "verdict: expected what follows from the turns"),
    (lambda d: d["first_block"].update(turn=1), "first_block: expected what follows from the"),
    (lambda d: d.update(attribution=None), "attribution: expected what follows from the turns"),
    (lambda d: d.update(rules={SECRET: 1}), "rules: expected no keys besides unanimous"),
]


@pytest.mark.parametrize(("damage", "expected"), DAMAGE)
def test_damage_is_said_where_it_stands_and_never_quoted(damage: Any, expected: str) -> None:
    document = copy.deepcopy(sample())
    damage(document)
    with pytest.raises(InputError) as caught:
        list(verdict.decode_lines([b"\n", json.dumps(document).encode()], "v.jsonl"))
    assert caught.value.message.startswith("v.jsonl:2: ")
    assert expected in caught.value.message
    assert "\n" not in caught.value.message
    assert SECRET[:20] not in caught.value.message + caught.value.hint


def test_what_is_not_json_is_said_with_line_and_column() -> None:
    with pytest.raises(InputError, match=r"^v\.json: not JSON from line 2, column 3 on$"):
        Node.parse(b"{\n  nonsense}", "v.json")


@pytest.mark.parametrize(
    ("quote", "expected"),
    [("a" * 140, "a" * 140), ("a" * 141, "a" * 139 + "…"), ("", "")],
)
def test_quotes_have_at_most_140_characters(quote: str, expected: str) -> None:
    assert verdict.shorten(quote) == expected


def test_undecodable_bytes_of_a_path_are_spelled() -> None:
    found = ConversationVerdict("c", Source("caf\udce9.jsonl", 1), 1, 1, (), "x")
    line = dumps(verdict.encode(found, 1, {}))
    assert orjson.loads(line)["source"]["path"] == "caf\\udce9.jsonl"


def test_votes_follow_the_contract_of_recorded_votes() -> None:
    turn = TurnVerdict(1, Side.PROMPT, Verdict.PASS, (YES, NO, *_abstentions()))
    found = ConversationVerdict("c", Source("a", 1), 1, 1, (turn,))
    for row in verdict.encode(found, 6, {})["turns"]:
        validator("vote.v1").validate({"conversation": "c", **row})


def _abstentions() -> list[Vote]:
    return [Vote(Answer.ABSTAIN, reason) for reason in AbstainReason]
