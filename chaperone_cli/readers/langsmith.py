"""LangSmith runs: rows of an export, or the batches that its clients send.

In a batch a run's input stands in `post` and its output in the `patch` of the same id.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.readers.any_messages import answered, asked
from chaperone_cli.readers.draft import Place
from chaperone_cli.readers.exchanges import Call
from chaperone_cli.readers.traces import TraceFormat
from chaperone_cli.readers.values import as_dict, as_text, dicts, first_text

_THREADS = ("thread_id", "session_id", "conversation_id")
_STREAMED = ("post", "patch")


@dataclass(frozen=True)
class LangSmith(TraceFormat):
    """Runs with `run_type`, `inputs` and `outputs`; a thread in their metadata joins traces."""

    needs = "runs with `run_type`, `inputs` and `outputs`, or batches with `post` and `patch`"
    telltale = frozenset({"post", "patch", "run_type", "inputs", "outputs", "dotted_order"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        if any(isinstance(document.get(key), list) for key in _STREAMED):
            return True
        return "inputs" in document and ("run_type" in document or "trace_id" in document)

    def calls(self, document: dict[str, Any], place: Place) -> Iterator[Call]:  # noqa: D102
        batched = [run for key in _STREAMED for run in dicts(document.get(key))]
        for run in batched or [document]:
            if id_ := first_text(run, "id", "run_id"):
                yield _call(run, id_, place)


def _call(run: dict[str, Any], id_: str, place: Place) -> Call:
    metadata = as_dict(as_dict(run.get("extra")).get("metadata"))
    outputs = as_dict(run.get("outputs"))
    model = first_text(outputs, "model") or first_text(metadata, "ls_model_name")
    facts = {
        "created_at": run.get("start_time"),
        "model": model,
        "account": first_text(metadata, "user_id", "user"),
    }
    return Call(
        id_,
        as_text(run.get("trace_id")),
        first_text(metadata, *_THREADS),
        place.line,
        place.item,
        as_text(run.get("start_time")),
        asked(run.get("inputs")),
        answered(outputs),
        {key: value for key, value in facts.items() if value},
        weight=1 if run.get("run_type") == "llm" else 0,
    )
