"""Which conversations of a log are audited, and why the others are not."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from hashlib import blake2b
from typing import Any

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.errors import UsageError

_DAY = len("2026-01-31")


class Omission(StrEnum):
    """Why a conversation was left out."""

    WHERE = "where"
    """A condition does not hold for it."""
    SINCE = "since"
    """It ended before the time asked for."""
    UNTIL = "until"
    """It began after the time asked for."""
    UNDATED = "undated"
    """A time was asked for, and its log tells none."""
    SAMPLE = "sample"
    """It was not drawn."""


@dataclass
class LeftOut:
    """What a selection left out so far."""

    reasons: Counter[Omission] = field(default_factory=Counter)
    limited: bool = False
    """The limit was reached, so that nothing behind it was read."""

    def __bool__(self) -> bool:
        return self.limited or bool(self.reasons.total())


@dataclass(frozen=True)
class Condition:
    """A fact that must hold: `meta.model=gpt-4*`, `label!=neutral`, `id=c-17`."""

    path: tuple[str, ...]
    pattern: str
    """With `*`, `?` and `[...]` as in file names."""
    negated: bool = False

    @classmethod
    def parse(cls, text: str) -> "Condition":
        """Reads a condition; raises UsageError."""
        name, equals, pattern = text.partition("=")
        negated = name.endswith("!")
        path = tuple(name.removesuffix("!").strip().split("."))
        known = path in (("id",), ("label",)) or (path[0] == "meta" and len(path) > 1 and path[-1])
        if not equals or not known:
            raise UsageError(
                f"cannot select by {text[:80]!r}",
                hint="write a condition such as meta.model=gpt-4o, label!=neutral or id=c-1*",
            )
        return cls(path, pattern.strip(), negated)

    def holds(self, conversation: Conversation) -> bool:
        """Whether it holds; one on a fact that the log does not tell holds only if negated."""
        return any(fnmatchcase(v, self.pattern) for v in self._values(conversation)) != self.negated

    def _values(self, conversation: Conversation) -> list[str]:
        value: Any = conversation.meta
        if self.path[0] != "meta":
            value = getattr(conversation, self.path[0])
        for key in self.path[1:]:
            value = value.get(key) if isinstance(value, Mapping) else None
        values = value if isinstance(value, list) else [value]
        return [_shown(each) for each in values if isinstance(each, str | int | float)]


@dataclass(frozen=True)
class Selection:
    """What to audit of a log; everything, where nothing is asked for."""

    where: tuple[Condition, ...] = ()
    """All of them must hold."""
    since: datetime | None = None
    """Conversations that went on at this moment or later."""
    until: datetime | None = None
    """Conversations that had begun before this moment."""
    sample: int | None = None
    """How many to draw of those that the above leaves, or all where they are fewer."""
    seed: int = 0
    limit: int | None = None
    """How many to audit of those that the above leaves, the first ones."""

    def over(
        self, items: Iterable[Conversation | Problem], left_out: LeftOut
    ) -> Iterator[Conversation | Problem]:
        """What is selected of `items`, in their order, and every problem met on the way.

        Counts the others in `left_out`. A sample is given at the end, and held until then.
        """
        chosen = self._matching(items, left_out)
        if self.sample is not None:
            chosen = self._drawn(chosen, self.sample, left_out)
        return chosen if self.limit is None else _first(chosen, self.limit, left_out)

    def _matching(
        self, items: Iterable[Conversation | Problem], left_out: LeftOut
    ) -> Iterator[Conversation | Problem]:
        for item in items:
            if isinstance(item, Problem) or (reason := self._against(item)) is None:
                yield item
            else:
                left_out.reasons[reason] += 1

    def _against(self, conversation: Conversation) -> Omission | None:
        if not all(condition.holds(conversation) for condition in self.where):
            return Omission.WHERE
        if self.since is None and self.until is None:
            return None
        times = list(_times(conversation))
        if not times:
            return Omission.UNDATED
        if self.since is not None and max(times) < self.since:
            return Omission.SINCE
        return Omission.UNTIL if self.until is not None and min(times) >= self.until else None

    def _drawn(
        self, items: Iterable[Conversation | Problem], size: int, left_out: LeftOut
    ) -> Iterator[Conversation | Problem]:
        """Draws the conversations whose ids hash lowest: ids alone decide, not their order.

        So a log that grew, or was split into files, keeps most of its sample.
        """
        heap: list[tuple[int, int, Conversation]] = []
        for order, item in enumerate(items):
            if isinstance(item, Problem):
                yield item
                continue
            entry = (-_hash(self.seed, item.id), -order, item)
            if len(heap) < size:
                heapq.heappush(heap, entry)
            else:
                left_out.reasons[Omission.SAMPLE] += 1
                if heap:
                    heapq.heappushpop(heap, entry)
        for _, _, conversation in sorted(heap, key=lambda entry: -entry[1]):
            yield conversation


def moment(text: str, *, end_of_day: bool = False) -> datetime:
    """Reads a date or an ISO 8601 time, in UTC where it names no zone; raises ValueError.

    A date is its first moment, or with `end_of_day` the first moment of the next day.
    """
    read = datetime.fromisoformat(text)
    if end_of_day and len(text) <= _DAY:
        read += timedelta(days=1)
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)


def _times(conversation: Conversation) -> Iterator[datetime]:
    told = [conversation.meta.get(key) for key in ("created_at", "updated_at")]
    for text in (*told, *(message.at for message in conversation.messages)):
        if isinstance(text, str):
            with suppress(ValueError, OverflowError):
                yield moment(text)


def _first(
    items: Iterable[Conversation | Problem], limit: int, left_out: LeftOut
) -> Iterator[Conversation | Problem]:
    given = 0
    for item in items:
        given += not isinstance(item, Problem)
        if given > limit:
            left_out.limited = True
            return
        yield item


def _hash(seed: int, id: str) -> int:
    data = f"{seed}\0{id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=16).digest(), "big")


def _shown(value: str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
