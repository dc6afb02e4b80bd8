"""What an audit would take, before it takes anything: calls, tokens and dollars, several ways.

Pure arithmetic over the sizes of turns and the votes expected on them. With P tokens of
instructions, s of the question, o of a reply and L(t) of the conversation up to turn t, a vote
asked the paper's way takes P + L(t) + s input tokens. With a prompt cache the first vote on a turn
reads what the last call on the conversation wrote, writes what is new, and takes s at full price;
further votes on the turn read P + L(t).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from chaperone_cli.domain.cost import Price, Spend, Tokens


class Way(StrEnum):
    """A way of asking for the votes."""

    PAPER = "paper"
    """All N votes on every turn, each with the whole conversation at full price."""
    EARLY = "early stopping"
    """Only the votes that can still change a verdict."""
    CACHED = "with caching"
    """Early stopping, and the conversation so far is read from the prompt cache."""
    BATCHED = "in batches"
    """Early stopping in message batches, at half price and without counting on the cache."""
    THIS_RUN = "this run"
    """What is left to ask, as the settings say; votes already cast are not asked again."""


@dataclass(frozen=True)
class Shape:
    """What every call of a run takes, in tokens, and how the run goes about it."""

    instructions: int
    question: int
    reply: int
    least_cached: int | None = None
    """The shortest prefix that the cache keeps; None where there is no cache."""
    batch: bool = False
    """This run uses message batches."""


class TurnLoad(NamedTuple):
    """One turn that is voted on."""

    conversation: int
    """Tokens of the conversation up to and including the turn."""
    votes: int
    """Votes that early stopping is expected to ask for."""
    left: int
    """Those of them that were not cast before."""


@dataclass
class Estimate:
    """What the conversations added so far would take, by the way of asking."""

    shape: Shape
    passes: int
    price: Price | None
    turns: int = 0
    """Turns that are voted on."""
    conversations: int = 0
    ways: dict[Way, Spend] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for way in Way:
            self.ways[way] = Spend(dollars=None if self.price is None else 0.0)

    def add(self, loads: Iterable[TurnLoad]) -> None:
        """Counts one conversation."""
        turns = list(loads)
        self.conversations += 1
        self.turns += len(turns)
        for load in turns:
            whole = self._uncached(load)
            self._count(Way.PAPER, whole, self.passes)
            self._count(Way.EARLY, whole, load.votes)
            self._count(Way.BATCHED, whole, load.votes, batch=True)
            if self.shape.batch:
                self._count(Way.THIS_RUN, whole, load.left, batch=True)
        self._cached(Way.CACHED, [(load.conversation, load.votes) for load in turns])
        if not self.shape.batch:
            self._cached(Way.THIS_RUN, [(load.conversation, load.left) for load in turns])

    def _cached(self, way: Way, turns: list[tuple[int, int]]) -> None:
        shape, held = self.shape, self._kept(self.shape.instructions)
        for conversation, votes in turns:
            if not votes:
                continue
            prefix = shape.instructions + conversation
            if self._kept(prefix):
                first = Tokens(shape.question, prefix - held, 0, held, shape.reply)
                again = Tokens(shape.question, 0, 0, prefix, shape.reply)
                held = prefix
            else:
                first = again = Tokens(prefix + shape.question, 0, 0, 0, shape.reply)
            self._count(way, first, 1)
            self._count(way, again, votes - 1)

    def _kept(self, prefix: int) -> int:
        """The part of a prefix that the cache keeps: all of it, or nothing."""
        least = self.shape.least_cached
        return prefix if least is not None and prefix >= least else 0

    def _uncached(self, load: TurnLoad) -> Tokens:
        shape = self.shape
        prompt = shape.instructions + load.conversation + shape.question
        return Tokens(input=prompt, output=shape.reply)

    def _count(self, way: Way, tokens: Tokens, times: int, *, batch: bool = False) -> None:
        if times > 0:
            spend = self.ways[way]
            spend.calls += times
            spend.add(tokens, self.price, batch=batch, times=times)
