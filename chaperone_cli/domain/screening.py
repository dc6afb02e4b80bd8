"""Which turns of a conversation a screen passes on to the evaluator, and which it screens out.

A turn is passed on where its suspicion reaches the level, and so are the turns within reach of it,
before and after: what a reader of the whole conversation notices may stand a turn or two before the
words that a screen goes by. Choosing may therefore look ahead; the evaluator is still shown each
turn with nothing but what came before it.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

REACH = 2
"""Turns before and after a suspicious one that are passed on too, where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class Screening:
    """How a run screens turns: part of what shapes its verdicts."""

    screen: str
    """The screen's name."""
    version: str
    """What changes when its suspicions do: a digest of weights."""
    level: float
    """The suspicion, in log odds, from which turns are passed on."""
    reach: int = REACH

    def __str__(self) -> str:
        return f"{self.screen} {self.version}, level {self.level:g}, reach {self.reach}".strip()

    def screened_out(self, suspicions: Iterable[float]) -> frozenset[int]:
        """The numbers, from 1, of the turns that are not passed on."""
        near = neighbourhoods(suspicions, self.reach)
        return frozenset(number for number, one in enumerate(near, 1) if one < self.level)


def neighbourhoods(suspicions: Iterable[float], reach: int) -> Iterator[float]:
    """For every turn the highest suspicion within `reach` turns of it, itself included.

    That is the highest level at which the turn is passed on. It reads `reach` turns ahead.
    """
    near: deque[float] = deque([-inf] * reach, maxlen=2 * reach + 1)
    waiting = 0
    for suspicion in suspicions:
        near.append(suspicion)
        waiting += 1
        if waiting > reach:
            waiting -= 1
            yield max(near)
    for _ in range(waiting):
        near.append(-inf)
        yield max(near)
