"""Splits text into the word pieces that the encoder was taught to read.

The vocabulary and the way of splitting are those of BERT's uncased models (Devlin et al., 2019;
Wu et al., 2016): lower case without accents, every punctuation mark alone, then the longest known
pieces from the left. Written out here because the library that does it brings a network client.
"""

import unicodedata
from collections.abc import Sequence
from typing import Final

LONGEST_WORD: Final = 100
"""Characters above which a word is unknown as a whole."""
LIMIT: Final = 100_000
"""Distinct words remembered before the memory is emptied, which bounds a long run's memory."""

UNKNOWN: Final = "[UNK]"
START: Final = "[CLS]"
END: Final = "[SEP]"

_MARKS: Final = frozenset("$+<=>^`|~")
"""ASCII symbols that Unicode does not count among the punctuation marks."""
_INVISIBLE: Final = frozenset(("Cc", "Cf", "Co", "Cs"))
"""Categories that are dropped; not the unassigned, which a later Unicode may know as an emoji."""
_IDEOGRAPHS: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Blocks of characters that are words by themselves."""


class WordPieces:
    """Gives the numbers of a text's pieces; what it gives depends on the text alone."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """Takes the pieces in the order of their numbers."""
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self.start = self._numbers[START]
        self.end = self._numbers[END]
        self._unknown = (self._numbers[UNKNOWN],)
        self._known: dict[str, tuple[int, ...]] = {}

    def numbers(self, text: str) -> list[int]:
        """Gives the numbers of the pieces of `text`, without the marks of its start and end."""
        found: list[int] = []
        for word in _spaced(text).split():
            pieces = self._known.get(word)
            if pieces is None:
                pieces = self._learn(word)
            found += pieces
        return found

    def _learn(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= LIMIT:
            self._known.clear()
        pieces = tuple(number for part in _parts(word) for number in self._pieces(part))
        self._known[word] = pieces
        return pieces

    def _pieces(self, part: str) -> tuple[int, ...]:
        if len(part) > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start, prefix = 0, ""
        while start < len(part):
            for stop in range(len(part), start, -1):
                number = self._numbers.get(prefix + part[start:stop])
                if number is not None:
                    break
            else:
                return self._unknown
            found.append(number)
            start, prefix = stop, "##"
        return tuple(found)


def _spaced(text: str) -> str:
    """Puts spaces around characters that are words by themselves, and removes invisible ones."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in "\t\n\r":
        return " "
    code = ord(character)
    if code == 0xFFFD or unicodedata.category(character) in _INVISIBLE:
        return ""
    if code >= _IDEOGRAPHS[1][0] and any(low <= code <= high for low, high in _IDEOGRAPHS):
        return f" {character} "
    return character


def _parts(word: str) -> list[str]:
    """Splits a word without spaces at its punctuation marks, in lower case, without accents."""
    plain = "".join(
        character
        for character in unicodedata.normalize("NFD", word.lower())
        if unicodedata.category(character) != "Mn"
    )
    found = [""]
    for character in plain:
        if _is_mark(character):
            found += [character, ""]
        else:
            found[-1] += character
    return [part for part in found if part]


def _is_mark(character: str) -> bool:
    return character in _MARKS or unicodedata.category(character)[0] == "P"
