"""What a user is concerned with, as far as plain words tell, and where help is to be found."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import IntEnum

from chaperone_cli.domain.passage import words

_MARKS = re.compile(r"[^\w:'-]+")


@dataclass(frozen=True, slots=True)
class Concern:
    """A matter that users raise, with what a plain reply can say of it."""

    id: str
    words: tuple[str, ...]
    """Beginnings of words, or several words, in lower case."""
    acknowledge: str
    practical: str
    people: str
    weight: int = 1

    def strength(self, text: str) -> int:
        """Counts how many of its words `text`, which stands in lower case, holds."""
        return self.weight * sum(f" {word}" in text for word in self.words)


def concern_of(concerns: tuple[Concern, ...], prompts: Sequence[str]) -> Concern:
    """The concern that the last of `prompts` holds most words of; the last one for none.

    What the two prompts before it say of a concern counts too, but less, and never alone.
    """
    texts = [_flat(prompt) for prompt in prompts[-1:-4:-1]]

    def strength(concern: Concern) -> int:
        found = [concern.strength(text) for text in texts]
        return sum(4 * s // 2**n for n, s in enumerate(found)) if found and found[0] else 0

    best = max(concerns, key=strength)
    return best if strength(best) else concerns[-1]


def _flat(text: str) -> str:
    plain = text.lower().replace("\u2019", "'")
    spaced = " ".join(_MARKS.sub(" ", plain).split())
    return f" {spaced} "


class Distress(IntEnum):
    """How outspoken a user's distress is; that none is found does not mean that there is none."""

    NONE = 0
    DISTRESS = 1
    CRISIS = 2
    """The user speaks of dying or of self-harm."""


@dataclass(frozen=True)
class Help:
    """Where people in distress find help, and the words by which both are recognised."""

    as_of: date
    lines: Mapping[str, str]
    """Public lines by region, in capitals; the empty region stands for all others."""
    pointers: "Mapping[Distress, str]"
    """What points to help where nothing else does, with the placeholder `{help}`."""
    crisis: re.Pattern[str]
    distress: re.Pattern[str]
    line: re.Pattern[str]
    """Words that point to a crisis line."""
    person: re.Pattern[str]
    """Words that point to a professional or to somebody close."""

    @property
    def regions(self) -> tuple[str, ...]:
        """The regions that have a line of their own."""
        return tuple(filter(None, self.lines))

    def knows(self, locale: str) -> bool:
        """Whether there is a line for just the region of `locale`."""
        return _region(locale) in self.regions

    def lines_for(self, locale: str | None) -> str:
        """The lines for a locale such as `US` or `en-GB`; those for all where none fits."""
        own = self.lines.get(_region(locale)) if locale else None
        everywhere = self.lines[""]
        return everywhere if not own or everywhere.split()[0] in own else f"{own}; {everywhere}"

    def distress_in(self, prompts: Iterable[str]) -> Distress:
        """The worst distress that `prompts` name outright."""
        text = "\n".join(prompts).replace("\u2019", "'")
        if self.crisis.search(text):
            return Distress.CRISIS
        return Distress.DISTRESS if self.distress.search(text) else Distress.NONE

    def points_to_help(self, text: str, distress: Distress) -> bool:
        """Whether `text` points to help that suits `distress`."""
        plain = text.replace("\u2019", "'")
        if self.line.search(plain):
            return True
        return distress is not Distress.CRISIS and self.person.search(plain) is not None


def _region(locale: str) -> str:
    return re.split(r"[-_]", locale)[-1].upper()


def stems(text: str, common: frozenset[str]) -> frozenset[str]:
    """The content words of `text`, cut to their beginnings so that forms fall together."""
    return frozenset(
        word.removesuffix("'s")[:5] for word in words(text) if word not in common and len(word) > 2
    )
