"""Asks a server whether a run could work with it; free of charge, unless it may ask for a vote."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from chaperone_cli.domain.cost import Price
from chaperone_cli.errors import ChaperoneError
from chaperone_cli.evaluators.claude import faults, models
from chaperone_cli.evaluators.claude.checks import Check, Status
from chaperone_cli.evaluators.claude.endpoint import Endpoint, connect
from chaperone_cli.evaluators.claude.offer import PAUSE, TRIES, Offer, offer
from chaperone_cli.evaluators.claude.trial import trial

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

REACH = 3.0
"""Seconds in which a connection comes about: what takes longer is no way to audit."""
TIMEOUT = 60.0
"""Seconds that the server gets to answer; one of this machine may have to load the model first."""
CLOCK_SKEW = 120.0
"""Seconds by which clocks may differ; certificates and rate limits are stated in time of day."""


async def server(
    endpoint: Endpoint, model: str, price: Price | None, *, spend: bool
) -> list[Check]:
    """Asks the server for the time and for the model and, if it may `spend`, for one vote."""
    try:
        client = connect(endpoint, 1, TIMEOUT, REACH)
    except ChaperoneError as exc:
        return [Check.failed("model", exc)]
    try:
        reached, date = await _reach(client, endpoint)
        if reached is not None:
            return [reached]
        checks = await _model(client, endpoint, model, spend=spend)
        return [_clock(date), *(_priced(check, price) for check in checks)]
    finally:
        await client.close()


async def _reach(
    client: "AsyncAnthropic", endpoint: Endpoint
) -> tuple[Check | None, datetime | None]:
    """Gives what keeps the server from answering, or else the time that it states."""
    import anthropic
    import httpx2

    for tries in range(TRIES):
        await asyncio.sleep(PAUSE * tries)
        try:
            response = await client.get("/v1/models?limit=1", cast_to=httpx2.Response)
            return None, _time(response.headers)
        except anthropic.APIStatusError as exc:
            if exc.status_code < 500:
                return None, _time(exc.response.headers)
            fault = faults.of_exception(exc)
        except anthropic.AnthropicError as exc:
            fault = faults.of_exception(exc)
            if fault.unreached is not None:
                return Check.failed("model", fault.unreached.error(endpoint.shown)), None
    message = f"{endpoint.shown} answers no request: {fault.problem}"
    hint = "look at the server's log; if it has only just started, try again"
    return Check("model", Status.FAILED, message, hint), None


def _time(headers: Mapping[str, str]) -> datetime | None:
    try:
        found = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


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


async def _model(
    client: "AsyncAnthropic", endpoint: Endpoint, model: str, *, spend: bool
) -> list[Check]:
    try:
        offered = await offer(client, endpoint, model)
    except ChaperoneError as exc:
        return [Check.failed("model", exc)]
    free = offered.source == "nobody" and endpoint.local
    call = await trial(client, model, offered.form) if spend or free else _UNASKED
    if offered.lifecycle == "deprecated":
        return [_deprecated(model, offered), call]
    if (gone := _retired(model, offered, call)) is not None:
        return [gone, call]
    return [Check("model", *_told(model, offered)), call]


_UNASKED = Check(
    "call",
    Status.SKIPPED,
    "the model was asked nothing, so that nothing was paid",
    "--spend asks it one question about a made-up line",
)


def _retired(model: str, offered: Offer, call: Check) -> Check | None:
    """Says that the vendor retired `model`, or will, where the server itself says nothing."""
    listed = models.listed(model)
    if offered.source != "table" or listed is None or listed.retired is None:
        return None
    if listed.retired > datetime.now(UTC).date():
        status, when = Status.WARNING, f"will be retired on {listed.retired}"
    elif call.status in (Status.OK, Status.WARNING):
        status, when = Status.WARNING, f"was retired on {listed.retired}, and this server has it"
    else:
        status, when = Status.FAILED, f"was retired on {listed.retired}"
    hint = f"use --model {listed.use}" if listed.use else "choose another --model"
    if call is _UNASKED and status is Status.FAILED:
        hint += "; where this server may still have it, --spend finds out"
    return Check("model", status, f"the model {model!r} {when}", hint)


def _priced(check: Check, price: Price | None) -> Check:
    """Adds to a check what its question cost."""
    if check.tokens is None or price is None:
        return check
    return replace(check, message=f"{check.message}; it cost ${price.dollars(check.tokens):.6f}")


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
