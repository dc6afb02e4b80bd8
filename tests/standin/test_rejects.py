"""The stand-in rejects what the real API rejects, and describes its models."""

from typing import Any

import anthropic
import pytest

from tests.standin.client import FORMAT, block
from tests.standin.conftest import Start


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"extra_body": {"temperature": 1.0}}, "temperature: Extra inputs are not permitted"),
        ({"extra_body": {"top_k": 4}}, "top_k: Extra inputs are not permitted"),
        ({"messages": [user(block("a")), {"role": "assistant", "content": "{"}]}, "prefill"),
        ({"max_tokens": 0, "output_config": {"format": FORMAT}}, "max_tokens 0"),
        ({"max_tokens": 128_001, "timeout": 9}, "128001 > 128000"),
        ({"messages": [user(block("a", "5m"), block("b", "5m"), block("c", "5m"),
                            block("d", "5m"))]}, "Found 5"),
        ({"messages": [user(block(""))]}, "messages.0.content.0: text content blocks must be non"),
        ({"messages": [user(block(" \n"))]}, "must contain non-whitespace text"),
        ({"messages": []}, "at least one message"),
        ({"messages": [user(block("a", "1h"))]}, "must not come after"),
        ({"thinking": {"type": "between_tools"}}, "'between_tools' is not supported"),
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, "'enabled' is not supported"),
        ({"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
         "additionalProperties"),
        ({"output_config": {"effort": "max"}}, "effort 'max'"),
        ({"system": 1_000_001}, "prompt is too long"),
    ],
)  # fmt: skip
def test_bad_requests(start: Start, change: dict[str, Any], message: str) -> None:
    client = start()
    with pytest.raises(anthropic.BadRequestError) as caught:
        client.ask("x", **change)
    assert caught.value.type == "invalid_request_error"
    assert message in (caught.value.api_message or "")
    assert [(c.status, c.fault) for c in client.standin.ledger.calls] == [(400, "rejected")]


def test_older_versions_take_a_temperature(start: Start) -> None:
    older = {"anthropic-version": "2023-06-01"}
    assert start().ask("x", extra_body={"temperature": 1}, extra_headers=older).id


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("model", ["claude-haiku-9", "claude-opus-4-1-20250805"])
def test_models_that_do_not_answer(start: Start, model: str) -> None:
    with pytest.raises(anthropic.NotFoundError, match=f"model: {model}"):
        start().ask("x", model=model)


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-fable-5-2", "claude-sonnet-5-5"])
def test_some_models_always_think(start: Start, model: str) -> None:
    with pytest.raises(anthropic.BadRequestError, match="'disabled' is not supported"):
        start().ask("x", model=model)


def test_what_the_models_endpoint_says(start: Start) -> None:
    sdk = start().sdk
    haiku = sdk.models.retrieve("claude-haiku-5-5")
    assert (haiku.lifecycle, haiku.max_input_tokens) == ("active", 1_000_000)
    assert haiku.capabilities is not None
    assert haiku.capabilities.structured_outputs.supported
    assert haiku.capabilities.thinking.types.disabled.supported
    assert not haiku.capabilities.thinking.types.between_tools.supported
    assert sdk.models.retrieve("claude-opus-4-1-20250805").lifecycle == "retired"
    with pytest.raises(anthropic.NotFoundError, match="model: claude-opus-6"):
        sdk.models.retrieve("claude-opus-6")
    assert "claude-haiku-5-5" in [model.id for model in sdk.models.list()]


def test_a_request_needs_a_key(start: Start) -> None:
    client = start()
    with pytest.raises(anthropic.AuthenticationError):
        client.ask("x", extra_headers={"Authorization": anthropic.Omit()})
