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

HITS_AT_BEST, HITS, HITS_AT_WORST = 0.98, 0.5, 0.3
"""The share of a batch's requests that find what was cached: the vendor says 30 % to 98 %."""


class Way(StrEnum):
    """A way of asking for the votes."""

    PAPER = "paper"
    """All N votes on every turn, each with the whole conversation at full price."""
    EARLY = "early stopping"
    """Only the votes that can still change a verdict."""
    CACHED = "with caching"
    """Early stopping, and the conversation so far is read from the prompt cache."""
    BATCHED = "in batches"
    """Early stopping in message batches, at half price, of which some find what was cached."""
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
    fewest: int = 1
    """The fewest votes that can settle it."""


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
    """With the votes that are expected."""
    least: dict[Way, Spend] = field(default_factory=dict)
    """The same where every turn is settled by the fewest votes."""
    most: dict[Way, Spend] = field(default_factory=dict)
    """The same where every turn takes all votes."""

    def __post_init__(self) -> None:
        for spends in (self.ways, self.least, self.most):
            for way in Way:
                spends[way] = Spend(dollars=None if self.price is None else 0.0)

    def add(self, loads: Iterable[TurnLoad]) -> None:
        """Counts one conversation."""
        turns = list(loads)
        self.conversations += 1
        self.turns += len(turns)
        for load in turns:
            whole = self._uncached(load.conversation)
            self._count(self.ways[Way.PAPER], whole, self.passes)
            self._count(self.ways[Way.EARLY], whole, load.votes)
        expected = [(load.conversation, load.votes) for load in turns]
        fewest = [(load.conversation, load.fewest) for load in turns]
        all_votes = [(load.conversation, self.passes) for load in turns]
        self.compare(self.ways, expected)
        self.compare(self.least, fewest, HITS_AT_BEST)
        self.compare(self.most, all_votes, HITS_AT_WORST)
        left = [(load.conversation, load.left) for load in turns]
        self._cached(self.ways[Way.THIS_RUN], left, HITS if self.shape.batch else None)

    def compare(
        self,
        spends: dict[Way, Spend],
        turns: list[tuple[int, int]],
        hits: float = HITS,
        *,
        again: bool = False,
    ) -> None:
        """Adds votes to `spends` both as they cost one by one, with the cache, and in batches.

        `turns` are one conversation's in order: the tokens up to each, and the votes on it. With
        `again` these are not the first votes on them.
        """
        self._cached(spends[Way.CACHED], turns, again=again)
        self._cached(spends[Way.BATCHED], turns, hits, again=again)

    def _cached(
        self,
        spend: Spend,
        turns: list[tuple[int, int]],
        hits: float | None = None,
        *,
        again: bool = False,
    ) -> None:
        """Adds votes that read what is in the cache, or in a batch a share of `hits` of it."""
        shape, held = self.shape, self._kept(self.shape.instructions)
        batch, share = hits is not None, 1.0 if hits is None else hits
        for conversation, votes in turns:
            if not votes:
                continue
            prefix = shape.instructions + conversation
            if self._kept(prefix):
                first, later = (
                    Tokens(shape.question, prefix - found, 0, found, shape.reply)
                    for found in (int(share * held), int(share * prefix))
                )
                held = prefix
            else:
                first = later = Tokens(prefix + shape.question, 0, 0, 0, shape.reply)
            self._count(spend, later if again else first, 1, batch=batch)
            self._count(spend, later, votes - 1, batch=batch)

    def _kept(self, prefix: int) -> int:
        """The part of a prefix that the cache keeps: all of it, or nothing."""
        least = self.shape.least_cached
        return prefix if least is not None and prefix >= least else 0

    def _uncached(self, conversation: int) -> Tokens:
        shape = self.shape
        prompt = shape.instructions + conversation + shape.question
        return Tokens(input=prompt, output=shape.reply)

    def _count(self, spend: Spend, tokens: Tokens, times: int, *, batch: bool = False) -> None:
        if times > 0:
            spend.calls += times
            spend.add(tokens, self.price, batch=batch, times=times)
