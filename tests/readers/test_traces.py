"""LangSmith, Langfuse and OpenTelemetry: many calls that repeat each other, one conversation."""

from typing import Any

import orjson
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


def generation(number: int, asked: Any, answer: Any, kind: str = "GENERATION") -> dict[str, Any]:
    """An observation of Langfuse; the number is when it was made."""
    at = f"2026-01-01T10:00:{number:02}Z"
    id_ = f"o{number}"
    return {"id": id_, "type": kind, "startTime": at, "input": asked, "output": answer}


def traced(asked: Any, answer: Any, *observations: dict[str, Any]) -> list[str]:
    """The transcript of a trace as Langfuse shows it: the trace beside its observations."""
    at = "2026-01-01T10:00:00Z"
    trace = {"id": "t", "sessionId": "s", "timestamp": at, "input": asked, "output": answer}
    document = {"trace": trace, "observations": list(observations)}
    (one,) = whole([write("l.json", lines(document))])
    assert one.id == "s"
    return transcript(one)


def quoted(value: Any) -> str:
    """JSON in a string in a string, as Langfuse keeps what a trace was asked."""
    return orjson.dumps(orjson.dumps(value).decode()).decode()


GREETING = {"parts": [{"text": "Hello again."}], "role": "model"}


def test_a_trace_of_google_adk() -> None:
    asked = {"user_id": "u", "new_message": {"parts": [{"text": "Remember me?"}], "role": "user"}}
    request = {
        "model": "gemini-2.0-flash",
        "config": {"system_instruction": "Greet with the tool.", "tools": []},
        "contents": [
            {"parts": [{"text": "Remember me?"}], "role": "user"},
            {"parts": [{"function_call": {"args": {"who": "Ada"}, "name": "greet"}}],
             "role": "model"},
            {"parts": [{"function_response": {"name": "greet", "response": {"said": "Hello."}}}],
             "role": "user"},
        ],
    }  # fmt: skip
    answer = {"content": GREETING, "finish_reason": "STOP"}
    said = traced(quoted(asked), quoted(answer), generation(1, request, answer))
    assert said == [
        "1 system: Greet with the tool.",
        "2 user: Remember me?",
        '3 tool/greet: greet {"who":"Ada"}',
        '4 tool/greet: greet {"said":"Hello."}',
        "5 assistant: Hello again.",
    ]


def test_a_trace_of_google_gemini() -> None:
    asked = {"model": "gemini-2.5-flash", "contents": "Remember me?"}
    answer = {"candidates": [{"content": GREETING, "finish_reason": "STOP", "index": 0}]}
    said = traced(quoted(asked), quoted(answer), generation(1, asked, answer))
    assert said == ["1 user: Remember me?", "2 assistant: Hello again."]


def test_a_trace_of_llamaindex() -> None:
    asked = {"args": ["Do you remember me?"], "kwargs": {}}
    said = traced('"Do you remember me?"', '"Hello again."', generation(1, asked, "Hello again."))
    assert said == ["1 user: Do you remember me?", "2 assistant: Hello again."]


def test_a_trace_of_microsoft_agent_whose_last_call_repeats_no_prompt() -> None:
    def part(role: str, **part: Any) -> dict[str, Any]:
        return {"role": role, "parts": [part]}

    prompt = part("user", type="text", content="How is the weather there?")
    call = part("assistant", type="tool_call", id=["r", "c"], name="look", arguments={"at": "sea"})
    result = part("tool", type="tool_call_response", id=["r", "c"], response="Stormy, I fear.")
    answer = part("assistant", type="text", content="It is stormy.")
    said = traced(
        quoted([prompt]),
        quoted([call, result, answer]),
        generation(0, [prompt], [call, result, answer], "AGENT"),
        generation(3, [call, result], [answer]),
        generation(2, [prompt], [call]),
    )
    assert said == [
        "1 user: How is the weather there?",
        '2 tool/look: look {"at":"sea"}',
        "3 tool: Stormy, I fear.",
        "4 assistant: It is stormy.",
    ]


def test_a_trace_of_autogen_whose_messages_are_one_text() -> None:
    asked = (
        "system: Be brief.\nReply at once.\nuser: Say hello!\nassistant: Hello!\nuser: Again:\nnow"
    )
    said = traced('"Say hello!"', '"Hello again."', generation(1, asked, "Hello again."))
    assert said == [
        "1 system: Be brief.\nReply at once.",
        "2 user: Say hello!",
        "3 assistant: Hello!",
        "4 user: Again:\nnow",
        "5 assistant: Hello again.",
    ]


def test_a_trace_of_agno_whose_messages_are_printed() -> None:
    asked = {
        "messages": [
            "role='system' content='Use *markdown*.\\nAlways.' name=None tool_calls=None",
            "role='user' content=\"What's new?\" name=None tool_calls=None created_at=1",
            "role='assistant' content=None name=None tool_calls=[{'id': 'c'}] created_at=2",
        ],
        "tools": [],
    }
    again = "developer: Use *markdown*.\nAlways.\nuser: What's new?\nassistant: None"
    answer = {"choices": [{"message": {"role": "assistant", "content": "Nothing much."}}]}
    said = traced(
        quoted({"message": "What's new?"}),
        quoted({"content": "Nothing much."}),
        generation(1, asked, answer),
        generation(2, again, answer),
    )
    assert [line for line in said if " tool" not in line] == [
        "1 system: Use *markdown*.\nAlways.",
        "2 user: What's new?",
        "4 assistant: Nothing much.",
    ]


