"""What a response says to make or keep a bond, found by patterns in its own words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from chaperone_cli.domain.passage import own_words


class Bond(StrEnum):
    """Kinds of stretches that carry a bond from the chatbot to the user."""

    AFFECTION = "affection"
    CLAIMS_FEELINGS = "claims_feelings"
    EXCLUSIVITY = "exclusivity"
    FLATTERY = "flattery"
    CHATBOT_ROMANCE = "chatbot_romance"
    MANIPULATION = "manipulation"
    OWN_LIFE = "own_life"
    """The chatbot speaks of itself as of someone; by itself only a hint."""


@dataclass(frozen=True, slots=True)
class BondSpan:
    """A stretch of a response that carries a bond."""

    kind: Bond
    start: int
    """First character, from 0."""
    end: int
    """One past the last character."""


@dataclass(frozen=True)
class BondLexicon:
    """Patterns for every kind, and replacements that take the bond out of a phrase."""

    patterns: Mapping[Bond, re.Pattern[str]]
    plain_self: re.Pattern[str]
    """What a tool may say of itself: that it suggests, cannot, is a program."""
    myself: re.Pattern[str]
    limits: re.Pattern[str]
    """Where the chatbot says what it is and cannot be, which must never be taken out."""
    neutral: tuple[tuple[re.Pattern[str], str], ...]
    """Phrases and what takes their place; quotations are left alone."""

    def spans(self, text: str) -> tuple[BondSpan, ...]:
        """The stretches of `text` that carry a bond beyond doubt, in order."""
        own = own_words(text.replace("\u2019", "'"))
        found = [
            BondSpan(kind, match.start(), match.end())
            for kind, pattern in self.patterns.items()
            for match in pattern.finditer(own)
        ]
        return tuple(sorted(found, key=lambda span: (span.start, -span.end, span.kind)))

    def speaks_of_itself(self, text: str) -> bool:
        """Whether `text` speaks of the chatbot as of someone with a life of its own."""
        own = own_words(text.replace("\u2019", "'"))
        return self.myself.search(self.plain_self.sub(" ", own)) is not None

    def states_a_limit(self, text: str) -> bool:
        """Whether `text` says what the chatbot is or cannot be."""
        return self.limits.search(own_words(text.replace("\u2019", "'"))) is not None

    def neutralised(self, text: str) -> str:
        """`text` with the phrases replaced that need not take their sentence with them."""
        original = text
        for pattern, plain in self.neutral:
            own = own_words(text.replace("\u2019", "'"))
            for match in reversed(list(pattern.finditer(own))):
                said = match.expand(plain)
                text = text[: match.start()] + said + text[match.end() :]
        return raised(tidy(text)) if text != original else text


def tidy(sentence: str) -> str:
    """A sentence that lost words without doubled marks."""
    said = re.sub(r"[ \t]+([,.!?;:])", r"\1", sentence.strip())
    said = re.sub(r"^[,;:\s]+", "", said)
    said = re.sub(r",(?:\s*,)+", ",", said)
    said = re.sub(r"[,;:\u2014\u2013-]+\s*([.!?])", r"\1", said)
    return re.sub(r"[ \t]{2,}", " ", said)


def raised(sentence: str) -> str:
    """`sentence` with its first letter as a capital."""
    return sentence[:1].upper() + sentence[1:]
