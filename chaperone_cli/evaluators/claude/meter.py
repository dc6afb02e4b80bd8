"""Counts what calls take, and stops a run before it takes more than it may."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chaperone_cli.domain.cost import Price, Spend, Tokens
from chaperone_cli.errors import BudgetExhausted, UsageError
from chaperone_cli.evaluators.claude.ledger import Ledger


def tokens_of(usage: object) -> Tokens:
    """Reads the `usage` of a message; what a server does not say counts as 0."""
    if not isinstance(usage, Mapping):
        return Tokens()
    written = _number(usage.get("cache_creation_input_tokens"))
    split = usage.get("cache_creation")
    hour = _number(split.get("ephemeral_1h_input_tokens")) if isinstance(split, Mapping) else 0
    return Tokens(
        input=_number(usage.get("input_tokens")),
        write_5m=max(0, written - hour),
        write_1h=hour,
        read=_number(usage.get("cache_read_input_tokens")),
        output=_number(usage.get("output_tokens")),
    )


@dataclass(frozen=True, slots=True)
class Reserved:
    """What is set aside for one call: the most that it can take."""

    prompt: int
    output: int
    dollars: float


class Meter:
    """Spend so far, what the calls under way may add to it, and how much it may come to."""

    def __init__(
        self,
        price: Price | None,
        *,
        max_cost: float | None = None,
        max_calls: int | None = None,
        max_total: float | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        """Raises UsageError for a limit on cost where no price, or no ledger, is known."""
        for name, limit in (("max-cost", max_cost), ("max-cost-total", max_total)):
            if limit is not None and price is None:
                raise UsageError(
                    f"--{name} needs the model's price, which is not known",
                    hint="state the price in a file for --prices, or limit the run with "
                    "--max-calls",
                )
        if max_total is not None and ledger is None:
            raise UsageError(
                "--max-cost-total counts what is noted in the vote store, and there is none",
                hint="leave out --no-store, or limit this run alone with --max-cost",
            )
        self.spend = Spend(dollars=None if price is None else 0.0)
        self._price = price
        self._max_cost = max_cost
        self._max_calls = max_calls
        self._max_total = max_total
        self._ledger = ledger if price is not None else None
        self._reserved = 0.0
        self._under_way = 0
        self._over = False
        self._settled = asyncio.Event()

    def enter_loop(self) -> None:
        """Waits from now on in another event loop."""
        self._settled = asyncio.Event()

    async def reserve(self, prompt: int, output: int) -> Reserved:
        """Waits until a call is sure to stay within the limits and gives what is set aside.

        `prompt` and `output` are the most tokens that it can take. Where calls under way may take
        the rest of the budget, it waits for them, so that what they bring is saved; raises
        BudgetExhausted once there is nothing left to wait for.
        """
        most = self._most(prompt, output)
        while self._over or not self._fits(most, 1):
            # A smaller call might still fit, but nothing may start that the end would cut short.
            if self._over or not self._under_way:
                self._over = True
                self._settled.set()
                raise self._exhausted()
            self._settled.clear()
            await self._settled.wait()
        self._under_way += 1
        self._reserved += most
        self._note(0.0, most)
        self.spend.calls += 1
        return Reserved(prompt, output, most)

    def reserve_batch(self, requests: Sequence[tuple[int, int]]) -> float:
        """Sets aside the dollars for one batch of requests; raises BudgetExhausted.

        Each is given by the most tokens of its prompt and the most of its reply.
        """
        most = sum(self._most(prompt, output, batch=True) for prompt, output in requests)
        if not self._fits(most, len(requests)):
            raise self._exhausted()
        self._reserved += most
        self.spend.calls += len(requests)
        return most

    def hold_batch(self, batch: int, reserved: float) -> None:
        """Notes what is set aside for `batch`, for the runs that come before its results."""
        if self._ledger is not None:
            self._ledger.hold(batch, reserved)

    def settle(self, reserved: Reserved, message: Mapping[str, Any]) -> None:
        """Takes note of the reply `message`; one that says nothing of its cost took the most."""
        tokens = tokens_of(message.get("usage"))
        before = self.spend.dollars or 0.0
        if tokens.prompt and (tokens.output or not message.get("content")):
            self.spend.add(tokens, self._price)
        else:
            most = Tokens(input=reserved.prompt, output=reserved.output)
            self.spend.estimate(most, reserved.dollars)
        self._release(reserved, (self.spend.dollars or 0.0) - before)

    def record_batch(self, tokens: Tokens, most: float) -> None:
        """Counts what one request of a batch took: at most so many dollars where it is not said."""
        before = self.spend.dollars or 0.0
        if tokens.prompt:
            self.spend.add(tokens, self._price, batch=True)
        else:
            self.spend.estimate(tokens, most)
        self._note((self.spend.dollars or 0.0) - before, 0.0)

    def release_batch(self, batch: int, reserved: float) -> None:
        """Gives back what was set aside for a batch, once its results are recorded."""
        self._reserved -= reserved
        if self._ledger is not None:
            self._ledger.free(batch)

    def fail(self, reserved: Reserved, *, billed: bool) -> None:
        """Takes note of a call without a usable reply, which the server may have `billed`."""
        self.spend.failed += 1
        if billed:
            self.spend.unaccounted += 1
            self.spend.written_off += reserved.dollars
        self._release(reserved, reserved.dollars if billed else 0.0)

    @property
    def idle(self) -> bool:
        """Says whether no call is under way."""
        return not self._under_way

    async def drained(self, seconds: float) -> None:
        """Waits until no call is under way, for at most so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while self._under_way:
                    self._settled.clear()
                    await self._settled.wait()
        except TimeoutError:
            return

    def _release(self, reserved: Reserved, spent: float) -> None:
        self._under_way -= 1
        self._reserved -= reserved.dollars
        self._note(spent, -reserved.dollars)
        self._settled.set()

    def _note(self, spent: float, set_aside: float) -> None:
        if self._ledger is not None:
            self._ledger.note(spent, set_aside)

    def _most(self, prompt: int, output: int, *, batch: bool = False) -> float:
        return 0.0 if self._price is None else self._price.most(prompt, output, batch=batch)

    def _fits(self, most: float, calls: int) -> bool:
        if self._max_calls is not None and self.spend.calls + calls > self._max_calls:
            return False
        spent = self.spend.most_dollars + self._reserved
        if self._max_cost is not None and spent + most > self._max_cost:
            return False
        return self._max_total is None or self._total() + most <= self._max_total

    def _total(self) -> float:
        return 0.0 if self._ledger is None else self._ledger.total()

    def total_up(self) -> None:
        """Brings up to date what all runs on the store come to, where that is capped."""
        if self._max_total is not None:
            self.spend.all_runs = self._total()

    @property
    def so_far(self) -> str:
        """Says what the run has taken."""
        spent = f"{self.spend.calls} calls"
        return spent if self._price is None else f"{spent}, {self.spend.shown_dollars}"

    def _exhausted(self) -> BudgetExhausted:
        self.total_up()
        so_far = f"{self.so_far} so far"
        limits = [
            *([f"--max-calls {self._max_calls}"] if self._max_calls is not None else []),
            *([f"--max-cost {self._max_cost:g}"] if self._max_cost is not None else []),
        ]
        if self._max_total is not None:
            limits.append(f"--max-cost-total {self._max_total:g}")
        return BudgetExhausted(
            f"the next call could exceed {' or '.join(limits)} ({so_far})",
            hint="run the same command again with a higher limit",
        )


def _number(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0
