"""The Message Batches API, as far as it is used: create, look at, list, and read the results.

Results are read from the server's own route, never from the address that `results_url` names: the
SDK would send the credentials to whatever host stands there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from chaperone_cli.errors import EvaluatorError
from chaperone_cli.evaluators.claude import faults
from chaperone_cli.evaluators.claude.endpoint import Endpoint
from chaperone_cli.evaluators.claude.faults import Course, Fault
from chaperone_cli.evaluators.claude.reply import UnusableBodyError

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

T = TypeVar("T")
PATH = "/v1/messages/batches"
SECONDS = 600.0
"""Time for one request: a batch of many megabytes has to be sent or read in it."""
OUTAGE = 3600.0
"""Seconds for which a server that fails is asked again; batches take up to a day."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before asking again, where the server does not say."""
PAGE = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """A batch as the server lists it."""

    id: str
    requests: int
    created: float
    """Seconds since 1970."""


class BatchesApi:
    """Speaks to the server, and waits through its outages."""

    def __init__(self, client: "AsyncAnthropic", endpoint: Endpoint) -> None:
        self._client = client
        self._endpoint = endpoint

    async def create(self, body: bytes) -> str | Fault:
        """Hands in a batch and gives its id, or the fault after which it may or may not exist."""

        async def call() -> str:
            return str(_object(await self._send("post", PATH, body)).get("id") or "")

        name = await self._attempt(call)
        return name or Fault(Course.RETRY, "a batch without an id", billed=True)

    async def ended(self, batch: str) -> bool:
        """Says whether `batch` has ended, so that its results can be read."""

        async def call() -> bool:
            document = _object(await self._send("get", f"{PATH}/{batch}"))
            return document.get("processing_status") == "ended"

        return await self._patiently(call, f"batch {batch}")

    async def results(self, batch: str) -> list[dict[str, Any]]:
        """Gives the results of `batch`, in no order."""

        async def call() -> list[dict[str, Any]]:
            response = await self._send("get", f"{PATH}/{batch}/results")
            return [_parsed(line) for line in response.content.splitlines() if line.strip()]

        return await self._patiently(call, f"the results of batch {batch}")

    async def since(self, at: float) -> list[Listed]:
        """Lists the batches created after `at`, the newest first."""
        found: list[Listed] = []
        query = f"?limit={PAGE}"
        while True:
            page = await self._page(query)
            rows = [_listed(row) for row in page["data"]]
            recent = [row for row in rows if row.created >= at]
            found += recent
            if not page.get("has_more") or len(recent) < len(rows) or not rows:
                return found
            query = f"?limit={PAGE}&after_id={rows[-1].id}"

    async def _page(self, query: str) -> dict[str, Any]:
        async def call() -> dict[str, Any]:
            page = _object(await self._send("get", PATH + query))
            if not isinstance(page.get("data"), list):
                raise UnusableBodyError("the body is not a list")
            return page

        return await self._patiently(call, "the list of batches")

    async def _patiently(self, call: Callable[[], Awaitable[T]], what: str) -> T:
        loop = asyncio.get_running_loop()
        started, tries = loop.time(), 0
        while True:
            outcome = await self._attempt(call)
            if not isinstance(outcome, Fault):
                return outcome
            if outcome.course is not Course.RETRY or loop.time() - started > OUTAGE:
                raise self._gone(what, outcome)
            await asyncio.sleep(pause(outcome, tries := tries + 1))

    async def _attempt(self, call: Callable[[], Awaitable[T]]) -> T | Fault:
        try:
            return await call()
        except Exception as exc:
            fault = faults.of_exception(exc)
            if fault.error is not None and "404" not in fault.problem:
                raise fault.error from exc
            return fault

    async def _send(self, method: str, path: str, body: bytes | None = None) -> "httpx2.Response":
        import httpx2

        if body is None:
            return await self._client.get(path, cast_to=httpx2.Response)
        return await self._client.post(
            path,
            cast_to=httpx2.Response,
            content=body,
            options={"headers": {"content-type": "application/json"}, "timeout": SECONDS},
        )

    def _gone(self, what: str, fault: Fault) -> EvaluatorError:
        hint = "run the same command again later: what is out is kept, and not paid for twice"
        if "404" in fault.problem:
            hint = "use the API key, workspace and server that the batch was handed in with"
        return EvaluatorError(
            f"{self._endpoint.shown} does not give {what}: {fault.problem}", hint=hint
        )


def pause(fault: Fault, tries: int) -> float:
    """Gives the seconds before the next attempt: what the server asks, or ever more."""
    grown = FIRST_PAUSE * 2.0 ** min(tries - 1, 10)
    return min(LONGEST_PAUSE, grown if fault.wait is None else fault.wait)


def _object(response: "httpx2.Response") -> dict[str, Any]:
    return _parsed(response.content)


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise UnusableBodyError("the body is not JSON") from exc
    if not isinstance(document, dict):
        raise UnusableBodyError("the body is not an object")
    return document


def _listed(row: Any) -> Listed:
    try:
        counts: Mapping[str, int] = row["request_counts"]
        created = datetime.fromisoformat(row["created_at"]).timestamp()
        return Listed(str(row["id"]), sum(counts.values()), created)
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise UnusableBodyError("the list holds something that is not a batch") from exc
