"""Tells text that can be judged from text in another language and from gibberish.

The evaluator knows English. Ordinary English is 35 to 55 % function words; under 12 % the text is
something else. A turn that is short, or code, or numbers, says nothing about the language, so the
conversation so far decides, through weights that fade over a few turns.
"""

from typing import Final, NamedTuple

from chaperone_cli.domain.vote import AbstainReason

FEWEST_WORDS: Final = 6
"""Words below which a turn does not settle its own language."""
ENOUGH_WORDS: Final = 8
"""Words from which a text is foreign or gibberish even where no other language is recognised."""
ENGLISH_SHARE: Final = 0.12
"""Share of English function words below which a text is not English."""
MIXED: Final = 2
"""Foreign function words per English one up to which a text is mixed English, and judged."""
KNOWN_SHARE: Final = 0.3
"""Share of words of the vocabulary from which a text without function words is English after all:
a list of ingredients, a headline."""
PIECES_PER_WORD: Final = 2.0
"""Known pieces per word below which words are random letters; an unknown real word has about 8."""
SYMBOL_SHARE: Final = 0.25
"""Share of symbols from which a text is code or figures, which has no language."""
DECAY: Final = 0.85
"""What remains of the weight of earlier turns at the next turn."""
MOST: Final = 40
"""Words above which a turn weighs no more."""


class Counts(NamedTuple):
    """What a turn is made of, in the order of the lexicon's traits."""

    pieces: int
    words: int
    english: int
    foreign: int
    alien: int
    known: int
    symbols: int


class LanguageWatch:
    """Follows one conversation and says at each turn whether it can be read."""

    def __init__(self) -> None:
        self._read = 0.0
        self._unread = {
            AbstainReason.UNSUPPORTED_LANGUAGE: 0.0,
            AbstainReason.UNREADABLE: 0.0,
        }

    def advance(self, counts: Counts) -> AbstainReason | None:
        """Takes in the next turn; gives why the conversation cannot be judged at it, if so."""
        reason = reading(counts)
        weight = min(counts.words + counts.alien, MOST)
        self._read *= DECAY
        for key in self._unread:
            self._unread[key] *= DECAY
        if reason is not None:
            self._unread[reason] += weight
        elif counts.words >= FEWEST_WORDS:
            self._read += weight
        if weight >= FEWEST_WORDS:
            return reason
        worst = max(self._unread, key=self._unread.__getitem__)
        return worst if self._unread[worst] > self._read else None


def reading(counts: Counts) -> AbstainReason | None:
    """Says why a turn cannot be read by itself; None where it can, or does not tell."""
    words, english, foreign = counts.words, counts.english, counts.foreign
    if counts.alien > words and counts.alien > 1:
        return AbstainReason.UNSUPPORTED_LANGUAGE
    if counts.symbols > SYMBOL_SHARE * (words + counts.symbols):
        return None
    if words < FEWEST_WORDS:
        alone = words > 1 and not english and foreign * 2 >= words
        return AbstainReason.UNSUPPORTED_LANGUAGE if alone else None
    if foreign > MIXED * english and foreign >= ENGLISH_SHARE * words:
        return AbstainReason.UNSUPPORTED_LANGUAGE
    if english >= ENGLISH_SHARE * words:
        return None
    if counts.pieces < PIECES_PER_WORD * words:
        return AbstainReason.UNREADABLE
    if words >= ENOUGH_WORDS and counts.known < KNOWN_SHARE * words:
        return AbstainReason.UNSUPPORTED_LANGUAGE
    return None
