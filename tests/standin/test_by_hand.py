"""The stand-in as a program: `python -m tests.support.standin`."""

import json
import signal
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic

from tests.standin.client import params
from tests.support.cli import spawn
from tests.support.standin.__main__ import behaviour

SAMPLES = Path(__file__).parents[2] / "sample_logs"


def call(url: str, method: str = "GET", body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, method=method)
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read())


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_prints_its_address_and_shows_its_ledger(stop: signal.Signals) -> None:
    process = spawn(
        *("--votes", SAMPLES / "thirty.votes.jsonl", "--port", "0", "--seed", "3"),
        module="tests.support.standin",
    )
    assert process.stdout is not None
    url = process.stdout.readline().decode().strip()
    first = json.loads((SAMPLES / "thirty.jsonl").read_text("utf-8").splitlines()[0])
    try:
        with Anthropic(base_url=url, api_key="key") as sdk:
            sdk.messages.create(**params(first["turns"][0]["content"]))
        ledger = call(f"{url}/__ledger")
        assert ledger["totals"]["calls"] == 1
        assert ledger["calls"][0]["conversation"] == "parasocial-01"
        before = call(f"{url}/__clock", "POST", {"advance": 0})["now"]
        assert call(f"{url}/__clock", "POST", {"advance": 500})["now"] >= before + 500
        call(f"{url}/__ledger", "DELETE")
        assert call(f"{url}/__ledger?calls=0")["totals"]["calls"] == 0
    finally:
        process.send_signal(stop)
        assert process.communicate(timeout=10)[1] == b""
    assert process.returncode == 0


def test_options_reach_the_behaviour() -> None:
    port, told = behaviour(
        [
            *("--port", "8899", "--votes", "a.votes.jsonl", "--rule", "hash:0.1", "--local"),
            *("--latency", "0.2", "--fault", "html=0.1", "--fault", "reset=0.05"),
            *("--script", "ok,overloaded", "--batch-fault", "expired=0.5"),
        ]
    )
    assert (port, told.logs, told.votes) == (8899, (Path("a.jsonl"),), (Path("a.votes.jsonl"),))
    assert (told.rule, told.latency, told.local) == ("hash:0.1", 0.2, True)
    assert told.faults == {"html": 0.1, "reset": 0.05}
    assert told.script == ("ok", "overloaded")
    assert told.batch_faults == {"expired": 0.5}
