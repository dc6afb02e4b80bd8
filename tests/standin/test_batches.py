"""The stand-in's batches: worked off in no order, ended in several ways, kept over restarts."""

from pathlib import Path
from typing import Any

import anthropic
import pytest

from tests.standin.client import Client, params
from tests.standin.conftest import Start


def requests(count: int, **more: Any) -> list[Any]:
    return [
        {"custom_id": f"r{number}", "params": params(f"turn {number}", ttl="1h", **more)}
        for number in range(count)
    ]


def results(client: Client, name: str) -> list[tuple[str, Any]]:
    return [(row.custom_id, row.result) for row in client.sdk.messages.batches.results(name)]


def test_a_batch_from_its_creation_to_its_results(start: Start) -> None:
    client = start(rule="yes", batch_seconds=600)
    batches = client.sdk.messages.batches
    created = batches.create(requests=requests(20))
    assert (created.processing_status, created.request_counts.processing) == ("in_progress", 20)
    assert created.results_url is None
    with pytest.raises(anthropic.AnthropicError, match="No `results_url`"):
        batches.results(created.id)
    client.standin.clock.advance(601)
    ended = batches.retrieve(created.id)
    assert (ended.processing_status, ended.request_counts.succeeded) == ("ended", 20)
    found = results(client, created.id)
    names = [name for name, _ in found]
    assert names != sorted(names, key=lambda name: int(name[1:]))
    assert sorted(names) == sorted(f"r{number}" for number in range(20))
    assert {result.message.content[0].text for _, result in found} == {"yes"}
    assert {result.message.usage.service_tier for _, result in found} == {"batch"}
    call = client.standin.ledger.calls[-1]
    assert call.kind == "batch"
    assert call.billed == pytest.approx(_billed(call.usage) / 2)


def _billed(usage: Any) -> float:
    return float(usage.input + 2 * usage.write_1h + 0.1 * usage.read)


def test_ends_of_every_kind(start: Start) -> None:
    shares = dict.fromkeys(("errored", "invalid", "expired", "canceled"), 0.2)
    client = start(batch_faults=shares)
    batch = client.sdk.messages.batches.create(requests=requests(100))
    ends = [
        result.error.error.type if result.type == "errored" else result.type
        for _, result in results(client, batch.id)
    ]
    assert set(ends) == {
        *("succeeded", "api_error", "invalid_request_error", "expired", "canceled")
    }
    assert client.standin.ledger.totals()["answered"] == ends.count("succeeded")


def test_parameters_are_checked_late(start: Start) -> None:
    client = start()
    asked = [*requests(1), {"custom_id": "bad", "params": params("x", temperature=1)}]
    batch = client.sdk.messages.batches.create(requests=asked)
    ends = dict(results(client, batch.id))
    assert ends["r0"].type == "succeeded"
    assert ends["bad"].error.error.message == "temperature: Extra inputs are not permitted"


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "ä"])
def test_custom_ids_are_checked_at_once(start: Start, name: str) -> None:
    with pytest.raises(anthropic.BadRequestError, match="custom_id"):
        start().sdk.messages.batches.create(
            requests=[{"custom_id": name, "params": params("x")}]  # type: ignore[typeddict-item]
        )


def test_custom_ids_must_differ(start: Start) -> None:
    with pytest.raises(anthropic.BadRequestError, match="unique"):
        start().sdk.messages.batches.create(requests=requests(1) * 2)


def test_batches_are_limited_in_size(start: Start) -> None:
    with pytest.raises(anthropic.BadRequestError, match="at most 3"):
        start(batch_limit=3).sdk.messages.batches.create(requests=requests(4))


def test_batches_outlive_the_server(start: Start, tmp_path: Path) -> None:
    first = start(state=tmp_path, batch_seconds=3600)
    batch = first.sdk.messages.batches.create(requests=requests(3))
    second = start(state=tmp_path, batch_seconds=3600)
    listed = [one.id for one in second.sdk.messages.batches.list()]
    assert listed == [batch.id]
    second.standin.clock.advance(3601)
    found = sorted(name for name, _ in results(second, batch.id))
    assert found == ["r0", "r1", "r2"]
    third = start(state=tmp_path)
    assert sorted(name for name, _ in results(third, batch.id)) == found


def test_passes_go_on_after_a_restart(start: Start, tmp_path: Path) -> None:
    first = start(state=tmp_path)
    batch = first.sdk.messages.batches.create(requests=requests(1))
    results(first, batch.id)
    second = start(state=tmp_path)
    second.ask("turn 0", ttl="1h")
    assert [one.standin.ledger.calls[-1].passes for one in (first, second)] == [1, 2]


def test_a_batch_expires_after_a_day(start: Start) -> None:
    client = start(batch_seconds=48 * 3600)
    batch = client.sdk.messages.batches.create(requests=requests(2))
    client.standin.clock.advance(24 * 3600 + 1)
    assert {result.type for _, result in results(client, batch.id)} == {"expired"}


def test_a_batch_can_be_canceled_and_deleted(start: Start) -> None:
    client = start(batch_seconds=3600)
    batches = client.sdk.messages.batches
    batch = batches.create(requests=requests(2))
    assert batches.cancel(batch.id).processing_status == "canceling"
    assert {result.type for _, result in results(client, batch.id)} == {"canceled"}
    batches.delete(batch.id)
    with pytest.raises(anthropic.NotFoundError):
        batches.retrieve(batch.id)


def test_results_can_be_told_to_lie_elsewhere(start: Start) -> None:
    client = start(results_host="http://127.0.0.1:9")
    batch = client.sdk.messages.batches.create(requests=requests(1))
    ended = client.sdk.messages.batches.retrieve(batch.id)
    assert (ended.results_url or "").startswith("http://127.0.0.1:9/v1/messages/batches/")
