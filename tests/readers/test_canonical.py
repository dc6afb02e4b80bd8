"""Canonical logs: what is wrong with a conversation, told defect by defect, without its text."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaperone_cli.codec.schemas import validator
from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers import LogReader
from tests.codec.test_conversation import documents, mutated
from tests.readers.reading import canonical, conversations, lines, read, write

ROLES = "expected user, assistant, system, tool or event"
HI = {"role": "user", "content": "Hi"}


def problem(document: object) -> list[str]:
    """What is said of a document between two good ones, without severity, place and ending."""
    path = write("a.jsonl", canonical("first") + lines(document) + canonical("last"))
    first, *told, last = read(path)
    assert (first, last) == ("first @ a.jsonl:1", "last @ a.jsonl:3")
    ending = "; this conversation is not audited"
    assert all(each.startswith("error: a.jsonl:2") and each.endswith(ending) for each in told)
    return [each.removeprefix("error: a.jsonl:2").removesuffix(ending) for each in told]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"turns": []}, ": `id` is missing; expected a string that is not empty, or an integer"),
        (
            {"id": None, "turns": []},
            ": `id` is null; expected a string that is not empty, or an integer",
        ),
        (
            {"id": "", "turns": []},
            ": `id` is empty; expected a string that is not empty, or an integer",
        ),
        (
            {"id": 1.5, "turns": []},
            ": `id` is no 64-bit integer; expected a string that is not empty, or an integer",
        ),
        ({"id": "b"}, " conversation b: `turns` is missing; expected a list of messages"),
        (
            {"id": "b", "turns": {}},
            " conversation b: `turns` is an object; expected a list of messages",
        ),
        (
            {"id": "b", "turns": [], "label": 1},
            " conversation b: `label` is a number; expected a string or null",
        ),
        (
            {"id": "b", "turns": [], "meta": []},
            " conversation b: `meta` is a list; expected an object or null",
        ),
        (
            {"id": "b", "turns": [], "onset": "3"},
            " conversation b: `onset` is a string; expected a turn's number, from 1, or null",
        ),
        (
            {"id": "b", "turns": [], "onset": 0},
            " conversation b: `onset` is no turn's number; expected an integer from 1, or null",
        ),
    ],
)
def test_defects_of_the_conversation(document: object, expected: str) -> None:
    assert problem(document) == [expected]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Hi", " is a string; expected an object"),
        (None, " is null; expected an object"),
        ({"content": "Hi"}, f": `role` is missing; {ROLES}"),
        ({"role": 1, "content": "Hi"}, f": `role` is a number; {ROLES}"),
        (
            {"role": "human", "content": "Hi"},
            f": `role` human is not known; did you mean user? {ROLES}",
        ),
        (
            {"role": "Assistent", "content": "Hi"},
            f": `role` Assistent is not known; did you mean assistant? {ROLES}",
        ),
        ({"role": "narrator", "content": "Hi"}, f": `role` narrator is not known; {ROLES}"),
        ({"role": "I feel so alone", "content": ""}, f": `role` is none that is known; {ROLES}"),
        ({"role": "user"}, ": `content` is missing; expected a string, a list of parts or null"),
        (
            {"role": "user", "content": {}},
            ": `content` is an object; expected a string, a list of parts or null",
        ),
        (
            {"role": "user", "content": ["Hi"]},
            ": part 1 of `content` is a string; expected an object with a `type`",
        ),
        (
            {"role": "user", "content": [{"type": "image"}, {"text": "Hi"}]},
            ": part 2 of `content`: `type` is missing; expected a string",
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": None}]},
            ": part 1 of `content`: `text` is null; expected a string",
        ),
        ({**HI, "at": 1700000000}, ": `at` is a number; expected a string or null"),
        ({**HI, "name": []}, ": `name` is a list; expected a string or null"),
        (
            {**HI, "id": True},
            ": `id` is a boolean; expected a string that is not empty, an integer or null",
        ),
    ],
)
def test_defects_of_a_message(message: object, expected: str) -> None:
    told = problem({"id": "b", "turns": [HI, message]})
    assert told == [f" conversation b: entry 2 of `turns`{expected}"]


def test_every_defect_is_told() -> None:
    turns = [{"role": "ai"}, HI, 3]
    assert problem({"id": 7, "turns": turns, "onset": -1}) == [
        f" conversation 7: entry 1 of `turns`: `role` ai is not known; did you mean assistant? "
        f"{ROLES}",
        " conversation 7: entry 1 of `turns`: `content` is missing; "
        "expected a string, a list of parts or null",
        " conversation 7: entry 3 of `turns` is a number; expected an object",
        " conversation 7: `onset` is no turn's number; expected an integer from 1, or null",
    ]


def test_conversations_of_any_shape_are_read() -> None:
    said = [{"role": role, "content": "Yes?"} for role in ("assistant", "assistant", "user")]
    path = write("a.jsonl", lines(*({"id": n, "turns": said[:n]} for n in range(4))))
    roles = (Role.ASSISTANT, Role.ASSISTANT, Role.USER)
    messages = tuple(Message(role, "Yes?", place=n) for n, role in enumerate(roles, 1))
    assert conversations(path) == [
        Conversation(str(n), messages[:n], Source("a.jsonl", n + 1)) for n in range(4)
    ]


def test_an_id_is_audited_once_within_a_run() -> None:
    write("a.jsonl", canonical("x", 7))
    rows = lines(*({"conversation_id": id_, "role": "user", "content": "Hi"} for id_ in "7z"))
    write("b.jsonl", rows)
    write("c.jsonl", canonical("z", "y", 7.0))
    again = "its id already stands at {}; this second conversation is not audited"
    assert read("a.jsonl", "b.jsonl", "c.jsonl") == [
        "x @ a.jsonl:1",
        "7 @ a.jsonl:2",
        f"error: b.jsonl:1 conversation 7: {again.format('a.jsonl:2')}",
        "z @ b.jsonl:2",
        f"error: c.jsonl:1 conversation z: {again.format('b.jsonl:2')}",
        "y @ c.jsonl:2",
        f"error: c.jsonl:3 conversation 7: {again.format('a.jsonl:2')}",
    ]


@pytest.mark.parametrize("first", [0, 16_382, 16_383, 16_384, 19_999])
def test_an_id_among_many_is_audited_once(first: int) -> None:
    write("a.jsonl", canonical(*range(20_000)))
    write("b.jsonl", canonical(first, "new"))
    assert read("a.jsonl", "b.jsonl")[20_000:] == [
        f"error: b.jsonl:1 conversation {first}: its id already stands at a.jsonl:{first + 1}; "
        "this second conversation is not audited",
        "new @ b.jsonl:2",
    ]


def test_a_defective_conversation_does_not_claim_its_id() -> None:
    path = write("a.jsonl", lines({"id": "b", "turns": 1}) + canonical("b"))
    assert read(path)[1:] == ["b @ a.jsonl:2"]


def test_standard_input_is_read_once_and_left_open() -> None:
    assert read("-", "-", stdin=canonical("a")) == ["a @ -:1"]


@settings(max_examples=200)
@given(st.lists(mutated(), min_size=1, max_size=3))
def test_a_line_is_read_without_an_error_if_and_only_if_the_schema_accepts_it(
    read_documents: list[dict[str, Any]],
) -> None:
    path = write("p.jsonl", lines(*read_documents))
    for number, document in enumerate(read_documents, 1):
        document = orjson.loads(orjson.dumps(document))
        defects = [
            item
            for item in LogReader([path], format="canonical")
            if isinstance(item, Problem)
            and item.severity is Severity.ERROR
            and item.line == number
            and "already stands" not in item.message
        ]
        assert bool(defects) != validator("conversation.v1").is_valid(document)


@given(documents, st.data())
def test_no_problem_ever_carries_text(document: dict[str, Any], data: st.DataObject) -> None:
    secret = data.draw(st.text("abcdefghij klmnop", min_size=20, max_size=40))
    for place in (document, *document["turns"]):
        key = data.draw(st.sampled_from(["role", "content", "at", "name", "label", "x", "turns"]))
        place[key] = data.draw(st.sampled_from([secret, [secret], {"type": secret}, {secret: 1}]))
    whole = lines(document)
    cut = whole[: data.draw(st.integers(1, len(whole)))]
    write("p.jsonl", whole + cut + b"\n" + cut.replace(b" ", b"\xff") + b"\n")
    problems = [item for item in LogReader(["p.jsonl"]) if isinstance(item, Problem)]
    assert problems
    stretches = {secret[start : start + 20] for start in range(len(secret) - 19)}
    assert not [p for p in problems if any(stretch in str(p) for stretch in stretches)]
