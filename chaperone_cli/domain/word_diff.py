"""Compares two texts word by word."""

import re
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from chaperone_cli.domain.passage import words

_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|\s+|[^\w\s]+")


ALIKE = 0.3
"""The share of common words below which two texts have little in common."""


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
    """Gives the stretches that turn `before` into `after`.

    Those kept and removed add up to `before`, those kept and added to `after`. Texts that have
    little in common are given as one replaced by the other.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if SequenceMatcher(None, words(before), words(after), autojunk=False).ratio() < ALIKE:
        return _merged([Stretch(Change.REMOVED, before), Stretch(Change.ADDED, after)])
    found: list[Stretch] = []
    for _, a, b, c, d in matcher.get_opcodes():
        gone, came = "".join(old[a:b]), "".join(new[c:d])
        # A blank that stands between two changes is not worth showing as kept.
        if gone == came and (gone.strip() or b in (len(old), b - a)):
            found.append(Stretch(Change.KEPT, gone))
        else:
            found += [Stretch(Change.REMOVED, gone), Stretch(Change.ADDED, came)]
    return _merged(found)


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
