"""LangSmith, Langfuse and OpenTelemetry: many calls that repeat each other, one conversation."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.readers.exchanges import joined
from tests.readers.reading import lines, read, write
from tests.readers.transcripts import export, transcript, whole


def test_langsmith() -> None:
    (one,) = export("langsmith.jsonl")
    assert transcript(one) == [
        "1 user: Remember me?",
        "2 assistant: From this chat only.",
        "3 user: Pity.",
        "4 assistant: You could tell a friend the story.",
    ]
    assert one.id == "thread-1"
    assert one.meta == {
        "created_at": "2026-04-01T10:00:00Z",
        "updated_at": "2026-04-01T10:01:00Z",
        "model": "gpt-4o-mini",
        "original": {
            "created_at": "2026-04-01T10:00:00+00:00",
            "updated_at": "2026-04-01T10:01:00+00:00",
        },
    }


def test_traces_follow_one_another_by_time_wherever_their_parts_stand() -> None:
    def run(id_: str, minute: int, asked: str) -> dict[str, Any]:
        inputs = {"messages": [{"role": "user", "content": asked}]}
        meta = {"metadata": {"session_id": "s"}}
        at = f"2026-01-01T10:{minute:02}:00Z"
        return {"id": id_, "run_type": "llm", "start_time": at, "inputs": inputs, "extra": meta}

    def patch(id_: str, answer: str) -> dict[str, Any]:
        return {"id": id_, "outputs": {"output": answer}}

    batches = [
        {"post": [run("a", 2, "Second?")]},
        {"patch": [patch("b", "One.")]},
        {"post": [run("b", 1, "First?")], "patch": [patch("a", "Two.")]},
    ]
    (one,) = whole([write("l.jsonl", lines(*batches))])
    assert transcript(one) == [
        "1 user: First?",
        "2 assistant: One.",
        "3 user: Second?",
        "4 assistant: Two.",
    ]


def test_langsmith_messages_of_langchain() -> None:
    said = [
        {"lc": 1, "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": "Hi"}},
        {"type": "ai", "content": "Ho"},
    ]
    run = {"id": "r", "run_type": "llm", "inputs": {"messages": [said]}}
    answer = {"generations": [[{"message": {"type": "ai", "content": "Hum"}}]]}
    (one,) = whole([write("l.jsonl", lines({**run, "outputs": answer}))])
    assert transcript(one) == ["1 user: Hi", "2 assistant: Ho", "3 assistant: Hum"]


def test_langfuse() -> None:
    (one,) = export("langfuse.json")
    assert transcript(one) == [
        "1 user: Morning!",
        "2 assistant: Good morning.",
        "3 user: I missed you.",
        "4 assistant: I have been a file on a disk.",
    ]
    assert (one.id, one.meta["account"], one.meta["model"]) == ("s-1", "u-9", "gpt-4o")


def test_opentelemetry() -> None:
    (one,) = export("otel.json")
    assert transcript(one) == [
        "1 system: You are a clerk.",
        "2 user: Is the office open?",
        "3 assistant: Until five.",
    ]
    assert (one.id, one.meta) == (
        "conv-3",
        {"created_at": "2026-01-01T10:00:00Z", "model": "gpt-4o"},
    )


def test_a_session_without_messages_is_worth_a_warning() -> None:
    write("l.jsonl", lines({"id": "r", "run_type": "tool", "inputs": {}, "outputs": {}}))
    expected = "its calls hold no messages; it is not audited"
    assert read("l.jsonl") == [f"warning: l.jsonl:1 conversation r: {expected}"]


MESSAGES = st.lists(
    st.builds(lambda role, text: {"role": role, "content": text},
              st.sampled_from(["user", "assistant"]), st.text(max_size=3)),
    max_size=8,
)  # fmt: skip


@given(MESSAGES, MESSAGES)
def test_joining_loses_no_message_that_is_not_retold(old: list[Any], new: list[Any]) -> None:
    both = joined(old, new)
    assert all(message in both for message in new)
    assert joined(old, old + new)[: len(old)] == old or not new
    assert joined(both, both) == both
    assert len(both) <= len(old) + len(new)
