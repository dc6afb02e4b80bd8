"""Asks the models endpoint, free of charge, what a model on this server accepts."""

import asyncio
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from chaperone_cli.errors import EvaluatorError
from chaperone_cli.evaluators.claude import faults, models
from chaperone_cli.evaluators.claude.endpoint import Endpoint
from chaperone_cli.evaluators.claude.faults import Course, Fault
from chaperone_cli.evaluators.claude.models import Form

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

TRIES = 3
PAUSE = 0.25
"""Seconds before a second attempt; twice as many before a third."""
SUGGESTIONS = 3
ALIKE = 0.75
"""How like a known name (difflib's ratio) one has to be to pass for its misspelling."""


@dataclass(frozen=True)
class Offer:
    """What is known of a model on a server."""

    form: Form
    source: str
    """Who says so: `server`, `table`, or `nobody` for the plainest request."""
    lifecycle: str | None = None
    """`active`, `deprecated` or `retired`, where the server says."""
    retires_at: str | None = None
    """ISO 8601."""
    near: tuple[str, ...] = ()
    """Known models of nearly that name, where this one is known to nobody."""
    most_input: int | None = None
    """The most tokens of a prompt, where anybody says."""


async def offer(client: "AsyncAnthropic", endpoint: Endpoint, model: str) -> Offer:
    """Finds out what `model` is asked with; raises EvaluatorError where it cannot be used."""
    answer = await _retrieve(client, f"/v1/models/{quote(model, safe='')}")
    if isinstance(answer, Fault):
        return await _without(answer, client, endpoint, model)
    if answer.get("lifecycle") == "retired":
        raise _gone(model, answer.get("retires_at"), await _names(client))
    capabilities = answer.get("capabilities")
    if answer.get("type") == "model" and isinstance(capabilities, Mapping):
        return Offer(
            models.offered(capabilities),
            "server",
            answer.get("lifecycle"),
            answer.get("retires_at"),
            most_input=_limit(answer.get("max_input_tokens")),
        )
    return await _tabled(client, endpoint, model)


def _limit(said: object) -> int | None:
    return said if type(said) is int and said > 0 else None


async def count(client: "AsyncAnthropic", request: Mapping[str, Any]) -> int | None:
    """Has the server count the tokens of `request`, free of charge; None where it does not."""
    import httpx2

    body = {key: value for key, value in request.items() if key not in _UNCOUNTED}
    try:
        response = await client.post(
            "/v1/messages/count_tokens",
            cast_to=httpx2.Response,
            content=orjson.dumps(body),
            options={"headers": {"content-type": "application/json"}},
        )
        answer = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return None
    except Exception as exc:
        faults.of_exception(exc)
        return None
    return _limit(answer.get("input_tokens")) if isinstance(answer, dict) else None


_UNCOUNTED = ("max_tokens", "temperature")
"""Fields of a request that play no part in the size of its prompt."""


async def _without(fault: Fault, client: "AsyncAnthropic", endpoint: Endpoint, model: str) -> Offer:
    """Gives the offer where the models endpoint has none: it may not exist, or fail for now."""
    if fault.unreached is not None:
        raise fault.unreached.error(endpoint.shown)
    if fault.error is not None and "404" not in fault.problem:
        raise fault.error
    known = models.listed(model)
    if endpoint.vendor and "404" in fault.problem:
        names = await _names(client)
        raise _gone(model, known.retired if known else None, names)
    return await _tabled(client, endpoint, model)


async def _tabled(client: "AsyncAnthropic", endpoint: Endpoint, model: str) -> Offer:
    known = models.listed(model)
    if known is not None:
        return Offer(known.form, "table", most_input=known.most_input)
    if endpoint.vendor:
        raise EvaluatorError(
            f"what the model {model!r} accepts cannot be found out: the models endpoint fails",
            hint="try again later, or choose a model from `chaperone doctor`",
        )
    near = _near(model, await _names(client))
    return Offer(models.plain(local=endpoint.local), "nobody", near=near)


def _near(model: str, names: Sequence[str]) -> tuple[str, ...]:
    """Gives the names like `model` of those that the server lists or, if it lists none, we do."""
    known = names or [name for name, row in models.table().items() if "retired" not in row]
    if model in known:
        return ()
    return tuple(difflib.get_close_matches(model, known, n=SUGGESTIONS, cutoff=ALIKE))


def _gone(model: str, since: object, names: list[str]) -> EvaluatorError:
    known = models.listed(model)
    use = [known.use] if known is not None and known.use else []
    near = use or difflib.get_close_matches(model, names, n=SUGGESTIONS, cutoff=0.4)
    near = near or names[:SUGGESTIONS]
    what = f"was retired on {str(since)[:10]}" if since else "is not known to the server"
    hint = f"use --model {' or --model '.join(near)}" if near else "choose another --model"
    return EvaluatorError(f"the model {model!r} {what}", hint=hint)


async def _names(client: "AsyncAnthropic") -> list[str]:
    """Lists the models that can be used, newest first as the server lists them."""
    answer = await _retrieve(client, "/v1/models?limit=100")
    rows = [] if isinstance(answer, Fault) else answer.get("data") or []
    return [
        str(row["id"])
        for row in rows
        if isinstance(row, Mapping) and "id" in row and row.get("lifecycle") != "retired"
    ]


async def _retrieve(client: "AsyncAnthropic", path: str) -> dict[str, Any] | Fault:
    import httpx2

    fault = Fault(Course.GIVE_UP, "not asked")
    for tries in range(TRIES):
        await asyncio.sleep(PAUSE * tries)
        try:
            response = await client.get(path, cast_to=httpx2.Response)
            answer = orjson.loads(response.content)
        except orjson.JSONDecodeError:
            return Fault(Course.GIVE_UP, "no JSON")
        except Exception as exc:
            fault = faults.of_exception(exc)
            if fault.course is not Course.RETRY or (fault.unreached and fault.unreached.lasting):
                return fault
            continue
        return answer if isinstance(answer, dict) else Fault(Course.GIVE_UP, "no object")
    return fault
