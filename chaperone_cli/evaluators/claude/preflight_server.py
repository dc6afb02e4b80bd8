"""Asks a server, free of charge, whether a run could work with it."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from chaperone_cli.errors import ChaperoneError
from chaperone_cli.evaluators.claude import faults, models
from chaperone_cli.evaluators.claude.checks import Check, Status
from chaperone_cli.evaluators.claude.endpoint import Endpoint, connect
from chaperone_cli.evaluators.claude.offer import Offer, offer
from chaperone_cli.evaluators.claude.trial import trial

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

TIMEOUT = 60.0
"""Seconds that the server gets to answer; one of this machine may have to load the model first."""
CLOCK_SKEW = 120.0
"""Seconds by which clocks may differ; certificates and rate limits are stated in time of day."""


async def server(endpoint: Endpoint, model: str) -> list[Check]:
    """Asks the server for the time and for the model."""
    try:
        client = connect(endpoint, 1, TIMEOUT)
    except ChaperoneError as exc:
        return [Check.failed("model", exc)]
    try:
        reached, date = await _reach(client, endpoint)
        if reached is not None:
            return [reached]
        return [_clock(date), *await _model(client, endpoint, model)]
    finally:
        await client.close()


async def _reach(
    client: "AsyncAnthropic", endpoint: Endpoint
) -> tuple[Check | None, datetime | None]:
    """Gives what keeps the server from answering, or else the time that it states."""
    import anthropic
    import httpx2

    try:
        headers = (await client.get("/v1/models?limit=1", cast_to=httpx2.Response)).headers
    except anthropic.APIStatusError as exc:
        headers = exc.response.headers
    except anthropic.AnthropicError as exc:
        problem = faults.of_exception(exc).problem
        message, hint = f"{endpoint.shown} does not answer: {problem}", _REACH_HINT
        return Check("model", Status.FAILED, message, hint), None
    try:
        found = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None, None
    return None, found if found.tzinfo else found.replace(tzinfo=UTC)


_REACH_HINT = "start the server, or correct --base-url; look at the network and its proxy"


def _clock(date: datetime | None) -> Check:
    if date is None:
        return Check("clock", Status.OK, "not compared: the server does not say its time")
    skew = (datetime.now(UTC) - date).total_seconds()
    if abs(skew) > CLOCK_SKEW:
        which = "ahead of" if skew > 0 else "behind"
        return Check(
            "clock",
            Status.WARNING,
            f"this machine's clock is {abs(skew):.0f} s {which} the server's",
            "set the clock: certificates and pauses for rate limits go by it",
        )
    return Check("clock", Status.OK, f"within {CLOCK_SKEW:.0f} s of the server's")


async def _model(client: "AsyncAnthropic", endpoint: Endpoint, model: str) -> list[Check]:
    try:
        offered = await offer(client, endpoint, model)
    except ChaperoneError as exc:
        return [Check.failed("model", exc)]
    if offered.lifecycle == "deprecated":
        return [_deprecated(model, offered)]
    checks = [Check("model", *_told(model, offered))]
    if offered.source == "nobody" and endpoint.local:
        checks.append(await trial(client, model, offered.form))
    return checks


def _deprecated(model: str, offered: Offer) -> Check:
    listed = models.listed(model)
    until = f"; it answers until {offered.retires_at[:10]}" if offered.retires_at else ""
    return Check(
        "model",
        Status.WARNING,
        f"{model} is deprecated{until}",
        f"move to --model {listed.use}" if listed and listed.use else "choose its successor",
    )


def _told(model: str, offered: Offer) -> tuple[Status, str, str]:
    form = offered.form
    told = [
        "replies held to a schema" if form.structured else "replies in words",
        "prompt cache" if form.caching else "no prompt cache",
        f"thinking turned off by {form.thinking}" if form.thinking else "thinking as it comes",
    ]
    known = {
        "server": "as the server says",
        "table": "as chaperone's own table says, because the server does not",
        "nobody": "because the server does not say what it accepts",
    }[offered.source]
    message = f"{model}: {', '.join(told)}, {known}"
    if offered.near:
        return Status.WARNING, message, f"did you mean --model {' or --model '.join(offered.near)}?"
    return Status.OK, message, ""
