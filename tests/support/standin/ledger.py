"""Every call that the stand-in took, and what it would have been billed."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.support.standin.models import Model

WRITE_5M, WRITE_1H, BATCH = 1.25, 2.0, 0.5


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call."""

    input: int = 0
    """Input tokens neither read from the cache nor written to it."""
    write_5m: int = 0
    write_1h: int = 0
    read: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All input tokens."""
        return self.input + self.write_5m + self.write_1h + self.read

    def billed(self, model: Model, *, batch: bool = False) -> float:
        """Gives the input in base-input equivalents: full-price tokens that cost the same."""
        weighted = (
            self.input
            + WRITE_5M * self.write_5m
            + WRITE_1H * self.write_1h
            + model.read * self.read
        )
        return weighted * self._factor(model) * (BATCH if batch else 1)

    def dollars(self, model: Model, *, batch: bool = False) -> float:
        """Gives what input and output cost."""
        output = self.output * self._factor(model) * (BATCH if batch else 1)
        return (self.billed(model, batch=batch) * model.input + output * model.output) / 1e6

    def _factor(self, model: Model) -> float:
        dear = model.dear_above is not None and self.prompt > model.dear_above
        return model.dear if dear else 1.0


@dataclass(frozen=True, slots=True)
class Call:
    """One call, or one request of a batch."""

    number: int
    at: float
    """By the stand-in's clock."""
    kind: str
    """`message` or `batch`."""
    status: int
    """Of HTTP; 0 where the client was gone before the reply or got none."""
    fault: str | None = None
    conversation: str | None = None
    turn: int | None = None
    passes: int | None = None
    """The number of the pass, by the order of arrival."""
    answer: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    billed: float = 0.0
    dollars: float = 0.0


@dataclass
class Ledger:
    """The calls so far."""

    calls: list[Call] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    """All HTTP requests by method and route."""
    at_once: int = 0
    """Votes under way."""
    most_at_once: int = 0

    def add(self, at: float, kind: str, status: int, **facts: Any) -> None:
        """Enters one call."""
        self.calls.append(Call(len(self.calls) + 1, at, kind, status, **facts))

    def begin(self) -> None:
        """Counts a vote that is under way."""
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)

    def end(self) -> None:
        """Counts a vote that is over."""
        self.at_once -= 1

    @property
    def answered(self) -> list[Call]:
        """The calls that were given an answer."""
        return [call for call in self.calls if call.answer is not None]

    def clear(self) -> None:
        """Forgets all calls, so that a second run is counted by itself."""
        self.calls.clear()
        self.requests.clear()
        self.most_at_once = self.at_once

    def totals(self) -> dict[str, Any]:
        """Gives the sums."""
        by_status = Counter(str(call.status) for call in self.calls)
        faults = Counter(call.fault for call in self.calls if call.fault is not None)
        parts = ("input", "write_5m", "write_1h", "read", "output", "prompt")
        return {
            "calls": len(self.calls),
            "answered": len(self.answered),
            "by_status": dict(by_status),
            "faults": dict(faults),
            "tokens": {part: sum(getattr(c.usage, part) for c in self.calls) for part in parts},
            "billed_input": sum(call.billed for call in self.calls),
            "dollars": sum(call.dollars for call in self.calls),
            "most_at_once": self.most_at_once,
            "requests": dict(self.requests),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Gives the calls as `GET /__ledger` shows them."""
        return [asdict(call) for call in self.calls]
