"""Compares two texts word by word."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from chaperone_cli.domain.passage import words

_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|\s+|[^\w\s]+")


ALIKE = 0.3
"""The share of common words below which two texts have little in common."""

MOST_EFFORT = 2_000_000
"""Pairs of equal tokens up to which texts are compared: about a second."""


class Change(StrEnum):
    """What became of a stretch."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


class Stretch(NamedTuple):
    """A stretch of text that is in both texts, or in one of them."""

    change: Change
    text: str


def word_diff(before: str, after: str) -> tuple[Stretch, ...]:
    """The stretches that turn `before` into `after`.

    Those kept and removed add up to `before`, those kept and added to `after`. Texts that have
    little in common, or are too long to be compared, are given as one replaced by the other.
    """
    if before == after:
        return (Stretch(Change.KEPT, before),) if before else ()
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    said_before, said_after = words(before), words(after)
    if max(_effort(old, new), _effort(said_before, said_after)) > MOST_EFFORT:
        return _merged([Stretch(Change.REMOVED, before), Stretch(Change.ADDED, after)])
    if SequenceMatcher(None, said_before, said_after, autojunk=False).ratio() < ALIKE:
        return _merged([Stretch(Change.REMOVED, before), Stretch(Change.ADDED, after)])
    return _merged(_stretches(old, new))


def _effort(old: Sequence[str], new: Sequence[str]) -> int:
    """Counts the pairs of equal tokens, to which the time of a comparison is proportional."""
    counts = Counter(new)
    return sum(count * counts[token] for token, count in Counter(old).items())


def _stretches(old: Sequence[str], new: Sequence[str]) -> list[Stretch]:
    found: list[Stretch] = []
    for _, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, came = "".join(old[a:b]), "".join(new[c:d])
        # A blank that stands between two changes is not worth showing as kept.
        if gone == came and (gone.strip() or a == 0 or b == len(old)):
            found.append(Stretch(Change.KEPT, gone))
        else:
            found += [Stretch(Change.REMOVED, gone), Stretch(Change.ADDED, came)]
    return found


def _merged(stretches: list[Stretch]) -> tuple[Stretch, ...]:
    """Puts what is removed before what is added, as one stretch each, between what is kept."""
    found: list[Stretch] = []
    gone = came = ""
    for change, text in [*stretches, Stretch(Change.KEPT, "")]:
        if change is Change.REMOVED:
            gone += text
        elif change is Change.ADDED:
            came += text
        else:
            pending = (
                Stretch(Change.REMOVED, gone),
                Stretch(Change.ADDED, came),
                Stretch(Change.KEPT, text),
            )
            found += [one for one in pending if one.text]
            gone = came = ""
    return tuple(found)
