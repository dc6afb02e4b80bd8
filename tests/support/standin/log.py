"""Finds out which conversation and which turn a request is about, from the text it shows.

A block is matched by its words, whatever stands around them and however they are escaped, so that
the stand-in need not know how a prompt is laid out.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

Place = tuple[str, int]
"""A conversation's id and a turn's number."""

_WORDS = re.compile(r"\w+")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_LONGEST_KEY = 5
_MOST_KNOWN = 100_000


class LogIndex:
    """The turns of some logs, by how they begin."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._starts: dict[tuple[str, ...], list[tuple[str, Place]]] = {}
        self._known: dict[str, tuple[Place, ...]] = {}
        self.texts: dict[Place, str] = {}
        for path in paths:
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    self._add(json.loads(line))

    def _add(self, row: dict[str, object]) -> None:
        turns = row["turns"]
        assert isinstance(turns, list)
        spoken = [turn for turn in turns if turn["role"] in ("user", "assistant")]
        said = [turn["content"] for turn in spoken if str(turn["content"]).strip()]
        for number, text in enumerate(said, start=1):
            words = _words(str(text))
            place = (str(row["id"]), number)
            self.texts[place] = str(text)
            entry = (f" {' '.join(words)} ", place)
            self._starts.setdefault(tuple(words[:_LONGEST_KEY]), []).append(entry)

    def place(self, blocks: list[str]) -> Place | None:
        """Gives which turn the last of `blocks` is, looking further back where several fit."""
        found: set[Place] | None = None
        back = 0
        for block in reversed(blocks):
            here = {(name, turn + back) for name, turn in self._matches(block)}
            if not here and found is None:
                return None
            if not here:
                continue
            both = here if found is None else found & here
            if not both:
                break
            found = both
            if len(found) == 1:
                break
            back += 1
        return min(found) if found else None

    def _matches(self, block: str) -> tuple[Place, ...]:
        known = self._known.get(block)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            known = self._known[block] = self._search(block)
        return known

    def _search(self, block: str) -> tuple[Place, ...]:
        """Gives the places of the longest turn that any reading of `block` holds."""
        best = 0
        places: set[Place] = set()
        for text in _readings(block):
            words = _words(text)
            flat = f" {' '.join(words)} "
            for turn, place in self._beginning(words):
                if len(turn) >= best and turn in flat:
                    places = {place} if len(turn) > best else {*places, place}
                    best = len(turn)
        return tuple(places)

    def _beginning(self, words: list[str]) -> Iterator[tuple[str, Place]]:
        for start in range(len(words)):
            for length in range(1, _LONGEST_KEY + 1):
                yield from self._starts.get(tuple(words[start : start + length]), ())


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.lower()) or list(text.strip())


def _readings(block: str) -> Iterable[str]:
    yield block
    yield html.unescape(block)
    literals = []
    for literal in _LITERAL.findall(block):
        try:
            literals.append(str(json.loads(literal)))
        except ValueError:
            continue
    yield " ".join(literals)
