"""Makes the calls for one vote: paced, paid for, and made again while that may help.

A call may fail because of what it is about, or because of the server. Where several in a row bring
nothing, a question of our own about a made-up line shows which: if that is answered, the run goes
on, and if not, it ends.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from chaperone_cli.domain.vote import Vote
from chaperone_cli.errors import ChaperoneError, EvaluatorError
from chaperone_cli.evaluators.claude import faults, reply
from chaperone_cli.evaluators.claude.endpoint import Endpoint
from chaperone_cli.evaluators.claude.faults import Course, Fault
from chaperone_cli.evaluators.claude.meter import Meter, Reserved
from chaperone_cli.evaluators.claude.pace import Pace, Slot
from chaperone_cli.evaluators.claude.prompt import Request, with_longer_reply

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

PATH = "/v1/messages"
UNPROVEN_TRIES = 6
"""Failures after which a server that never replied is taken to be absent: some 15 seconds."""
UNREACHED_TRIES = 2
"""The same, where no connection comes about."""
ASKED = 3
"""Times that a vote is asked for whose reply cannot be read; each is billed."""
USELESS_IN_A_ROW = 10
"""Replies, or votes given up, without anything of use after which the server is tried out."""
PROOFS = 3
"""Times that a question of our own is asked before the server is taken to be of no use."""
DRAIN = 20.0
"""Seconds that calls under way get to bring their replies before an error ends the run."""
LEAST_WAIT, LONGEST_BACKOFF = 0.02, 8.0
LATELY = 5.0
"""Seconds for which a server that replied is taken to be well, whatever fails."""
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

    def __init__(self, problem: str, vote: Vote = reply.ERROR) -> None:
        super().__init__(problem)
        self.vote = vote
        """The abstention that stands for it."""


Message = dict[str, Any]
"""A reply as parsed JSON."""
Usable = Callable[[Message], bool]
"""Says whether a reply holds what was asked for."""


@dataclass(frozen=True)
class Ask:
    """One request, and what is known of it."""

    request: Request
    most: int
    """The most prompt tokens that it can take."""
    usable: Usable


class Caller:
    """Makes the calls of a run; what it learns of the server serves all of them."""

    def __init__(
        self,
        client: "AsyncAnthropic",
        endpoint: Endpoint,
        pace: Pace,
        meter: Meter,
        patience: Patience,
        proof: Callable[[], Ask],
        *,
        kept: bool | None = True,
    ) -> None:
        """`proof` gives a question that gives nobody's words away.

        `kept` says whether votes are; None where none are asked for.
        """
        self._client = client
        self._endpoint = endpoint
        self._pace = pace
        self._meter = meter
        self._patience = patience
        self._proof = proof
        self._kept = kept
        self._jitter = random.Random()
        self._answered = False
        """Whether the server has replied at all."""
        self._useless: Counter[str] = Counter()
        """What came since the last reply of use, by kind."""
        self._useful = float("-inf")
        """When the last call was made that brought something of use."""
        self._unanswered = float("-inf")
        """When a question of our own was refused last, after a refusal of something else."""
        self._proving = asyncio.Lock()
        self._ended: ChaperoneError | None = None
        self._replied_at = float("-inf")
        self._usual = 0.0
        """Seconds that a reply took of late."""

    async def ask(self, request: Request, most: int, usable: Usable) -> Message:
        """Sends `request`, of at most so many prompt tokens, and gives the reply.

        A reply that is not `usable` is asked for again, with more room where it was cut off; the
        last one is given as it is. Raises GivenUpError where this vote cannot be had, and
        EvaluatorError or BudgetExhausted where none can be had any more, once the calls under way
        have brought their replies.
        """
        try:
            return await self._persistently(Ask(request, most, usable))
        except ChaperoneError as exc:
            if self._answered and exc is not self._ended:
                exc.hint = "; ".join(filter(None, (exc.hint, KEPT[self._kept])))
            self._ended = self._ended or exc
            await self._meter.drained(DRAIN)
            raise

    async def _persistently(self, ask: Ask) -> Message:
        for left in reversed(range(ASKED)):
            message, started = await self._reply(ask)
            if ask.usable(message):
                self._take_heart(started)
                break
            stop = message.get("stop_reason")
            await self._doubt("refused" if stop == "refusal" else "unreadable")
            if stop in reply.FINAL or not left:
                break
            if stop == reply.CUT_OFF:
                ask = replace(ask, request=with_longer_reply(ask.request))
        return message

    async def _reply(self, ask: Ask) -> tuple[Message, float]:
        """Gives a reply, whatever it says, and when the call for it was made.

        Raises GivenUpError and what ends the run.
        """
        loop = asyncio.get_running_loop()
        body, output = orjson.dumps(ask.request), ask.request["max_tokens"]
        deadline: float | None = None
        tries = 0
        while True:
            if self._proving.locked():
                async with self._proving:
                    pass
            async with self._pace.slot() as slot:
                # The wait for the first slot is our own doing and does not count.
                deadline = deadline or slot.started + self._patience.deadline
                reserved = await self._reserve(ask.most, output)
                outcome = await self._attempt(body, reserved, slot, deadline)
                if isinstance(outcome, Fault) and outcome.crowded:
                    # Another call in its place would be refused at once, and the next one after it.
                    await asyncio.sleep(max(self._usual, LEAST_WAIT))
            if not isinstance(outcome, Fault):
                self._answered = True
                return outcome, slot.started
            tries += 1
            pause = self._pause(outcome, tries)
            if outcome.course is Course.GIVE_UP:
                refused_at = loop.time()
                await self._doubt(outcome.problem, proven=self._answered)
                vote = reply.TOO_LONG if outcome.too_long else reply.REJECTED
                answered = await self._others_are_answered(refused_at)
                raise GivenUpError(outcome.problem, vote if answered else reply.ERROR)
            if deadline - loop.time() - pause <= self._usual:
                # A reply would come too late, and might be billed.
                await self._doubt(outcome.problem, proven=self._answered)
                raise GivenUpError(outcome.problem)
            if not self._answered and outcome.unreached and tries >= UNREACHED_TRIES:
                raise outcome.unreached.error(self._endpoint.shown)
            if not self._answered and tries >= UNPROVEN_TRIES:
                await self._prove(outcome.problem)
            await asyncio.sleep(pause)

    def _take_heart(self, started: float) -> None:
        self._useful = max(self._useful, started)
        self._useless.clear()

    async def _doubt(self, problem: str, *, proven: bool = True) -> None:
        """Counts what brought nothing of use; raises EvaluatorError where nothing does."""
        self._useless[problem] += 1
        if self._useless.total() >= USELESS_IN_A_ROW or not proven:
            await self._prove(problem)

    async def _others_are_answered(self, refused_at: float) -> bool:
        """Says whether a later call brings something of use, once it is known.

        Only then is a refusal the fault of what was asked, and not of a server that refuses all.
        Where nothing else is under way, a question of our own shows it.
        """
        while self._useful <= refused_at:
            if self._ended is not None:
                raise self._ended
            if self._meter.idle:
                return await self._is_answered(refused_at)
            await asyncio.sleep(max(self._usual, LEAST_WAIT))
        return True

    async def _is_answered(self, after: float) -> bool:
        """Asks a question of our own, unless the last one failed and nothing was of use since."""
        async with self._proving:
            if self._useful <= after and self._unanswered <= self._useful:
                answered = await self._prove_once(self._proof()) is None
                now = asyncio.get_running_loop().time()
                if answered:
                    self._take_heart(now)
                else:
                    self._unanswered = now
            return self._useful > after

    async def _prove(self, problem: str) -> None:
        """Asks a question of our own; raises EvaluatorError where that is not answered either.

        All other calls wait for the outcome.
        """
        async with self._proving:
            if self._ended is not None:
                raise self._ended
            if not self._useless and self._answered:
                return
            for tries in range(1, PROOFS + 1):
                outcome = await self._prove_once(self._proof())
                if outcome is None:
                    self._answered = True
                    self._take_heart(asyncio.get_running_loop().time())
                    return
                if outcome.course is Course.GIVE_UP:
                    break
                await asyncio.sleep(self._pause(outcome, tries))
            raise self._gone(problem)

    async def _prove_once(self, ask: Ask) -> Fault | None:
        loop = asyncio.get_running_loop()
        reserved = await self._reserve(ask.most, ask.request["max_tokens"])
        slot = Slot(loop.time(), None)
        outcome = await self._attempt(
            orjson.dumps(ask.request), reserved, slot, slot.started + self._patience.timeout
        )
        if isinstance(outcome, Fault):
            return outcome
        return None if ask.usable(outcome) else Fault(Course.RETRY, "no answer", wait=0.0)

    def _gone(self, problem: str) -> EvaluatorError:
        count = self._useless.total()
        if count > 1:
            kinds = ", ".join(f"{many} {kind}" for kind, many in self._useless.most_common())
            problem = (
                f"{count} calls in a row brought no answer ({kinds}), and a harmless question of "
                f"our own brought none; {self._meter.so_far}"
            )
        return EvaluatorError(
            f"{self._endpoint.shown} gives no usable reply: {problem}",
            hint="`chaperone doctor` looks into it",
        )

    async def _reserve(self, most: int, output: int) -> Reserved:
        if self._ended is not None:
            raise self._ended
        return await self._meter.reserve(most, output)

    async def _attempt(
        self, body: bytes, reserved: Reserved, slot: Slot, deadline: float
    ) -> Message | Fault:
        try:
            response = await self._send(body, deadline - slot.started)
            message = reply.parse(response.content)
        except asyncio.CancelledError:
            self._meter.fail(reserved, billed=True)
            raise
        except Exception as exc:
            fault = faults.of_exception(exc)
            self._meter.fail(reserved, billed=fault.billed)
            if fault.crowded:
                self._pace.refused(slot)
            if fault.limited and not self._pace.known:
                self._pace.pause(min(fault.wait or 0.0, self._patience.deadline))
            if fault.error is not None:
                raise fault.error from exc
            return fault
        self._meter.settle(reserved, message)
        self._pace.replied(slot)
        self._took(asyncio.get_running_loop().time() - slot.started)
        self._pace.pause(min(faults.pause_for(response.headers), self._patience.deadline))
        return message

    async def _send(self, body: bytes, seconds: float) -> "httpx2.Response":
        import httpx2

        # The SDK's `messages.create` copies and checks a request block by block, which takes longer
        # than the rest of a call together; the body is the same, and so are headers and errors.
        async with asyncio.timeout(min(self._patience.timeout, max(seconds, 0.001))):
            return await self._client.post(
                PATH,
                cast_to=httpx2.Response,
                content=body,
                options={"headers": {"content-type": "application/json"}},
            )

    def _took(self, seconds: float) -> None:
        """Takes note of a reply that took so many seconds."""
        self._replied_at = asyncio.get_running_loop().time()
        self._usual += (seconds - self._usual) / 16

    def _pause(self, fault: Fault, tries: int) -> float:
        """Gives the seconds before the next attempt: what the server asks, or ever more.

        Of a server that replies to others, about as long as a reply takes is enough for another
        moment.
        """
        if fault.wait is not None:
            return max(fault.wait, LEAST_WAIT)
        most: float = min(LONGEST_BACKOFF, self._patience.backoff * 2 ** (tries - 1))
        if asyncio.get_running_loop().time() - self._replied_at < LATELY:
            most = min(most, max(self._usual, LEAST_WAIT) * tries)
        return most * self._jitter.uniform(0.75, 1.0)
