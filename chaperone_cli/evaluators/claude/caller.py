"""Makes one call for one vote: paced, paid for, and made again while there is time."""

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from chaperone_cli.errors import ChaperoneError, EvaluatorError
from chaperone_cli.evaluators.claude import faults, reply
from chaperone_cli.evaluators.claude.clients import Clients
from chaperone_cli.evaluators.claude.endpoint import Endpoint
from chaperone_cli.evaluators.claude.faults import Course, Fault
from chaperone_cli.evaluators.claude.meter import Meter, tokens_of
from chaperone_cli.evaluators.claude.pace import Pace
from chaperone_cli.evaluators.claude.prompt import Request

if TYPE_CHECKING:
    import httpx2

PATH = "/v1/messages"
UNPROVEN_TRIES = 6
"""Failures after which a server that never replied is taken to be absent: some 15 seconds."""
GIVEN_UP_IN_A_ROW = 10
"""Votes given up one after the other after which the server is taken to be gone."""
DRAIN = 20.0
"""Seconds that calls under way get to bring their replies before an error ends the run."""
LEAST_WAIT, LONGEST_BACKOFF = 0.05, 8.0
KEPT = {
    True: "every vote so far is kept",
    False: "with --no-store no vote was kept, so that all are asked for again",
    None: "",
}
"""What to know before a run that was cut short is started again, by whether votes are kept."""


@dataclass(frozen=True)
class Patience:
    """How long a vote is waited for."""

    timeout: float = 60.0
    """Seconds for one attempt."""
    deadline: float = 300.0
    """Seconds for all attempts together, pauses that the server asks for included."""
    backoff: float = 0.5
    """Seconds before a second attempt, where the server names none; they double from then on."""


class GivenUpError(Exception):
    """One vote cannot be had; the message says why, without any text that was sent."""


class Caller:
    """Makes the calls of a run; what it learns of the server serves all of them."""

    def __init__(
        self,
        clients: Clients,
        endpoint: Endpoint,
        pace: Pace,
        meter: Meter,
        patience: Patience,
        *,
        kept: bool | None = True,
    ) -> None:
        """`kept` says whether votes are; None where none are asked for."""
        self._clients = clients
        self._endpoint = endpoint
        self._pace = pace
        self._meter = meter
        self._patience = patience
        self._kept = kept
        self._jitter = random.Random()
        self._replied = False
        self._given_up = 0
        self._ended: ChaperoneError | None = None

    async def ask(self, request: Request, most: int) -> dict[str, Any]:
        """Sends `request`, of at most so many prompt tokens, and gives the reply as parsed JSON.

        Raises GivenUpError where this vote cannot be had, and EvaluatorError or BudgetExhausted
        where none can be had any more, once the calls under way have brought their replies.
        """
        try:
            message = await self._ask(orjson.dumps(request), most, request["max_tokens"])
        except ChaperoneError as exc:
            if self._replied and exc is not self._ended:
                exc.hint = "; ".join(filter(None, (exc.hint, KEPT[self._kept])))
            self._ended = self._ended or exc
            await self._meter.drained(DRAIN)
            raise
        self._replied, self._given_up = True, 0
        return message

    async def _ask(self, body: bytes, most: int, output: int) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        deadline: float | None = None
        tries = 0
        while True:
            async with self._pace.slot() as started:
                # The wait for the first slot is our own doing and does not count.
                deadline = deadline or started + self._patience.deadline
                reserved = await self._reserve(most, output)
                outcome = await self._attempt(body, reserved, started, deadline)
            if not isinstance(outcome, Fault):
                return outcome
            tries += 1
            pause = self._pause(outcome, tries)
            if self._too_late(outcome, tries, deadline - loop.time() - pause):
                raise self._giving_up(outcome)
            await asyncio.sleep(pause)

    async def _reserve(self, most: int, output: int) -> float:
        if self._ended is not None:
            raise self._ended
        return await self._meter.reserve(most, output)

    async def _attempt(
        self, body: bytes, reserved: float, started: float, deadline: float
    ) -> dict[str, Any] | Fault:
        try:
            response = await self._send(body, deadline - started)
            message = reply.parse(response.content)
        except asyncio.CancelledError:
            self._meter.fail(reserved, billed=True)
            raise
        except Exception as exc:
            fault = faults.of_exception(exc)
            self._meter.fail(reserved, billed=fault.billed)
            if fault.crowded:
                self._pace.refused(started, min(fault.wait or 0.0, self._patience.deadline))
            if fault.error is not None:
                raise fault.error from exc
            return fault
        self._meter.settle(reserved, tokens_of(message.get("usage")))
        self._pace.replied()
        self._pace.pause(min(faults.pause_for(response.headers), self._patience.deadline))
        return message

    async def _send(self, body: bytes, seconds: float) -> "httpx2.Response":
        import httpx2

        # The SDK's `messages.create` copies and checks a request block by block, which takes longer
        # than the rest of a call together; the body is the same, and so are headers and errors.
        async with asyncio.timeout(min(self._patience.timeout, max(seconds, 0.001))):
            with self._clients.lease() as client:
                return await client.post(
                    PATH,
                    cast_to=httpx2.Response,
                    content=body,
                    options={"headers": {"content-type": "application/json"}},
                )

    def _pause(self, fault: Fault, tries: int) -> float:
        """Gives the seconds before the next attempt: what the server asks, or ever more."""
        if fault.wait is not None:
            return max(fault.wait, LEAST_WAIT)
        grown: float = min(LONGEST_BACKOFF, self._patience.backoff * 2 ** (tries - 1))
        return grown * self._jitter.uniform(0.75, 1.0)

    def _too_late(self, fault: Fault, tries: int, left: float) -> bool:
        if fault.course is Course.GIVE_UP or left <= 0:
            return True
        return not self._replied and tries >= UNPROVEN_TRIES

    def _giving_up(self, fault: Fault) -> Exception:
        self._given_up += 1
        if self._replied and self._given_up < GIVEN_UP_IN_A_ROW:
            return GivenUpError(fault.problem)
        return EvaluatorError(
            f"{self._endpoint.shown} gives no usable reply: {fault.problem}",
            hint="`chaperone doctor` looks into it",
        )
