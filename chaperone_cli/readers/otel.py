"""OpenTelemetry: spans or events of calls of a model, by whichever convention they were written."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.readers.any_messages import answered, asked
from chaperone_cli.readers.draft import Place
from chaperone_cli.readers.exchanges import Call, Messages
from chaperone_cli.readers.times import utc
from chaperone_cli.readers.traces import TraceFormat
from chaperone_cli.readers.values import (
    as_dict,
    as_list,
    as_text,
    dicts,
    first_text,
    parsed_string,
)

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_SYSTEM = "gen_ai.system_instructions"
_NUMBERED_INPUTS = ("gen_ai.prompt", "llm.input_messages")
_NUMBERED_OUTPUTS = ("gen_ai.completion", "llm.output_messages")
_INPUTS = ("ai.prompt.messages", "ai.prompt", "gen_ai.prompt", "llm.prompts", "input.value",
           "traceloop.entity.input")  # fmt: skip
_OUTPUTS = ("ai.response.text", "gen_ai.completion", "output.value", "traceloop.entity.output")
_TELLING = (_INPUT, _OUTPUT, _SYSTEM, *_NUMBERED_INPUTS, *_NUMBERED_OUTPUTS, *_INPUTS, *_OUTPUTS)
"""How the names of the attributes begin that hold what was said."""
_AROUND = ("input.value", "output.value", "traceloop.")
"""Those of spans that need not be calls of a model."""
_PREFIXES = ("gen_ai.", "llm.", "ai.", "input.value", "output.value", "session.id", "user.id")
"""How the names of attributes begin where they are the span's own keys."""
_SESSIONS = ("gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id")
_CHOICE = "gen_ai.choice"
_EVENTS = {
    **{f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")},
    _CHOICE: "assistant",
}
"""Who says the messages that are events, by the names of these."""
_GROUPS = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans", "resourceLogs",
           "scopeLogs", "logRecords")  # fmt: skip
_TIMES = ("startTimeUnixNano", "start_time_unix_nano", "timeUnixNano", "start_time", "startTime")
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue", "string_value", "int_value")


@dataclass(frozen=True)
class OpenTelemetry(TraceFormat):
    """Spans with the messages of a call; an attribute for the conversation or session joins traces.

    The conventions are those of OpenTelemetry itself, in attributes and in events, and those of
    OpenLLMetry, OpenInference and the AI SDK. Of several choices the first is the one that was
    said.
    """

    needs = f"spans with {_INPUT} and {_OUTPUT} among their attributes"
    telltale = frozenset(
        {_INPUT, _OUTPUT, _SYSTEM, "resourceSpans", "attributes", "traceId", "spanId"}
    )

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        grouped = any(isinstance(document.get(group), list) for group in _GROUPS[:4])
        return grouped or any(True for _ in _spans(document))

    def calls(self, document: dict[str, Any], place: Place) -> Iterator[Call]:  # noqa: D102
        for number, span in enumerate(_spans(document), 1):
            yield _call(*span, f"{place.name}-{number}", place)


def _call(
    span: dict[str, Any], attributes: dict[str, Any], events: Messages, name: str, place: Place
) -> Call:
    identity = {**as_dict(span.get("context")), **span}
    at = next((utc(_number(span[key])) for key in _TIMES if span.get(key)), None)
    models = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id")
    facts = {
        "created_at": at,
        "model": first_text(attributes, *models),
        "account": first_text(attributes, "user.id", "enduser.id"),
    }
    told = [key for key in attributes if key.startswith(_TELLING)]
    by_model = attributes.get("openinference.span.kind") == "LLM"
    return Call(
        # An event that stands alone is one message of its span.
        (None if _name(span) in _EVENTS else first_text(identity, "spanId", "span_id")) or name,
        first_text(identity, "traceId", "trace_id") or name,
        first_text(attributes, *_SESSIONS),
        place.line,
        place.item,
        at,
        [*_instructions(attributes), *(_asked(attributes) or events)],
        _answered(attributes),
        {key: value for key, value in facts.items() if value},
        weight=int(by_model or bool(events) or any(not key.startswith(_AROUND) for key in told)),
    )


def _asked(attributes: dict[str, Any]) -> Messages:
    return (
        _messages(attributes.get(_INPUT))
        or _numbered(attributes, _NUMBERED_INPUTS, "user")
        or next((read for key in _INPUTS if (read := asked(attributes.get(key)))), [])
    )


def _answered(attributes: dict[str, Any]) -> Messages:
    said = _messages(attributes.get(_OUTPUT)) or _numbered(
        attributes, _NUMBERED_OUTPUTS, "assistant"
    )
    if said:
        # An agent's output is all that came of its call; a model's is one choice or more.
        return said if any(each.get("role") == "tool" for each in said) else said[:1]
    return next((read for key in _OUTPUTS if (read := answered(attributes.get(key)))), [])


