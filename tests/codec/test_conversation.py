"""The canonical document and back, and the schema's agreement with the reader."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaperone_cli.codec.conversation import decode, encode, to_line
from chaperone_cli.codec.schemas import schema, validator
from chaperone_cli.domain.conversation import Conversation, Message, Role, Source

SOURCE = Source("log.jsonl", 3)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
blanks = st.sampled_from(["", " ", "\n\t", "\u2003"])
ids = st.one_of(texts.filter(bool), st.integers(-(2**63) + 1, 2**64 - 1), st.just(7.0))
parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}),
    st.fixed_dictionaries({"type": st.sampled_from(["image", "a b", ""])}),
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from([role.value for role in Role]),
        "content": st.one_of(texts, blanks, st.none(), st.lists(parts, max_size=3)),
    },
    optional={
        "at": st.none() | texts,
        "id": st.none() | ids,
        "name": st.none() | texts,
        "cues": texts,
    },
)
documents = st.fixed_dictionaries(
    {"id": ids, "turns": st.lists(messages, max_size=4)},
    optional={
        "label": st.none() | texts,
        "onset": st.one_of(st.none(), st.integers(1, 9), st.just(3.0)),
        "meta": st.none() | st.dictionaries(texts, texts, max_size=2),
        "schema": texts,
    },
)

EDGES: list[Any] = [
    *(None, True, False, "", " ", "user", "User", [], {}, ["text"]),
    *(0, 1, -1, 1.5, 2.0, 2**53 - 1, 2**53, 1e300),
    *(2**64 - 1, 2.0**64, -(2**63) + 1, -(2.0**63)),
    *([{"type": "text"}], [{"type": None}], [{}], [{"type": "output_text", "text": None}]),
    *([{"type": "image", "text": 1}], [{"type": "text", "text": "a"}, {"type": "input_text"}]),
    *([{"role": "user"}], [{"content": "a"}], [{"role": "tool", "content": None}], [None]),
]
"""Values that are right for some keys and wrong for others."""
anything = st.sampled_from(EDGES) | texts


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A document with one value replaced or taken out, as likely as not with a defect thereby."""
    document: dict[str, Any] = draw(documents)
    turns = document["turns"]
    if not turns or draw(st.booleans()):
        place, keys = document, ["id", "turns", "label", "onset", "meta"]
    elif draw(st.integers(0, 5)):
        place, keys = draw(st.sampled_from(turns)), ["role", "content", "at", "id", "name"]
    else:
        turns[-1] = draw(anything)
        return document
    key = draw(st.sampled_from(keys))
    if draw(st.integers(0, 4)):
        place[key] = draw(anything)
    else:
        place.pop(key, None)
    return document


def as_read(document: dict[str, Any]) -> Any:
    return orjson.loads(orjson.dumps(document))


def agree(document: dict[str, Any]) -> None:
    read = as_read(document)
    accepted = validator("conversation.v1").is_valid(read)
    assert isinstance(decode(read, SOURCE), Conversation) == accepted


@settings(max_examples=400)
@given(mutated())
def test_the_schema_accepts_exactly_what_can_be_read(document: dict[str, Any]) -> None:
    agree(document)


@pytest.mark.parametrize("key", ["id", "turns", "label", "onset", "meta", "other"])
@pytest.mark.parametrize("value", EDGES, ids=repr)
def test_the_schema_and_the_reader_agree_on_every_edge_of(key: str, value: Any) -> None:
    agree({"id": "c", "turns": [], key: value})


@pytest.mark.parametrize("key", ["role", "content", "at", "id", "name", "other"])
@pytest.mark.parametrize("value", EDGES, ids=repr)
def test_they_agree_on_every_edge_of_a_message(key: str, value: Any) -> None:
    agree({"id": "c", "turns": [{"role": "user", "content": "a", key: value}]})


