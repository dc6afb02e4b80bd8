"""Messages that are made when they are looked at are those that were read one by one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.codec.conversation import decode, is_blank
from chaperone_cli.codec.message import decode_message
from chaperone_cli.codec.plain_messages import PlainMessages, are_plain, measure
from chaperone_cli.domain.conversation import Conversation, Message, Role
from tests.codec.test_conversation import SOURCE, anything, as_read, documents

HI = {"role": "user", "content": "Hi"}
TOLD = {"role": "assistant", "content": "Hm", "at": "2026", "id": "7", "name": "B", "x": [1]}
MADE = (Message(Role.USER, "Hi", place=1), Message(Role.ASSISTANT, "Hm", "7", "B", "2026", 2))


def one_by_one(turns: list[dict[str, Any]]) -> tuple[Message, ...]:
    found = []
    for place, turn in enumerate(turns, 1):
        read = decode_message(turn, [])
        assert read is not None
        if not is_blank(read[0].text):
            found.append(read[0]._replace(place=place))
    return tuple(found)


@given(documents)
def test_they_are_those_that_are_read_one_by_one(document: dict[str, Any]) -> None:
    read = as_read(document)
    conversation = decode(read, SOURCE)
    assert isinstance(conversation, Conversation)
    assert conversation.messages == one_by_one(read["turns"])


@given(st.lists(st.dictionaries(st.sampled_from([*TOLD]), anything) | anything, max_size=3))
def test_nothing_with_a_defect_counts_as_plain(turns: list[Any]) -> None:
    turns = as_read({"turns": turns})["turns"]
    if (measured := measure(turns)) is not None:
        assert tuple(PlainMessages(turns, measured)) == one_by_one(turns)
        characters = sum(len(turn["content"]) for turn in turns)
        keys = {key for turn in turns for key in turn}
        assert measured == (characters, bool(keys - {"role", "content", "at", "id", "name"}))


@pytest.mark.parametrize("key", ["role", "content", "at", "id", "name"])
@pytest.mark.parametrize("value", [1, True, [], {}, "", None])
def test_a_value_that_needs_a_closer_look_is_not_plain(key: str, value: Any) -> None:
    is_plain = key in ("at", "name", "id") and (value is None or (value == "" and key != "id"))
    assert are_plain([HI, {**TOLD, key: value}]) == is_plain


def test_they_are_a_sequence_before_and_after_they_are_made() -> None:
    told = ([HI, TOLD], [HI, TOLD], [HI])
    messages, same, fewer = (PlainMessages(turns, (0, True)) for turns in told)
    assert len(messages) == 2
    assert (messages[-1], messages[:1]) == (MADE[1], MADE[:1])
    assert len(messages) == 2
    assert (list(messages), repr(messages)) == (list(MADE), repr(MADE))
    assert MADE == messages == same != fewer
    assert (hash(same), {same: 1}[messages]) == (hash(MADE), 1)
    assert not PlainMessages([], (0, False))
