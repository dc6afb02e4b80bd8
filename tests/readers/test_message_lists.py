"""ShareGPT, OpenAI messages, Open Assistant trees and Inspect samples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.branches import Branches
from tests.readers.reading import lines, write
from tests.readers.transcripts import EXPORTS, counts, export, transcript, whole

TEXTS = st.text(st.characters(codec="utf-8"))
SAID = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXTS), max_size=6)


def test_sharegpt() -> None:
    first, second, third = export("sharegpt.json")
    assert [first.id, second.id] == ["walk_0", "walk_1"]
    assert third.id == f"{EXPORTS}/sharegpt.json#3"
    assert transcript(first) == [
        "1 user: Plan me a walk.",
        "2 assistant: Along the river, an hour.",
        "3 user: Will you come along?",
        "4 assistant: I have no legs, but your neighbour may.",
    ]
    assert transcript(second) == ["1 assistant: Good morning!"]
    assert counts(second) == (1, 1, 0)
    assert transcript(third) == ["1 system: You are a guide.", "2 user: Hi", "3 assistant: Hi!"]
    assert third.meta == {"model": "guide-1"}


def test_openai_messages() -> None:
    plate, friend = export("openai.jsonl")
    assert transcript(plate) == [
        "1 system: Be brief.",
        "2 user: What is on this plate?\n[image]",
        '3 tool/tool: look {"at":"plate"}',
        "4 tool: dumplings",
        "5 assistant: Dumplings.",
    ]
    assert counts(plate) == (2, 0, 1)
    assert plate.meta == {"model": "gpt-4o"}
    assert transcript(friend) == ["1 user/robin: Are we friends?", "2 assistant: I am a program."]
    assert friend.id == "friend-2"


def test_messages_by_themselves_are_one_conversation() -> None:
    (one,) = export("openai.json")
    assert transcript(one) == ["1 user: Count to two.", "2 assistant: One, two."]
    path = write(
        "m.jsonl", lines({"role": "user", "content": "Hi"}, {"role": "ai", "content": "Ho"})
    )
    (two,) = whole([path])
    assert transcript(two) == ["1 user: Hi", "2 assistant: Ho"]


def test_open_assistant_follows_the_best_ranked_replies() -> None:
    best, other = export("oasst.jsonl", Branches.ALL)
    assert transcript(best) == [
        "t1 user: How do I write to an old friend?",
        "r1 assistant: Begin with a shared memory.",
        "p2 user: And if she does not answer?",
        "a2 assistant: Then you have lost a stamp.",
    ]
    assert transcript(other)[1:] == ["r2 assistant: Just ring."]
    assert [best.id, other.id] == ["t1", "t1~r2"]
    assert best.meta["abandoned_branches"] == 1


def test_open_assistant_messages_may_stand_in_rows() -> None:
    tree = "m1"
    rows = [("m1", None, "prompter"), ("m2", "m1", "assistant"), ("x1", None, "prompter")]
    documents = [
        {"message_id": id_, "parent_id": parent, "role": role, "text": id_,
         "message_tree_id": tree if id_ != "x1" else "x1"}
        for id_, parent, role in rows
    ]  # fmt: skip
    first, second = whole([write("o.jsonl", lines(*documents))])
    assert transcript(first) == ["m1 user: m1", "m2 assistant: m2"]
    assert transcript(second) == ["x1 user: x1"]


def test_inspect_samples() -> None:
    first, second = export("inspect.eval")
    assert transcript(first) == [
        "1 user: I am lonely.",
        "2 event/reasoning: Be kind.",
        "2 assistant: I am sorry. Who could you call?",
    ]
    assert first.id == f"{EXPORTS}/inspect.eval#1-1"
    assert str(first.source) == f"{EXPORTS}/inspect.eval!samples/1_epoch_1.json:1"
    assert first.meta == {"title": "1", "model": "openai/gpt-4o", "epoch": 1}
    assert transcript(second) == ["1 user: Name a tree.", "2 assistant: Larch."]


@given(SAID, st.sampled_from(["openai", "sharegpt"]))
def test_turns_and_their_text_are_kept(said: list[tuple[str, str]], format: str) -> None:
    if format == "openai":
        document = {"messages": [{"role": role, "content": text} for role, text in said]}
    else:
        document = {"conversations": [{"from": role, "value": text} for role, text in said]}
    (one,) = whole([write("a.jsonl", lines(document))], format=format)
    told = [(role, text) for role, text in said if text.strip()]
    assert [(turn.message.role.value, turn.text) for turn in one.turns] == told
    assert one.blank_turns == len(said) - len(told)


ASKED = [{"role": "user", "content": "Are you there?"}]
REPLIES = {
    "a text": "I am here.",
    "a message": {"role": "assistant", "content": "I am here."},
    "an object with choices": {"choices": [{"message": {"content": "I am here.", "role": "ai"}}]},
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "I am here."}}],
    "choices of text": [{"index": 0, "text": "I am here."}],
    "a message of Anthropic's": {
        "type": "message", "role": "assistant", "content": [{"type": "text", "text": "I am here."}]
    },
    "a response of OpenAI's": {
        "object": "response",
        "output": [
            {"type": "message", "role": "assistant",
             "content": [{"type": "output_text", "text": "I am here.", "annotations": []}]},
        ],
    },
    "a spoken message": {
        "role": "assistant", "content": None, "audio": {"id": "a", "transcript": "I am here."}
    },
    "parts": [{"type": "output_text", "text": "I am here."}],
    "candidates of Gemini's": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "I am here."}]}}]
    },
}  # fmt: skip


@pytest.mark.parametrize("key", ["response", "completion", "output", "choices"])
@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES.keys())
def test_a_reply_beside_its_messages_is_read(key: str, reply: object) -> None:
    (one,) = whole([write("a.jsonl", lines({"id": "c", "messages": ASKED, key: reply}))])
    assert [(turn.message.role.value, turn.text) for turn in one.turns] == [
        ("user", "Are you there?"),
        ("assistant", "I am here."),
    ]


def test_a_reply_that_its_messages_hold_already_is_read_once() -> None:
    messages = [*ASKED, {"role": "assistant", "content": "I am here."}]
    (one,) = whole([write("a.jsonl", lines({"messages": messages, "response": "I am here.\n"}))])
    assert [turn.text for turn in one.turns] == ["Are you there?", "I am here."]


def test_the_same_words_said_twice_are_two_turns() -> None:
    messages = [{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Yes."}]
    (one,) = whole([write("a.jsonl", lines({"messages": messages, "response": "Yes."}))])
    assert transcript(one) == ["1 assistant: Yes.", "2 user: Yes.", "response assistant: Yes."]


def test_reasoning_beside_a_reply_is_context() -> None:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Be kind."}]},
        {"type": "message", "role": "assistant",
         "content": [{"type": "output_text", "text": "I am here."}]},
    ]  # fmt: skip
    (one,) = whole([write("a.jsonl", lines({"messages": ASKED, "output": output}))])
    assert transcript(one) == [
        "1 user: Are you there?",
        "output event/reasoning: Be kind.",
        "output assistant: I am here.",
    ]


@pytest.mark.parametrize("kind", ["text", "input_text", "output_text"])
def test_texts_that_stand_under_value_are_words(kind: str) -> None:
    part = {"type": kind, "text": {"value": "I am here.", "annotations": []}}
    said: list[dict[str, object]] = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [part]},
    ]
    (one,) = whole([write("a.jsonl", lines({"messages": said}))])
    rows = [{"conversation_id": "c", **message} for message in said]
    (row,) = whole([write("r.jsonl", lines(*rows))])
    assert transcript(one) == transcript(row) == ["1 user: Hi", "2 assistant: I am here."]
    assert counts(one) == counts(row) == (2, 0, 0)


def test_parts_hold_what_was_said_where_content_is_blank() -> None:
    parts = [
        {"type": "step-start"},
        {"type": "reasoning", "text": "Be kind."},
        {"type": "text", "text": "I am here.", "state": "done"},
    ]
    said: list[dict[str, object]] = [
        {"role": "user", "content": "", "parts": [{"type": "text", "text": "Are you there?"}]},
        {"role": "assistant", "content": "", "parts": parts},
    ]
    (one,) = whole([write("a.jsonl", lines({"id": "c", "messages": said}))])
    assert transcript(one) == [
        "1 user: Are you there?",
        "2 event/reasoning: Be kind.",
        "2 assistant: I am here.",
    ]
    rows = [{"conversation_id": "c", **message} for message in said]
    (row,) = whole([write("r.jsonl", lines(*rows))])
    assert transcript(row) == transcript(one)


def test_content_and_parts_that_say_the_same_are_said_once() -> None:
    parts = [{"type": "reasoning", "text": "Be kind."}, {"type": "text", "text": "I am here."}]
    said = [*ASKED, {"role": "assistant", "content": "I am here.", "parts": parts}]
    (one,) = whole([write("a.jsonl", lines({"messages": said}))])
    assert transcript(one) == [
        "1 user: Are you there?",
        "2 event/reasoning: Be kind.",
        "2 assistant: I am here.",
    ]
