"""What a screen would have kept from the vote at every level, and what that would have cost.

Measured against votes on all turns: a turn is passed on at a level where the highest suspicion
within reach of it is at least that level, so that one reading of a log tells of every level.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chaperone_cli.domain.metrics.counting import label_order
from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.proportion import Proportion
from chaperone_cli.domain.screening import neighbourhoods
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict

LEVELS = tuple(tenths / 10 for tenths in range(-100, 101))
"""The levels, in log odds, that are measured and that can be suggested."""
MOST_NAMED = 1000
"""Displaced conversations that are named; later ones are only counted."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a log holds, or the part of it that is screened out at a level."""

    turns: int
    votes: int
    """Votes cast on them; with early stopping, those that it leaves."""
    blocking: int
    """Turns that the votes block."""
    undecided: int
    """Turns that abstentions leave open."""
    conversations: int
    """Conversations; at a level, those of which every turn is screened out."""


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """What happens at one level."""

    level: float
    screened_out: Counts
    missed: int
    """Blocked conversations of which every blocking turn is screened out."""
    delays: Distribution
    """Turns by which the first blocks of the others come later; 0 where they stay."""

    @property
    def delayed(self) -> int:
        """Blocked conversations whose first block comes later."""
        return self.delays.size - self.delays.below(1)

    @property
    def displaced(self) -> int:
        """Blocked conversations whose first block is missed or comes later."""
        return self.missed + self.delayed


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """What happens to the conversations of one label at the level in force."""

    label: str | None
    """None for those without one."""
    all: Counts
    blocked: int
    figures: LevelFigures


@dataclass(frozen=True, slots=True)
class Displaced:
    """A blocked conversation whose first block the level in force misses or delays."""

    conversation: str
    label: str | None
    first_block: int
    screened: int | None
    """Its first blocking turn that is passed on; None where there is none."""


@dataclass(frozen=True)
class Calibration:
    """The figures of every level, and the level to suggest."""

    all: Counts
    blocked: int
    """Conversations that the votes block."""
    levels: tuple[LevelFigures, ...]
    """By rising level."""
    in_force: LevelFigures
    labels: tuple[LabelFigures, ...]
    displaced: tuple[Displaced, ...]
    """At the level in force, in the order of the log."""

    def share_displaced(self, figures: LevelFigures) -> float:
        """The share of the blocked conversations that a level displaces, from 0 to 1."""
        return Proportion(figures.displaced, self.blocked).rate or 0.0

    def suggested(self, most: float) -> LevelFigures | None:
        """The highest level that displaces at most the share `most` of first blocks.

        None where no conversation is blocked, so that nothing could have been missed.
        """
        if not self.blocked:
            return None
        fitting = [one for one in self.levels if self.share_displaced(one) <= most]
        return fitting[-1] if fitting else None


def _order(label: str | None) -> tuple[bool, tuple[int, str]]:
    return label is None, label_order(label or "")


@dataclass
class _Tally:
    """Counts by the number of levels, from the lowest, at which something is passed on."""

    turns: Counter[int] = field(default_factory=Counter)
    votes: Counter[int] = field(default_factory=Counter)
    blocking: Counter[int] = field(default_factory=Counter)
    undecided: Counter[int] = field(default_factory=Counter)
    conversations: Counter[int] = field(default_factory=Counter)
    missed: Counter[int] = field(default_factory=Counter)
    """Blocked conversations by the levels at which a blocking turn is passed on."""
    delays: dict[int, Counter[int]] = field(default_factory=dict)
    """By the number of the level, from 0: how often which delay."""

    def add(self, verdict: ConversationVerdict, passed: Sequence[int]) -> None:
        """Counts a conversation, turn k of which is passed on at the lowest `passed[k-1]` levels.

        `passed` covers all turns of the conversation, also those that were not voted on.
        """
        found = [(turn, passed[turn.turn - 1]) for turn in verdict.turns]
        for turn, levels in found:
            self.turns[levels] += 1
            self.votes[levels] += len(turn.votes)
            self.blocking[levels] += turn.verdict is Verdict.BLOCK
            self.undecided[levels] += turn.verdict is Verdict.UNDECIDED
        if found:
            self.conversations[max(levels for _, levels in found)] += 1
        blocking = [(turn.turn, n) for turn, n in found if turn.verdict is Verdict.BLOCK]
        if blocking:
            self._add_blocked(blocking)

    def _add_blocked(self, blocking: Sequence[tuple[int, int]]) -> None:
        first, reached = blocking[0][0], 0
        for turn, levels in blocking:
            for level in range(reached, levels):
                self.delays.setdefault(level, Counter())[turn - first] += 1
            reached = max(reached, levels)
        self.missed[reached] += 1

    def figures(self, levels: Sequence[float]) -> tuple[LevelFigures, ...]:
        """The figures of all levels."""
        return tuple(
            LevelFigures(
                level,
                Counts(*(_up_to(counts, place) for counts in self._counts)),
                _up_to(self.missed, place),
                Distribution.of(self.delays.get(place, {})),
            )
            for place, level in enumerate(levels)
        )

    @property
    def all(self) -> Counts:
        """Everything counted."""
        return Counts(*(counts.total() for counts in self._counts))

    @property
    def _counts(self) -> tuple[Counter[int], ...]:
        return (self.turns, self.votes, self.blocking, self.undecided, self.conversations)


def _up_to(counts: Counter[int], place: int) -> int:
    """Counts what is not passed on at level number `place`: at no more levels than lie below it."""
    return sum(count for levels, count in counts.items() if levels <= place)


class CalibrationBuilder:
    """Adds up conversations on all of whose turns votes were cast; keeps counts, and no votes."""

    def __init__(self, level: float, reach: int) -> None:
        """`level` is the one in force."""
        self._levels = tuple(sorted({*LEVELS, level}))
        self._level, self._reach = level, reach
        self._all = _Tally()
        self._labels: dict[str | None, _Tally] = {}
        self._displaced: list[Displaced] = []

    def add(self, verdict: ConversationVerdict, suspicions: Iterable[float]) -> None:
        """Counts one conversation, with the suspicion of each of its turns."""
        near = list(neighbourhoods(suspicions, self._reach))
        passed = [bisect_right(self._levels, one) for one in near]
        self._all.add(verdict, passed)
        self._labels.setdefault(verdict.label or None, _Tally()).add(verdict, passed)
        self._name(verdict, near)

    def _name(self, verdict: ConversationVerdict, near: Sequence[float]) -> None:
        first = verdict.first_block
        if first is None or near[first.turn - 1] >= self._level:
            return
        blocking = (turn.turn for turn in verdict.turns if turn.verdict is Verdict.BLOCK)
        screened = next((turn for turn in blocking if near[turn - 1] >= self._level), None)
        if len(self._displaced) < MOST_NAMED:
            self._displaced.append(
                Displaced(verdict.conversation, verdict.label, first.turn, screened)
            )

    def calibration(self) -> Calibration:
        """The figures of all conversations so far."""
        place = self._levels.index(self._level)
        levels = self._all.figures(self._levels)
        ordered = sorted(self._labels.items(), key=lambda item: _order(item[0]))
        return Calibration(
            self._all.all,
            self._all.missed.total(),
            levels,
            levels[place],
            tuple(
                LabelFigures(
                    label, tally.all, tally.missed.total(), tally.figures(self._levels)[place]
                )
                for label, tally in ordered
            ),
            tuple(self._displaced),
        )
