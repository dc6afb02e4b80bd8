"""What servers ask for in headers, and how long it is obeyed."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from chaperone_cli.evaluators.claude.caller import Patience
from chaperone_cli.evaluators.claude.faults import pause_for, retry_after
from tests.evaluators.claude.auditing import audit
from tests.support.scripted import conversation
from tests.support.standin import Limits, running

SOON = "in 90 seconds"


def told(headers: dict[str, str]) -> dict[str, str]:
    """Gives `headers` as a server sends them now."""
    soon = datetime.now(UTC) + timedelta(seconds=90)
    date = format_datetime(soon, usegmt=True)
    return {
        name: value.replace(SOON, date if name == "retry-after" else soon.isoformat())
        for name, value in headers.items()
    }


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": SOON}, 90.0),
        ({"retry-after": "Mon, 01 Jan 2024 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "soon"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(told(headers)) == (
        seconds if seconds is None else pytest.approx(seconds, abs=5)
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"requests-remaining": "1", "requests-reset": SOON}, 0),
        ({"requests-remaining": "0", "requests-reset": SOON}, 90),
        ({"input-tokens-remaining": "0", "input-tokens-reset": "2024-01-01T00:00:00Z"}, 0),
        ({"output-tokens-remaining": "0", "output-tokens-reset": "later"}, 0),
        ({"tokens-remaining": "0"}, 0),
    ],
)
def test_a_used_up_limit_is_waited_for(headers: dict[str, str], seconds: float) -> None:
    stated = {f"anthropic-ratelimit-{name}": value for name, value in told(headers).items()}
    assert pause_for(stated) == pytest.approx(seconds, abs=5)


def test_no_vote_waits_longer_than_its_deadline() -> None:
    talk = conversation("c", "hello", "hi", "bye")
    script = ("ok", *["rate_limit"] * 40)
    with running(rule="no", script=script, retry_after=3600.0) as standin:
        began = time.monotonic()
        audited = audit(standin.url, talk, passes=2, patience=Patience(1, 0.8))
        took = time.monotonic() - began
    assert audited.votes == {"c": "n aa aa"}
    assert took < 10
    assert audited.spend.failed == len(standin.ledger.calls) - 1 == 4


def test_rate_limits_slow_a_run_down_and_lose_no_vote() -> None:
    talks = [conversation(f"c{number}", f"hello {number}", "hi") for number in range(60)]
    with running(rule="no", limits=Limits(requests=6000), latency=0.005) as standin:
        audited = audit(standin.url, *talks, concurrency=60)
    assert audited.error is None
    assert set(audited.votes.values()) == {"n n"}
    assert audited.spend.failed == len(standin.ledger.calls) - 120
