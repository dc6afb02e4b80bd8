"""Langfuse: traces with their observations, or observations in rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.readers.any_messages import answered, asked
from chaperone_cli.readers.draft import Place
from chaperone_cli.readers.exchanges import Call
from chaperone_cli.readers.traces import TraceFormat
from chaperone_cli.readers.values import as_dict, as_text, dicts, first_text

_GENERATION = "GENERATION"


@dataclass(frozen=True)
class Langfuse(TraceFormat):
    """The last generation of each trace tells it; `sessionId` joins traces."""

    needs = "traces with `observations`, or observations with `traceId`, `input` and `output`"
    telltale = frozenset({"observations", "traceId", "sessionId", "htmlPath", "startTime"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        if isinstance(document.get("observations"), list):
            return True
        is_trace = "sessionId" in document and ("input" in document or "htmlPath" in document)
        return is_trace or ("traceId" in document and "input" in document)

    def calls(self, document: dict[str, Any], place: Place) -> Iterator[Call]:  # noqa: D102
        observations = dicts(document.get("observations"))
        # An export of one trace has what the trace says of itself beside its observations.
        told = as_dict(document.get("trace")) or document
        trace = first_text(told, "traceId", "trace_id") or as_text(told.get("id")) or place.name
        session = first_text(told, "sessionId", "session_id")
        for number, each in enumerate([told, *observations]):
            id_ = as_text(each.get("id")) or f"{trace}-{number}"
            yield _call(each, f"{trace}/{id_}", trace, session, place)


def _call(each: dict[str, Any], id_: str, trace: str, session: str | None, place: Place) -> Call:
    at = first_text(each, "startTime", "timestamp", "createdAt", "start_time")
    facts = {
        "title": as_text(each.get("name")) if "observations" in each else None,
        "created_at": at,
        "model": as_text(each.get("model")),
        "account": first_text(each, "userId", "user_id"),
    }
    return Call(
        id_,
        trace,
        session,
        place.line,
        place.item,
        at,
        asked(each.get("input")),
        answered(each.get("output")),
        {key: value for key, value in facts.items() if value},
        weight=1 if each.get("type") == _GENERATION else 0,
    )
