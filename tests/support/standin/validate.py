"""Rejects the requests that the real API rejects, with its words."""

from typing import Any

from tests.support.standin.errors import invalid, not_found
from tests.support.standin.models import EFFORTS, MODELS, Model

KNOWN = frozenset(
    (
        *("model", "max_tokens", "messages", "system", "output_config", "thinking", "stream"),
        *("cache_control", "container", "diagnostics", "inference_geo", "metadata", "speed"),
        *("service_tier", "stop_sequences", "tool_choice", "tools", "user_profile_id"),
    )
)
NOT_IN_BATCHES = ("stream", "speed", "fallbacks")
STRICT_SINCE = "2026-10-21"
"""The API version that refuses `temperature`, `top_p` and `top_k`."""
SAMPLING = ("temperature", "top_p", "top_k")
MOST_BREAKPOINTS = 4


def model_of(body: dict[str, Any]) -> Model:
    """Gives the model that `body` names; raises Rejected where it is unknown or retired."""
    name = body.get("model")
    model = MODELS.get(name) if isinstance(name, str) else None
    if model is None or model.lifecycle == "retired":
        raise not_found(f"model: {name}")
    return model


def check(body: Any, version: str, *, batch: bool = False) -> Model:
    """Checks the parameters of one message; raises Rejected."""
    if not isinstance(body, dict):
        raise invalid("Input should be an object")
    for name in ("model", "messages") if batch else ("model", "max_tokens", "messages"):
        if name not in body:
            raise invalid(f"{name}: Field required")
    sampling = () if version >= STRICT_SINCE else SAMPLING
    for name in body:
        if name not in KNOWN and name not in sampling:
            raise invalid(f"{name}: Extra inputs are not permitted")
        if batch and name in NOT_IN_BATCHES:
            raise invalid(f"{name}: not supported in batches")
    model = model_of(body)
    _check_output(body, model, batch=batch)
    _check_thinking(body, model)
    _check_messages(body["messages"])
    _check_blocks(body)
    return model


def _check_output(body: dict[str, Any], model: Model, *, batch: bool) -> None:
    most = body.get("max_tokens")
    if type(most) is not int or most < (1 if batch else 0):
        raise invalid("max_tokens: Input should be greater than or equal to 1")
    if most > model.max_output:
        raise invalid(f"max_tokens: {most} > {model.max_output}, which is the maximum allowed")
    config = body.get("output_config") or {}
    if set(config) - {"format", "effort"}:
        raise invalid("output_config: Extra inputs are not permitted")
    effort = config.get("effort")
    if effort is not None and (effort not in EFFORTS or not model.thinking):
        raise invalid(f"output_config.effort: {effort!r} is not supported by this model")
    if (form := config.get("format")) is None:
        return
    if not model.structured_outputs:
        raise invalid("output_config.format: not supported by this model")
    if most == 0:
        raise invalid("output_config.format: not supported with max_tokens 0")
    if form.get("type") != "json_schema" or "schema" not in form:
        raise invalid("output_config.format: Input should be a json_schema")
    _check_schema(form["schema"])


def _check_schema(schema: dict[str, Any]) -> None:
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise invalid(
                "output_config.format.schema: For 'object' type, 'additionalProperties' must be "
                "explicitly set to false"
            )
        for part in schema.get("properties", {}).values():
            _check_schema(part)
    for unsupported in ("minimum", "maximum", "minLength", "maxLength"):
        if unsupported in schema:
            raise invalid(f"output_config.format.schema: property '{unsupported}' is not supported")


def _check_thinking(body: dict[str, Any], model: Model) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    form = thinking.get("type")
    if form not in model.thinking:
        raise invalid(f"thinking: '{form}' is not supported by {model.id}")
    effort = (body.get("output_config") or {}).get("effort")
    if form in ("disabled", "between_tools") and effort in ("xhigh", "max"):
        raise invalid(f"thinking: '{form}' is not supported with effort '{effort}'")
    budget = thinking.get("budget_tokens", 1024)
    if form == "enabled" and not 1024 <= budget < body["max_tokens"]:
        raise invalid("max_tokens must be greater than thinking.budget_tokens")


def _check_messages(messages: Any) -> None:
    if not isinstance(messages, list) or not messages:
        raise invalid("messages: at least one message is required")
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            raise invalid(f"messages.{number}.role: Input should be 'user' or 'assistant'")
        if not message.get("content"):
            raise invalid(f"messages.{number}: user messages must have non-empty content")
    if messages[-1]["role"] == "assistant":
        raise invalid(
            "This model does not support assistant message prefill. The conversation must end "
            "with a user message."
        )


def _check_blocks(body: dict[str, Any]) -> None:
    places: list[tuple[str, Any]] = [("system", body.get("system") or [])]
    places += [
        (f"messages.{number}.content", message["content"])
        for number, message in enumerate(body["messages"])
    ]
    marks: list[tuple[str, dict[str, Any]]] = []
    for place, content in places:
        if not isinstance(content, str):
            for number, block in enumerate(content):
                _check_block(f"{place}.{number}", block)
                if block.get("cache_control"):
                    marks.append((f"{place}.{number}", block["cache_control"]))
    if body.get("cache_control"):
        marks.append(("cache_control", body["cache_control"]))
    _check_breakpoints(marks)


def _check_block(place: str, block: Any) -> None:
    if not isinstance(block, dict) or block.get("type") is None:
        raise invalid(f"{place}.type: Field required")
    if block["type"] != "text":
        return
    text = block.get("text")
    if not isinstance(text, str):
        raise invalid(f"{place}.text: Field required")
    if not text:
        raise invalid(f"{place}: text content blocks must be non-empty")
    if not text.strip():
        raise invalid(f"{place}: text content blocks must contain non-whitespace text")
    if block.get("citations"):
        raise invalid(f"{place}.citations: Extra inputs are not permitted")


def _check_breakpoints(marks: list[tuple[str, dict[str, Any]]]) -> None:
    if len(marks) > MOST_BREAKPOINTS:
        raise invalid(
            f"A maximum of {MOST_BREAKPOINTS} blocks with cache_control may be provided. "
            f"Found {len(marks)}."
        )
    short = False
    for place, control in marks:
        ttl = control.get("ttl", "5m")
        if control.get("type") != "ephemeral" or ttl not in ("5m", "1h"):
            raise invalid(f"{place}.cache_control: Input should be ephemeral, for 5m or 1h")
        if ttl == "1h" and short:
            raise invalid(
                f"{place}.cache_control.ttl: a ttl='1h' block must not come after a '5m' one"
            )
        short = short or ttl == "5m"
