"""The stand-in fails as the real API and what stands before it fail."""

import json
import time

import anthropic
import pytest

from tests.standin.client import HAIKU, params
from tests.standin.conftest import Start
from tests.support.standin import Limits
from tests.support.standin.faults import ANSWERS, ERRORS, KINDS, LOST, REPLIES
from tests.support.standin.faults import STOPS as ODD_STOPS

RAISED: dict[str, type[Exception]] = {
    "rate_limit": anthropic.RateLimitError,
    "overloaded": anthropic.InternalServerError,
    "internal": anthropic.InternalServerError,
    "authentication": anthropic.AuthenticationError,
    "permission": anthropic.PermissionDeniedError,
    "billing": anthropic.APIStatusError,
    "spend_limit": anthropic.RateLimitError,
    "own_limit": anthropic.BadRequestError,
    "bad_request": anthropic.BadRequestError,
    "unavailable": anthropic.InternalServerError,
    "conflict": anthropic.ConflictError,
    "unprocessable": anthropic.UnprocessableEntityError,
    "not_found": anthropic.NotFoundError,
    "firewall": anthropic.PermissionDeniedError,
    "too_large": anthropic.APIStatusError,
    "reset": anthropic.APIConnectionError,
    "gateway": anthropic.InternalServerError,
    "truncated": json.JSONDecodeError,
    "empty": json.JSONDecodeError,
    "slow": anthropic.APITimeoutError,
}
STOPS = {
    "refusal": "refusal",
    "max_tokens": "max_tokens",
    "no_text": "end_turn",
    "gibberish": "end_turn",
    "context_window": "model_context_window_exceeded",
    "cut_off": "max_tokens",
    "unknown_stop": "novel_reason",
}


@pytest.mark.parametrize("kind", RAISED)
def test_the_sdk_raises(start: Start, kind: str) -> None:
    client = start(script=(kind, "ok"), slow_seconds=2)
    asking = client.sdk.with_options(timeout=0.3)
    with pytest.raises(RAISED[kind]):
        asking.messages.create(**params("x"))
    assert client.text("x") == "no"
    assert client.standin.ledger.calls[-1].passes == 1


def test_a_dropped_reply_is_billed(start: Start) -> None:
    client = start(script=("dropped", "ok"))
    with pytest.raises(anthropic.APIConnectionError):
        client.sdk.messages.create(**params("x"))
    assert client.text("x") == "no"
    first, second = client.standin.ledger.calls
    assert (first.fault, first.passes, second.passes) == ("dropped", 1, 2)
    assert first.dollars > 0


def test_refused_texts_long_prompts_and_replies_without_usage(start: Start) -> None:
    client = start(rejects="never", max_input=700, reports_usage=False)
    for text in ("never say", "long " * 1000):
        with pytest.raises(anthropic.BadRequestError):
            client.ask(text)
    assert client.ask("x").usage is None
    assert client.sdk.models.retrieve(HAIKU).max_input_tokens == 700


@pytest.mark.parametrize("kind", ["html", "array"])
def test_bodies_that_the_sdk_lets_through(start: Start, kind: str) -> None:
    reply = start(script=(kind,)).sdk.messages.create(**params("x"))
    assert not isinstance(reply, anthropic.types.Message)


@pytest.mark.parametrize("kind", STOPS)
def test_replies_without_an_answer(start: Start, kind: str) -> None:
    client = start(script=(kind, "ok"))
    assert client.ask("x").stop_reason == STOPS[kind]
    assert client.ask("x").stop_reason == "end_turn"
    expected = [1, 2] if kind in ODD_STOPS else [None, 1]
    assert [call.passes for call in client.standin.ledger.calls] == expected


def test_every_kind_is_tried_here() -> None:
    assert set(KINDS) == {*RAISED, *STOPS, "html", "array", "dropped"}
    assert set(KINDS) == {*ERRORS, *REPLIES, *ANSWERS, *ODD_STOPS, *LOST}


def test_the_spend_limit_is_told_from_other_limits(start: Start) -> None:
    with pytest.raises(anthropic.RateLimitError) as caught:
        start(script=("spend_limit",)).ask("x")
    assert caught.value.error_code == "enforced_spend_limit_reached"
    assert "retry-after" not in caught.value.response.headers


def test_shares_are_kept_and_the_same_for_the_same_seed(start: Start) -> None:
    def faults() -> list[str | None]:
        client = start(faults={"gibberish": 0.2, "refusal": 0.1}, seed=5)
        for _ in range(200):
            client.ask("x")
        return [call.fault for call in client.standin.ledger.calls]

    first = faults()
    assert first == faults()
    assert 20 < first.count("gibberish") < 60
    assert 8 < first.count("refusal") < 35


def test_limits_are_told_and_enforced(start: Start) -> None:
    client = start(limits=Limits(requests=2, input_tokens=100_000))
    raw = client.sdk.messages.with_raw_response.create(**params("x"))
    headers = raw.headers
    assert headers["anthropic-ratelimit-requests-limit"] == "2"
    assert headers["anthropic-ratelimit-requests-remaining"] == "1"
    assert 99_000 < int(headers["anthropic-ratelimit-input-tokens-remaining"]) < 100_000
    assert headers["anthropic-ratelimit-requests-reset"].endswith("Z")
    client.ask("x")
    with pytest.raises(anthropic.RateLimitError) as caught:
        client.ask("x")
    assert 25 < int(caught.value.response.headers["retry-after"]) <= 30
    client.standin.clock.advance(31)
    client.ask("x")


def test_what_is_read_from_the_cache_is_not_limited(start: Start) -> None:
    client = start(limits=Limits(input_tokens=620))
    for _ in range(5):
        client.ask("x")


def test_a_client_that_left_takes_no_pass(start: Start) -> None:
    client = start(latency=0.3)
    with pytest.raises(anthropic.APITimeoutError):
        client.sdk.with_options(timeout=0.1).messages.create(**params("x"))
    client.ask("x")
    for _ in range(100):
        if len(client.standin.ledger.calls) == 2:
            break
        time.sleep(0.01)
    found = [(call.status, call.fault, call.passes) for call in client.standin.ledger.calls]
    assert found == [(0, "gone", None), (200, None, 1)]


def test_keys(start: Start) -> None:
    client = start(key="right")
    with pytest.raises(anthropic.AuthenticationError, match="invalid bearer token"):
        client.ask("x")
    assert client.sdk.with_options(api_key="right").messages.create(**params("x")).id


def test_a_local_server_knows_less(start: Start) -> None:
    client = start(local=True, rule="yes")
    reply = client.ask("x", model="llama", extra_body={"temperature": 0.7})
    assert reply.usage.cache_read_input_tokens is None
    assert [part.text for part in reply.content if part.type == "text"] == ["Yes"]
    for missing in (lambda: client.sdk.models.retrieve("llama"), client.sdk.messages.batches.list):
        with pytest.raises(anthropic.NotFoundError):
            missing()


def test_tokens_are_counted(start: Start) -> None:
    client = start()
    asked = params("x" * 30, "y" * 41)
    counted = client.sdk.messages.count_tokens(model=HAIKU, messages=asked["messages"])
    assert counted.input_tokens == 10 + 13 + 2
