"""What calls take: tokens by kind, and dollars at a price."""

from dataclasses import dataclass, field
from typing import NamedTuple

PER = 1_000_000
"""Prices are US dollars for so many tokens."""


class Tokens(NamedTuple):
    """Tokens by what they are billed as."""

    input: int = 0
    """Read by the model and not kept."""
    write_5m: int = 0
    """Read, and kept in the cache for five minutes."""
    write_1h: int = 0
    """Read, and kept in the cache for an hour."""
    read: int = 0
    """Taken from the cache."""
    output: int = 0

    @property
    def prompt(self) -> int:
        """All tokens that the model was given."""
        return self.input + self.write_5m + self.write_1h + self.read

    def plus(self, other: "Tokens") -> "Tokens":
        """The sums by kind."""
        return Tokens(*(a + b for a, b in zip(self, other, strict=True)))

    def times(self, count: int) -> "Tokens":
        """What so many calls alike take."""
        return self if count == 1 else Tokens(*(count * kind for kind in self))


@dataclass(frozen=True)
class Rates:
    """US dollars for a million tokens, by kind."""

    input: float
    write_5m: float
    write_1h: float
    read: float
    output: float

    def dollars(self, tokens: Tokens) -> float:
        """What `tokens` cost."""
        return (
            tokens.input * self.input
            + tokens.write_5m * self.write_5m
            + tokens.write_1h * self.write_1h
            + tokens.read * self.read
            + tokens.output * self.output
        ) / PER


@dataclass(frozen=True)
class Price:
    """What one model costs."""

    rates: Rates
    long_from: int | None = None
    """Prompt tokens above which a call costs the long rates, all of it."""
    long_rates: Rates | None = None
    batch: float = 0.5
    """What a call in a batch costs, as a share of the same call made at once."""

    def dollars(self, tokens: Tokens, *, batch: bool = False) -> float:
        """What one call costs that took `tokens`."""
        rates = self.rates_for(tokens.prompt)
        return rates.dollars(tokens) * (self.batch if batch else 1.0)

    def rates_for(self, prompt: int) -> Rates:
        """The rates of a call with `prompt` prompt tokens."""
        if self.long_from is not None and self.long_rates is not None and prompt > self.long_from:
            return self.long_rates
        return self.rates

    def most(self, prompt: int, output: int, *, batch: bool = False) -> float:
        """The most that a call of at most so many tokens can cost, in US dollars.

        All of its prompt may have to be written to the cache.
        """
        rates = self.rates_for(prompt)
        dearest = max(rates.input, rates.write_5m)
        dollars = (prompt * dearest + output * rates.output) / PER
        return dollars * (self.batch if batch else 1.0)


@dataclass
class Spend:
    """What the calls of a run took, as the server accounts for them."""

    calls: int = 0
    """Requests sent, the failed ones among them."""
    failed: int = 0
    """Requests that brought no usable reply, and were made again where there was time."""
    unaccounted: int = 0
    """Failed requests that the server may bill all the same, without having told its figures."""
    tokens: Tokens = field(default_factory=Tokens)
    dollars: float | None = 0.0
    """US dollars; None where the model's price is not known."""
    written_off: float = 0.0
    """US dollars that failed requests may have cost besides, at most."""
    estimated: int = 0
    """Answered requests of which the server gave no figures, counted as the most they can be."""
    all_runs: float | None = None
    """US dollars that all runs on the store come to, this one among them; None without a cap on it.

    What calls that failed or are under way may have cost is part of it.
    """

    @property
    def most_dollars(self) -> float:
        """US dollars at most, with what failed requests may have cost."""
        return (self.dollars or 0.0) + self.written_off

    def add(
        self, tokens: Tokens, price: Price | None, *, batch: bool = False, times: int = 1
    ) -> None:
        """Counts what a call took, or each of several alike."""
        self.tokens = self.tokens.plus(tokens.times(times))
        if price is None or self.dollars is None:
            self.dollars = None
        else:
            self.dollars += times * price.dollars(tokens, batch=batch)

    @property
    def shown_dollars(self) -> str:
        """Says what the calls cost: what is known, and what may come on top of it."""
        if self.dollars is None:
            return "price not known"
        said = f"${self.dollars:,.4f}"
        if self.written_off:
            said += f" and at most ${self.written_off:,.4f} more for calls that failed"
        if self.estimated:
            of = "all" if self.estimated == self.calls - self.failed else f"{self.estimated:,}"
            said += f" ({of} replies without figures, counted as the most they can be)"
        if self.all_runs is not None:
            said += f", at most ${self.all_runs:,.4f} by all runs on this store"
        return said

    def estimate(self, tokens: Tokens, dollars: float) -> None:
        """Counts an answered call without figures as `tokens` and `dollars`, its most."""
        self.estimated += 1
        self.tokens = self.tokens.plus(tokens)
        if self.dollars is not None:
            self.dollars += dollars
