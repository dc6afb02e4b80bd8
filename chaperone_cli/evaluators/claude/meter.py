"""Counts what calls take, and stops a run before it takes more than it may."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from chaperone_cli.domain.cost import Price, Spend, Tokens
from chaperone_cli.errors import BudgetExhausted, UsageError


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


class Meter:
    """Spend so far, what the calls under way may add to it, and how much it may come to."""

    def __init__(
        self,
        price: Price | None,
        *,
        max_cost: float | None = None,
        max_calls: int | None = None,
    ) -> None:
        """Raises UsageError for a limit on cost where no price is known."""
        if max_cost is not None and price is None:
            raise UsageError(
                "--max-cost needs the model's price, which is not known",
                hint="state the price in a file for --prices, or limit the run with --max-calls",
            )
        self.spend = Spend(dollars=None if price is None else 0.0)
        self._price = price
        self._max_cost = max_cost
        self._max_calls = max_calls
        self._written_off = 0.0
        """Dollars of calls that failed after the server may have billed them."""
        self._reserved = 0.0
        self._under_way = 0
        self._over = False
        self._settled = asyncio.Event()

    def enter_loop(self) -> None:
        """Waits from now on in another event loop."""
        self._settled = asyncio.Event()

    async def reserve(self, prompt: int, output: int) -> float:
        """Waits until a call is sure to stay within the limits and gives the dollars set aside.

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
        self.spend.calls += 1
        return most

    def reserve_batch(self, prompts: Sequence[int], output: int) -> float:
        """Sets aside the dollars for one batch of requests; raises BudgetExhausted.

        `prompts` are the most prompt tokens of each, `output` the most tokens of each reply.
        """
        most = sum(self._most(prompt, output, batch=True) for prompt in prompts)
        if not self._fits(most, len(prompts)):
            raise self._exhausted()
        self._reserved += most
        self.spend.calls += len(prompts)
        return most

    def settle(self, reserved: float, tokens: Tokens) -> None:
        """Takes note of a reply that took `tokens`."""
        self.record(tokens)
        self._release(reserved)

    def record(self, tokens: Tokens, *, batch: bool = False) -> None:
        """Counts what one call took."""
        self.spend.add(tokens, self._price, batch=batch)

    def release_batch(self, reserved: float) -> None:
        """Gives back what was set aside for a batch, once its results are recorded."""
        self._reserved -= reserved

    def fail(self, reserved: float, *, billed: bool) -> None:
        """Takes note of a call without a usable reply, which the server may have `billed`."""
        self.spend.failed += 1
        if billed:
            self.spend.unaccounted += 1
            self._written_off += reserved
        self._release(reserved)

    async def drained(self, seconds: float) -> None:
        """Waits until no call is under way, for at most so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while self._under_way:
                    self._settled.clear()
                    await self._settled.wait()
        except TimeoutError:
            return

    def _release(self, reserved: float) -> None:
        self._under_way -= 1
        self._reserved -= reserved
        self._settled.set()

    def _most(self, prompt: int, output: int, *, batch: bool = False) -> float:
        return 0.0 if self._price is None else self._price.most(prompt, output, batch=batch)

    def _fits(self, most: float, calls: int) -> bool:
        if self._max_calls is not None and self.spend.calls + calls > self._max_calls:
            return False
        if self._max_cost is None:
            return True
        spent = (self.spend.dollars or 0.0) + self._written_off + self._reserved
        return spent + most <= self._max_cost

    def _exhausted(self) -> BudgetExhausted:
        spent = f"{self.spend.calls} calls"
        if self.spend.dollars is not None:
            spent += f", ${self.spend.dollars:.4f}"
        limits = [
            *([f"--max-calls {self._max_calls}"] if self._max_calls is not None else []),
            *([f"--max-cost {self._max_cost:g}"] if self._max_cost is not None else []),
        ]
        return BudgetExhausted(
            f"the next call could exceed {' or '.join(limits)} ({spent} so far)",
            hint="run the same command again with a higher limit",
        )


def _number(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0