def _messages(value: Any) -> Messages:
    return [_message(each) for each in dicts(parsed_string(value))]


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Gives a message with the text of its parts where other chat formats have it."""
    if not isinstance(message.get("parts"), list):
        return message
    parts = [_part(part) for part in message["parts"]]
    return {"role": message.get("role"), "content": parts, "name": message.get("name")}


def _part(part: Any) -> Any:
    if as_dict(part).get("type") == "text":
        return {"type": "text", "text": part.get("content") or part.get("text") or ""}
    return part


def _instructions(attributes: dict[str, Any]) -> Messages:
    value = parsed_string(attributes.get(_SYSTEM))
    parts = [value] if isinstance(value, str) else [_part(part) for part in as_list(value)]
    return [{"role": "system", "content": parts}] if parts else []


def _numbered(attributes: dict[str, Any], prefixes: tuple[str, ...], role: str) -> Messages:
    """Gives messages whose every part is an attribute with a number in its name.

    Those that do not say who speaks are of `role`.
    """
    for prefix in prefixes:
        nested = _nested(attributes, prefix)
        if found := [
            {"role": role, **_joined(each)} for each in _in_order(nested) if isinstance(each, dict)
        ]:
            return found
    return []


def _joined(node: dict[str, Any]) -> dict[str, Any]:
    message = as_dict(node.get("message")) or node
    contents = [as_dict(each).get("message_content", each) for each in _held(message, "contents")]
    content = parsed_string(message.get("content"))
    calls = [as_dict(each).get("tool_call", each) for each in _held(message, "tool_calls")]
    return {
        **message,
        # What is no list of parts was said as it stands, even where it is JSON.
        "content": contents or (content if isinstance(content, list) else message.get("content")),
        "tool_calls": calls,
    }


def _held(message: dict[str, Any], key: str) -> list[Any]:
    return _in_order(as_dict(message.get(key)))


def _nested(attributes: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Gives the attributes below `prefix` as the objects that the dots in their names mean."""
    root: dict[str, Any] = {}
    below = {key: value for key, value in attributes.items() if _leads_to(key, prefix)}
    for name, value in _flat(below):
        if name.startswith(f"{prefix}."):
            *path, last = name[len(prefix) + 1 :].split(".")
            node: Any = root
            for step in path:
                node = node.setdefault(step, {}) if isinstance(node, dict) else {}
            if isinstance(node, dict):
                node[last] = value
    return root


def _leads_to(key: str, prefix: str) -> bool:
    return key.startswith(prefix) or prefix.startswith(f"{key}.")


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Gives every value in attributes, some of which exporters nest, by its whole name."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _in_order(numbered: dict[str, Any]) -> list[Any]:
    numbers = sorted((key for key in numbered if key.isdecimal()), key=int)
    return [numbered[key] for key in numbers]


def _name(event: dict[str, Any]) -> str | None:
    """Gives the name of an event, which says what message it is."""
    return first_text(event, "name", "eventName") or first_text(_attributes(event), "event.name")


def _event(event: dict[str, Any]) -> Messages:
    """Gives the message that an event is, if it is one."""
    name = _name(event)
    if name not in _EVENTS:
        return []
    body = {**_attributes(event), **as_dict(_value(event.get("body")))}
    if name == _CHOICE:
        return answered(body.get("message") or body.get("content"))
    return [{**body, "role": _EVENTS[name]}]


def _spans(
    document: dict[str, Any],
) -> Iterator[tuple[dict[str, Any], dict[str, Any], Messages]]:
    """Gives what tells of a call in `document`, with its attributes and the messages in its events.

    Spans lie under resources and scopes; `document` may be one, or an event, by itself.
    """
    waiting = [document]
    while waiting:
        node = waiting.pop(0)
        events = _event(node)
        # Events that are messages are read with their span.
        for event in dicts(node.get("events")):
            if message := _event(event):
                events += message
            else:
                waiting.insert(0, event)
        waiting[:0] = [each for group in _GROUPS for each in dicts(node.get(group))]
        attributes = _attributes(node)
        if events or any(key.startswith(_TELLING) for key in attributes):
            yield node, attributes, events


def _attributes(span: dict[str, Any]) -> dict[str, Any]:
    """Gives a span's attributes by name, in any of the forms that exporters write them."""
    listed = span.get("attributes")
    if isinstance(listed, list):
        return {
            key: _value(each.get("value"))
            for each in dicts(listed)
            if (key := as_text(each.get("key")))
        }
    return as_dict(listed) or {key: span[key] for key in span if key.startswith(_PREFIXES)}


def _value(value: Any) -> Any:
    """Gives the plain value of OTLP's typed one."""
    if not isinstance(value, dict):
        return value
    for key in _VALUES:
        if key in value:
            return value[key]
    if "arrayValue" in value:
        return [_value(each) for each in as_list(as_dict(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        pairs = dicts(as_dict(value["kvlistValue"]).get("values"))
        return {str(pair.get("key")): _value(pair.get("value")) for pair in pairs}
    return value


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdigit() and len(value) < 20 else value
