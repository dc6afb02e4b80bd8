"""Base URLs as people write them."""

import pytest

from chaperone_cli.errors import EvaluatorError, UsageError
from chaperone_cli.evaluators.claude.endpoint import Endpoint, connect
from tests.evaluators.claude.auditing import audit
from tests.support.scripted import conversation
from tests.support.standin import running

PLAIN = "http://localhost:11434"


@pytest.mark.parametrize(
    "given",
    [PLAIN, f"{PLAIN}/", f"{PLAIN}/v1", f"{PLAIN}/v1/", f"{PLAIN}/v1/messages", f" {PLAIN}/v1//"],
)
def test_what_the_sdk_adds_is_taken_off(given: str) -> None:
    endpoint = Endpoint.at(given)
    assert endpoint == Endpoint(PLAIN)
    assert (endpoint.vendor, endpoint.loopback, endpoint.local) == (False, True, True)


@pytest.mark.parametrize(
    "given", ["localhost:11434", "ftp://x", "http://", "/v1", "http://[x", "x"]
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(UsageError):
        Endpoint.at(given)


def test_the_path_of_a_gateway_stays_and_a_password_is_not_shown() -> None:
    endpoint = Endpoint.at("https://ann:secret@gate.example/llm/v1?x=1#y")
    assert endpoint.url == "https://ann:secret@gate.example/llm"
    assert endpoint.shown == "https://gate.example/llm"
    assert (endpoint.vendor, endpoint.loopback, endpoint.local) == (False, False, False)


def test_the_variable_of_the_sdk_counts_and_the_option_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://10.0.0.8:8000/v1")
    assert Endpoint.at(None) == Endpoint("http://10.0.0.8:8000")
    assert Endpoint.at(None).local
    assert Endpoint.at(PLAIN) == Endpoint(PLAIN)
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    assert Endpoint.at(None).vendor


def test_the_vendor_wants_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EvaluatorError) as refused:
        connect(Endpoint(), 1, 1)
    assert refused.value.message == "there is no API key for the claude evaluator"
    assert "ANTHROPIC_API_KEY" in refused.value.hint
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-x")
    assert connect(Endpoint(), 1, 1).api_key == "sk-ant-x"


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "a b://["])
def test_no_proxy_comes_between_this_machine_and_itself(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy)
    with running(rule="no") as standin:
        audited = audit(standin.url, conversation("c", "hello"))
    assert audited.error is None
    assert audited.votes == {"c": "n"}


@pytest.mark.parametrize("proxy", ["socks5://ann:secret@127.0.0.1:9", "a b://ann:secret@["])
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(EvaluatorError) as refused:
        connect(Endpoint("https://gate.example"), 1, 1)
    assert refused.value.message == "the proxy that the environment names cannot be used"
    assert "secret" not in str(refused.value)
