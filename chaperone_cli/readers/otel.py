"""OpenTelemetry GenAI: spans or events with `gen_ai.*` attributes, from any exporter."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.readers.any_messages import parsed_string
from chaperone_cli.readers.draft import Place
from chaperone_cli.readers.exchanges import Call, Messages
from chaperone_cli.readers.times import utc
from chaperone_cli.readers.traces import TraceFormat
from chaperone_cli.readers.values import as_dict, as_list, as_text, dicts, first_text

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_SYSTEM = "gen_ai.system_instructions"
_NEEDED = (_INPUT, _OUTPUT, _SYSTEM)
_GROUPS = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans", "resourceLogs",
           "scopeLogs", "logRecords", "events")  # fmt: skip
_TIMES = ("startTimeUnixNano", "start_time_unix_nano", "timeUnixNano", "start_time", "startTime")
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue", "string_value", "int_value")


@dataclass(frozen=True)
class OpenTelemetry(TraceFormat):
    """Spans with the messages of a call; `gen_ai.conversation.id` joins traces.

    Of several choices in an output the first is the one that was said.
    """

    needs = f"spans with {_INPUT} and {_OUTPUT} among their attributes"
    telltale = frozenset({*_NEEDED, "resourceSpans", "attributes", "traceId", "spanId"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        grouped = any(isinstance(document.get(group), list) for group in _GROUPS[:4])
        return grouped or any(set(_NEEDED) & _attributes(span).keys() for span in _spans(document))

    def calls(self, document: dict[str, Any], place: Place) -> Iterator[Call]:  # noqa: D102
        for number, span in enumerate(_spans(document), 1):
            attributes = _attributes(span)
            if set(_NEEDED) & attributes.keys():
                yield _call(span, attributes, f"{place.name}-{number}", place)


def _call(span: dict[str, Any], attributes: dict[str, Any], name: str, place: Place) -> Call:
    context = as_dict(span.get("context"))
    trace = first_text({**context, **span}, "traceId", "trace_id") or name
    at = next((utc(_number(span[key])) for key in _TIMES if span.get(key)), None)
    models = ("gen_ai.response.model", "gen_ai.request.model")
    facts = {
        "created_at": at,
        "model": first_text(attributes, *models),
        "account": first_text(attributes, "user.id", "enduser.id"),
    }
    return Call(
        first_text({**context, **span}, "spanId", "span_id") or name,
        trace,
        first_text(attributes, "gen_ai.conversation.id", "session.id"),
        place.line,
        place.item,
        at,
        [*_instructions(attributes), *_messages(attributes.get(_INPUT))],
        _messages(attributes.get(_OUTPUT))[:1],
        {key: value for key, value in facts.items() if value},
    )


def _messages(value: Any) -> Messages:
    return [_message(each) for each in dicts(parsed_string(value))]


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Gives a message with the text of its parts where other chat formats have it."""
    parts = [_part(part) for part in as_list(message.get("parts"))]
    return {"role": message.get("role"), "content": parts, "name": message.get("name")}


def _part(part: Any) -> Any:
    if as_dict(part).get("type") == "text":
        return {"type": "text", "text": part.get("content") or part.get("text") or ""}
    return part


def _instructions(attributes: dict[str, Any]) -> Messages:
    value = parsed_string(attributes.get(_SYSTEM))
    parts = [value] if isinstance(value, str) else [_part(part) for part in as_list(value)]
    return [{"role": "system", "content": parts}] if parts else []


def _spans(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Gives the spans in `document`, which lie under resources and scopes, or `document` itself."""
    waiting = [document]
    while waiting:
        node = waiting.pop(0)
        inner = [each for group in _GROUPS for each in dicts(node.get(group))]
        waiting[:0] = inner
        if not inner or set(_NEEDED) & _attributes(node).keys():
            yield node


def _attributes(span: dict[str, Any]) -> dict[str, Any]:
    """Gives a span's attributes by name, in any of the forms that exporters write them."""
    listed = span.get("attributes")
    if isinstance(listed, list):
        return {
            key: _value(each.get("value"))
            for each in dicts(listed)
            if (key := as_text(each.get("key")))
        }
    return as_dict(listed) or {key: span[key] for key in span if key.startswith("gen_ai.")}


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