@given(documents)
def test_encoding_and_decoding_again_changes_nothing(document: dict[str, Any]) -> None:
    conversation = decode(as_read(document), SOURCE)
    assert isinstance(conversation, Conversation)
    encoded = encode(conversation)
    assert validator("conversation.v1").is_valid(encoded)
    again = decode(orjson.loads(to_line(conversation)), SOURCE)
    assert isinstance(again, Conversation)
    assert encode(again) == encoded
    # Blank turns are not written, so that what follows them moves up.
    said = [message._replace(place=None) for message in conversation.messages]
    assert [message._replace(place=None) for message in again.messages] == said


def test_the_examples_of_the_schema_can_be_read() -> None:
    examples = schema("conversation.v1")["examples"]
    assert [type(decode(example, SOURCE)) for example in examples] == [Conversation] * 3
    assert all(validator("conversation.v1").is_valid(example) for example in examples)


def test_the_schema_lists_exactly_the_roles() -> None:
    message = schema("conversation.v1")["$defs"]["message"]
    assert message["properties"]["role"]["enum"] == [role.value for role in Role]


def test_everything_a_document_says_is_kept() -> None:
    document: dict[str, Any] = {
        "id": "c-1",
        "label": "parasocial",
        "onset": 2,
        "meta": {"app": "x"},
        "turns": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hi", "at": "2026-01-01T00:00:00Z", "id": 7, "name": "Ana"},
        ],
    }
    said = Message(Role.USER, "Hi", "7", "Ana", "2026-01-01T00:00:00Z", 2)
    context = Message(Role.SYSTEM, "Be kind.", place=1)
    expected = Conversation("c-1", (context, said), SOURCE, "parasocial", 2, {"app": "x"})
    assert decode(document, SOURCE) == expected
    said_again = {**document["turns"][1], "id": "7"}
    assert encode(expected) == {**document, "turns": [document["turns"][0], said_again]}


@pytest.mark.parametrize(
    ("content", "text", "placeholders"),
    [
        ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}], "a\nb", 0),
        ([{"type": "image_url", "text": "unread"}], "[image_url]", 1),
        (
            [{"type": "text", "text": "see"}, {"type": "a b]\x1b[2J"}, {"type": "é"}],
            "see\n[a_b_2J]\n[_]",
            2,
        ),
        ([{"type": "x" * 50}], f"[{'x' * 32}]", 1),
        ([{"type": ""}], "[part]", 1),
    ],
)
def test_parts_are_joined_and_others_stand_as_placeholders(
    content: object, text: str, placeholders: int
) -> None:
    document = {"id": "c", "turns": [{"role": "user", "content": content}]}
    said = Message(Role.USER, text, place=1)
    expected = Conversation("c", (said,), SOURCE, placeholders=placeholders)
    assert decode(document, SOURCE) == expected


def test_blank_messages_are_skipped_and_only_turns_among_them_counted() -> None:
    blank = ["", " \n", None, [], [{"type": "text", "text": ""}]]
    turns = [
        {"role": role, "content": content}
        for role in ("user", "assistant", "system", "tool", "event")
        for content in blank
    ]
    turns.append({"role": "assistant", "content": "Hello"})
    hello = Message(Role.ASSISTANT, "Hello", place=len(turns))
    expected = Conversation("c", (hello,), SOURCE, blank_turns=10)
    assert decode({"id": "c", "turns": turns}, SOURCE) == expected


@given(st.lists(messages, max_size=6))
def test_a_message_is_read_alike_whatever_stands_beside_it(turns: list[dict[str, Any]]) -> None:
    together = decode(as_read({"id": "c", "turns": turns}), SOURCE)
    assert isinstance(together, Conversation)
    alone = []
    for number, turn in enumerate(turns, 1):
        one = decode(as_read({"id": "c", "turns": [turn]}), SOURCE)
        assert isinstance(one, Conversation)
        alone += [message._replace(place=number) for message in one.messages]
    assert list(together.messages) == alone
