"""Preflight says what is wrong before anything is spent."""

import asyncio

import pytest

from chaperone_cli.codec import prices
from chaperone_cli.evaluators.claude.checks import Check, Status
from chaperone_cli.evaluators.claude.evaluator import Options
from chaperone_cli.evaluators.claude.preflight import preflight
from tests.evaluators.claude.capture import capturing
from tests.support.standin import running

HAIKU = "claude-haiku-5-5"


def checked(model: str = HAIKU, base_url: str | None = None) -> dict[str, Check]:
    options = Options(model, base_url=base_url, price=prices.shipped().of(model))
    return {check.name: check for check in asyncio.run(preflight(options))}


def test_all_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "right")
    with running(key="right") as standin:
        checks = checked(base_url=standin.url)
        assert {name: (check.status, check.message) for name, check in checks.items()} == {
            "key": (Status.OK, f"ANTHROPIC_API_KEY, sent to {standin.url}"),
            "server": (Status.OK, f"{standin.url}, from --base-url"),
            "proxy": (Status.OK, "none"),
            "logging": (Status.OK, "requests are not printed"),
            "price": (Status.OK, "$0.1 in, $0.5 out for a million tokens"),
            "clock": (Status.OK, checks["clock"].message),
            "model": (
                Status.OK,
                f"{HAIKU}: replies held to a schema, prompt cache, thinking turned off by "
                "disabled, as the server says",
            ),
            "call": (Status.SKIPPED, "the model was asked nothing, so that nothing was paid"),
        }
        assert standin.ledger.calls == [], "nothing was paid for"


def test_no_key() -> None:
    check = checked()["key"]
    assert (check.status, check.message) == (
        Status.FAILED,
        "there is no API key for the claude evaluator",
    )
    assert "ANTHROPIC_API_KEY" in check.hint


def test_a_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "wrong")
    with running(key="right") as standin:
        check = checked(base_url=standin.url)["model"]
    assert (check.status, check.message) == (
        Status.FAILED,
        "the server refuses every call: status 401 (authentication_error)",
    )


def test_a_stray_path_a_proxy_and_printing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://ann:secret@proxy.example:3128")
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")
    with running() as standin:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{standin.url}/v1/")
        checks = checked()
    assert {name for name, check in checks.items() if check.status is Status.WARNING} == {
        "server",
        "logging",
    }
    assert checks["server"].message == (
        "ANTHROPIC_BASE_URL ends in a path that is added anyway; "
        f"it is read as {checks['key'].message.split()[-4].rstrip(',')}"
    )
    assert "secret" not in str(checks)


def test_a_key_in_the_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    with running() as standin:
        port = standin.url.rpartition(":")[2]
    check = checked(base_url=f"http://127.0.0.1:{port}")["key"]
    assert check.status is Status.OK
    from chaperone_cli.evaluators.claude.endpoint import Endpoint
    from chaperone_cli.evaluators.claude.preflight import key

    open_air = asyncio.run(key(Endpoint.at("http://models.example")))
    assert open_air.status is Status.WARNING
    assert "without encryption" in open_air.message


def test_a_retired_and_an_unknown_model() -> None:
    with running() as standin:
        retired = checked("claude-opus-4-1-20250805", standin.url)["model"]
        unknown = checked("llama-nine", standin.url)
    assert retired == Check(
        "model",
        Status.FAILED,
        "the model 'claude-opus-4-1-20250805' was retired on 2026-08-05",
        "use --model claude-opus-4-8",
    )
    assert unknown["price"].status is Status.WARNING
    assert unknown["model"].message.endswith("because the server does not say what it accepts")
    assert unknown["call"] == Check(
        "call",
        Status.FAILED,
        "a trial call failed with status 404 (not_found_error): model: llama-nine",
        "look at the server's log; check --model and --base-url",
    )


def test_a_local_server_is_tried_out() -> None:
    with running(local=True, rule="yes") as standin:
        check = checked("llama3", standin.url)["call"]
        assert (check.status, check.message) == (Status.OK, "llama3 answers as it is asked to")
    with capturing("Rain is wet.") as captured:
        check = checked("llama3", captured.url)["call"]
    assert check.status is Status.WARNING
    assert "Will it rain today?" in str(captured.bodies)


def test_a_server_that_is_not_there() -> None:
    with running() as standin:
        url = standin.url
    assert checked(base_url=url)["model"] == Check(
        "model",
        Status.FAILED,
        f"{url} cannot be reached: nothing listens at that address",
        "start the server, or correct host and port of --base-url",
    )


def test_an_address_that_is_none() -> None:
    checks = checked(base_url="localhost")
    assert [check.status for check in checks.values()] == [Status.FAILED]
