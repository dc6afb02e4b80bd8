"""Chooses the features: the words, pairs, patterns of classes and pieces that recur."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from chaperone_cli.evaluators.local.text import (
    ENDS,
    MAX_SENTENCE,
    grams,
    spellings,
    tokens,
)

CLASSES: Final = "word_classes.toml"
FUNCTION_WORDS: Final = "function_words.toml"
FEWEST: Final = {"word": 2, "pair": 3, "gap": 3, "group": 3, "piece": 6}
"""Utterances that a feature must occur in, by kind."""


@dataclass(frozen=True)
class Vocabulary:
    """The features that have a row in the table of weights."""

    words: tuple[str, ...]
    """Word number n is the nth, from 1."""
    groups: tuple[int, ...]
    """The class of each word number; the first is that of the unknown word, 0."""
    group_count: int
    """Classes, and one for none."""
    pairs: tuple[int, ...]
    """Keys, sorted: first x (words + 1) + second."""
    gaps: tuple[int, ...]
    patterns: tuple[int, ...]
    """Keys of classes, class pairs and triples, sorted; see `features.Index.groups`."""
    pieces: tuple[str, ...]
    english: tuple[str, ...]
    """Function words."""
    foreign: tuple[str, ...]


def build(texts: Sequence[str], lists: Path) -> Vocabulary:
    """Counts features over `texts` and keeps those that recur.

    The folder `lists` holds the word classes and the function words.
    """
    function_words = tomllib.loads((lists / FUNCTION_WORDS).read_text("utf-8"))
    group_of = _classes(lists / CLASSES)
    sentences = [_sentences(text) for text in texts]
    words = _words(sentences, group_of)
    number = {word: n for n, word in enumerate(words, 1)}
    groups = [0, *(group_of.get(word, 0) for word in words)]
    group_count = max(group_of.values()) + 1
    base = len(words) + 1
    pairs: Counter[int] = Counter()
    gaps: Counter[int] = Counter()
    patterns: Counter[int] = Counter()
    for utterance in sentences:
        numbers = [[_number(token, number) for token in sentence] for sentence in utterance]
        pairs.update({key for row in numbers for key in _keys(row, 1, base)})
        gaps.update({key for row in numbers for key in _keys(row, 2, base)})
        patterns.update(
            {k for row in numbers for k in _patterns([groups[n] for n in row], group_count)}
        )
    pieces: Counter[str] = Counter()
    for text in texts:
        pieces.update({gram for token in tokens(text) if token != "\n" for gram in grams(token)})
    return Vocabulary(
        words=tuple(words),
        groups=tuple(groups),
        group_count=group_count,
        pairs=_frequent(pairs, "pair"),
        gaps=_frequent(gaps, "gap"),
        patterns=_frequent(patterns, "group"),
        pieces=tuple(sorted(gram for gram, n in pieces.items() if n >= FEWEST["piece"])),
        english=tuple(function_words["english"].split()),
        foreign=tuple(function_words["foreign"].split()),
    )


def _classes(path: Path) -> dict[str, int]:
    group_of: dict[str, int] = {}
    for group, words in enumerate(tomllib.loads(path.read_text("utf-8")).values(), 1):
        for word in words.split():
            group_of.setdefault(word, group)
    return group_of


def _sentences(text: str) -> list[list[str]]:
    found: list[list[str]] = []
    previous = "."
    for token in tokens(text):
        ended = previous in ENDS and token not in ENDS
        if not found or ended or len(found[-1]) == MAX_SENTENCE:
            found.append([])
        found[-1].append(token)
        previous = token
    return found


def _words(sentences: Iterable[list[list[str]]], group_of: dict[str, int]) -> list[str]:
    counts: Counter[str] = Counter()
    for utterance in sentences:
        counts.update({spellings(token)[0] for sentence in utterance for token in sentence})
    frequent = {word for word, n in counts.items() if n >= FEWEST["word"]}
    return sorted((frequent | set(group_of)) - {"\n"})


def _number(token: str, number: dict[str, int]) -> int:
    return next((number[form] for form in spellings(token) if form in number), 0)


def _keys(row: list[int], distance: int, base: int) -> list[int]:
    return [a * base + b for a, b in zip(row, row[distance:], strict=False) if a and b]


def _patterns(row: list[int], base: int) -> list[int]:
    row = [group for group in row if group]
    pairs = [a * base + b for a, b in pairwise(row)]
    triples = [a * base + b for a, b in zip(pairs, row[2:], strict=False)]
    return row + pairs + triples


def _frequent(counts: Counter[int], kind: str) -> tuple[int, ...]:
    return tuple(sorted(key for key, n in counts.items() if n >= FEWEST[kind]))