def test_calls_of_one_trace_that_do_not_repeat_each_other_follow_one_another() -> None:
    said = traced(
        None,
        None,
        generation(1, [{"role": "user", "content": "Morning!"}], "Good morning."),
        generation(2, [{"role": "user", "content": "And now?"}], "Now we part."),
    )
    assert said == [
        "1 user: Morning!",
        "2 assistant: Good morning.",
        "3 user: And now?",
        "4 assistant: Now we part.",
    ]


def spans(*attributes: dict[str, Any]) -> bytes:
    """An OTLP export of spans with `attributes`, one after the other, of one trace."""
    listed = [
        {
            "traceId": "t",
            "spanId": f"s{number}",
            "startTimeUnixNano": str(1_767_261_600_000_000_000 + number),
            "attributes": [
                {"key": key, "value": {"stringValue": value}} for key, value in each.items()
            ],
        }
        for number, each in enumerate(attributes)
    ]
    return lines({"resourceSpans": [{"scopeSpans": [{"spans": listed}]}]})


def test_attributes_of_openllmetry() -> None:
    parts = orjson.dumps([{"type": "text", "text": "Are you there?"}]).decode()
    attributes = {
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "Be kind.",
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": parts,
        **{f"gen_ai.prompt.{n}.role": "assistant" if n % 2 == 0 else "user" for n in range(2, 12)},
        **{f"gen_ai.prompt.{n}.content": f"Message {n}." for n in range(2, 12)},
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "I am here.",
        "gen_ai.completion.0.finish_reason": "stop",
        "traceloop.association.properties.session_id": "s",
    }
    (one,) = whole([write("o.json", spans(attributes))])
    assert transcript(one) == [
        "1 system: Be kind.",
        "2 user: Are you there?",
        *(f"{n + 1} {'user' if n % 2 else 'assistant'}: Message {n}." for n in range(2, 12)),
        "13 assistant: I am here.",
    ]
    assert (one.id, one.meta["model"]) == ("s", "gpt-4o")


def test_a_tool_called_in_openllmetry() -> None:
    attributes = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "What is the time?",
        "gen_ai.completion.0.tool_calls.0.name": "clock",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"zone":"UTC"}',
    }
    (one,) = whole([write("o.json", spans(attributes))])
    assert transcript(one) == ["1 user: What is the time?", '2 tool/tool: clock {"zone":"UTC"}']


def test_attributes_of_openinference() -> None:
    attributes = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "Are you there?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "I am here.",
        "openinference.span.kind": "LLM",
        "session.id": "s",
    }
    (one,) = whole([write("o.json", spans(attributes))])
    assert transcript(one) == ["1 user: Are you there?", "2 assistant: I am here."]


def test_attributes_that_hold_all_in_one_text() -> None:
    attributes = {
        "ai.prompt.messages": '[{"role":"user","content":[{"text":"Are you there?"}]}]',
        "ai.response.text": "I am here.",
    }
    older = {"gen_ai.prompt": "Are you there?", "gen_ai.completion": "I am here."}
    wrapped = {"input.value": '{"messages":[{"role":"user","content":"Are you there?"}]}',
               "output.value": "I am here."}  # fmt: skip
    for each in (attributes, older, wrapped):
        (one,) = whole([write("o.json", spans(each))])
        assert transcript(one) == ["1 user: Are you there?", "2 assistant: I am here."]


def test_messages_that_stand_in_the_events_of_a_span() -> None:
    events = [
        {"name": "gen_ai.system.message", "attributes": {"content": "Be kind."}},
        {"name": "gen_ai.user.message", "attributes": {"content": "Are you there?"}},
        {"name": "gen_ai.choice",
         "attributes": {"index": 0, "message": '{"role":"assistant","content":"I am here."}'}},
    ]  # fmt: skip
    span = {"traceId": "t", "spanId": "s", "attributes": {"gen_ai.system": "openai"},
            "events": events}  # fmt: skip
    (one,) = whole([write("o.json", lines({"spans": [span]}))])
    assert transcript(one) == [
        "1 system: Be kind.",
        "2 user: Are you there?",
        "3 assistant: I am here.",
    ]


def test_spans_of_an_unknown_convention_are_a_problem_and_no_empty_file() -> None:
    attributes = {"chat.message.0.words": "Are you there?", "chat.message.1.words": "I am here."}
    write("o.json", spans(attributes, {"http.route": "/chat"}))
    assert read("o.json") == [
        "error: o.json:1: 24 characters of text under `...` became neither turn nor context, "
        "here first"
    ]


def test_spans_around_the_calls_of_a_model_are_worth_a_warning_at_most() -> None:
    call = {"gen_ai.prompt": "Are you there?", "gen_ai.completion": "I am here."}
    write("o.json", spans({"db.statement": "SELECT a FROM b", "server.address": "::1"}, call))
    assert read("o.json") == [
        "t @ o.json:1",
        "warning: o.json:1: 15 characters of text under `db.statement` became neither turn nor "
        "context, here first",
    ]
