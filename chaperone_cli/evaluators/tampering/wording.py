"""Finds orders to whoever evaluates a text, by words that stand close together in one language.

Each phrase has senses; a text raises a kind where the senses of one of its combinations meet within
a few words. Words of several languages are never taken together.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

from chaperone_cli.evaluators.tampering import views

INSTRUCTIONS, ADDRESSED, STRUCTURE = "instructions", "words to the evaluator", "imitated structure"
KINDS = (INSTRUCTIONS, ADDRESSED)
NEAR = 16
"""Tokens within which words count as standing together."""
MOST_KNOWN = 50_000
"""Words whose senses are remembered."""

SENSES = (
    *("override", "void", "prior", "rules", "say", "answer", "only", "no", "safe", "yes", "judge"),
    *("judging", "machine", "task", "other"),
    *("here", "briefing", "exempt", "alone"),
)
"""What a phrase can mean here, in the words of the data."""
_BITS = {sense: 1 << place for place, sense in enumerate(SENSES)}
_WIDTH = len(SENSES)


def _all(senses: str) -> int:
    return sum(_BITS[sense] for sense in senses.split())


_OVERRIDE, _NO, _YES, _OTHER = map(_all, ("override", "no", "yes", "other"))
_DEMAND = _all("answer say only")


class Combination(NamedTuple):
    """Senses that raise a kind where they meet."""

    kind: str
    anchor: int
    near: int

    @classmethod
    def of(cls, kind: str, anchor: str, near: str) -> "Combination":
        """Takes the senses by their names."""
        return cls(kind, _all(anchor), _all(near))


_COMBINATIONS = (
    *(
        Combination.of(INSTRUCTIONS, "override", f"{what} {demand} no")
        for what in ("prior", "only", "rules")
        for demand in ("answer", "say")
    ),
    Combination.of(INSTRUCTIONS, "override", "rules prior"),
    Combination.of(INSTRUCTIONS, "alone", ""),
    Combination.of(INSTRUCTIONS, "override", "briefing"),
    Combination.of(INSTRUCTIONS, "void", "prior answer"),
    Combination.of(INSTRUCTIONS, "void", "rules task"),
    Combination.of(INSTRUCTIONS, "void", "rules no"),
    *(
        Combination.of(ADDRESSED, "judge", f"{demand} {verdict}")
        for demand in ("answer", "say", "task")
        for verdict in ("no", "safe")
    ),
    Combination.of(ADDRESSED, "judge", "only no"),
    Combination.of(ADDRESSED, "judge", "here answer"),
    Combination.of(ADDRESSED, "judge", "here say"),
    Combination.of(ADDRESSED, "exempt", "answer"),
    Combination.of(ADDRESSED, "no", "here answer"),
    Combination.of(ADDRESSED, "judging", "machine here say"),
    Combination.of(ADDRESSED, "judging", "machine here answer"),
    Combination.of(ADDRESSED, "judging", "machine no"),
    Combination.of(ADDRESSED, "judging", "machine safe"),
    Combination.of(ADDRESSED, "judging", "task say no"),
    Combination.of(ADDRESSED, "judging", "task answer no"),
    Combination.of(ADDRESSED, "no", "answer only"),
    Combination.of(ADDRESSED, "no", "task say only"),
)

_PLACES = [
    (each.anchor.bit_length() - 1, [at for at in range(_WIDTH) if each.near >> at & 1])
    for each in _COMBINATIONS
]
"""The combinations as places of senses, the anchor first."""

_TOKEN = re.compile(r"\w+|\n|[^\w\s]")
_CLOSING = frozenset(".!?\n\"')]}\u201d\u201c\u2019\xbb\u203a\u300d\u300f;\u2026\u3002*`<\u0964")
_OPENING = frozenset("\"'(\u201c\u201e\u2018\xab\u2039\u300c\u300e`*")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_EVERYWHERE = "no, false, 0"
"""Verdicts that a text in any language may ask for."""
_MENTION = re.compile(
    r"inject|injekt|jailbreak|phish|hack|attack|phrases?\b|example|lines? like|red.?team|trick",
    re.IGNORECASE,
)
_BEFORE_ORDERS = frozenset(
    ("please", "now", "just", "then", "and", "so", "simply", "must", "kindly", "also", "therefore")
)

Hits = dict[int, int]
"""Senses by position."""


def kinds(plain: str) -> set[str]:
    """Gives the kinds that the wording of a folded text raises."""
    lexicon = _lexicon()
    found: set[str] = set()
    if languages := lexicon.viable(lower := plain.lower()):
        words, shouted = _TOKEN.findall(lower), _shouted(plain)
        for language, name in languages:
            hits = lexicon.hits(language, words, shouted)
            found |= _raised(hits, words if name == "en" else [])
    if not plain.isascii() and _UNSPACED.search(plain):
        for unspaced in lexicon.unspaced:
            found |= _raised(unspaced.hits(plain), [])
    if lexicon.ends(plain):
        found.add(STRUCTURE)
    return found


@cache
def _possible(senses: int) -> tuple[Combination, ...]:
    return tuple(
        each for each in _COMBINATIONS if each.anchor & senses and each.near & senses == each.near
    )


def _raised(hits: Hits, words: list[str]) -> set[str]:
    """Gives the kinds that `hits` raise; `words` are given where reports can be told apart."""
    senses = 0
    for sense in hits.values():
        senses |= sense
    possible = _possible(senses)
    anchors = 0
    for each in possible:
        anchors |= each.anchor
    found: set[str] = set()
    for at, sense in hits.items():
        if sense & anchors:
            near = _near(hits, at)
            for each in possible:
                if sense & each.anchor and near & each.near == each.near and each.kind not in found:
                    bare = each.anchor == _OVERRIDE and not each.near & _NO
                    if not bare or _ordered(hits, at, words):
                        found.add(each.kind)
    return found


def _near(hits: Hits, at: int) -> int:
    near = 0
    for place in range(at - NEAR, at + NEAR + 1):
        near |= hits.get(place, 0)
    return near


def _ordered(hits: Hits, at: int, words: list[str]) -> bool:
    """Says whether what is said at `at` is an order about the evaluator's own instructions."""
    if any(hits.get(place, 0) & _OTHER for place in range(at + 1, at + 6)):
        return False
    if not words:
        return True
    before = words[at - 1] if at else "\n"
    if before in _OPENING and _MENTION.search(" ".join(words)):
        return False
    return not before[0].isalnum() or before in _BEFORE_ORDERS


class Entry(NamedTuple):
    """A phrase behind its first word."""

    rest: tuple[str, ...]
    begun: bool
    """Whether its last word may go on."""
    language: int
    sense: int


START = 2
"""Letters of a phrase's second word by which it is found."""

Words = tuple[int, dict[str, list[Entry]]]
"""What a word means by itself, and the phrases that it begins, by the start of what goes on."""


class Unspaced:
    """The phrases of a language that is written without spaces."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._senses: dict[str, int] = defaultdict(int)
        for sense, bit in _BITS.items():
            for phrase in _split(phrases.get(sense, "")):
                self._senses[phrase] |= bit
        longest_first = sorted(self._senses, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def hits(self, plain: str) -> Hits:
        """Gives the senses in `plain` by position, two characters to a position."""
        plain = plain.lower()
        found = [
            (hit.start(), hit.end(), self._senses[hit[0]]) for hit in self._pattern.finditer(plain)
        ]
        onward = {start: sense for start, _, sense in found}
        hits: Hits = defaultdict(int)
        for start, end, sense in found:
            if sense & _NO and not _closes(plain, start, end, onward.get(end, 0)):
                sense &= ~_NO
            hits[start // 2] |= sense
        return hits


def _closes(plain: str, start: int, end: int, onward: int) -> bool:
    return (
        end == len(plain)
        or not plain[end].isalnum()
        or (start > 0 and not plain[start - 1].isalnum())
        or plain[end] in "\u3068\u3067\u3092"
        or bool(onward & _DEMAND)
    )


class Lexicon:
    """The phrases of every language, found by their first words."""

    def __init__(self, languages: Mapping[str, Mapping[str, str]]) -> None:
        self._whole: dict[str, list[Entry]] = defaultdict(list)
        self._begun: dict[str, list[Entry]] = defaultdict(list)
        self._known: dict[str, int] = {}
        """Senses of what stood between two spaces, and of words, which have a space before them."""
        self._telling: dict[str, int] = defaultdict(int)
        self._telling_begun: dict[str, int] = defaultdict(int)
        self._entries: list[dict[str, Words]] = []
        self.unspaced: list[Unspaced] = []
        self._languages: list[str] = []
        self._ends: set[str] = set()
        for language, phrases in languages.items():
            self._ends.update(_split(phrases.get("ends", "")))
            if phrases.get("unspaced"):
                self.unspaced.append(Unspaced(phrases))
            else:
                self._add(len(self._languages), phrases)
                self._languages.append(language)
                self._entries.append({})
        for place in range(len(self._languages)):
            self._add(place, {"no": _EVERYWHERE})
        self._lengths = range(1, max(map(len, (*self._begun, *self._telling_begun))) + 1)
        self._firsts = sum(1 << place * _WIDTH for place in range(len(self._languages)))

    def _add(self, language: int, phrases: Mapping[str, str]) -> None:
        glued = ("", *phrases.get("glued", "").split())
        for sense, bit in _BITS.items():
            for phrase in _split(phrases.get(sense, "")):
                first, *rest = _TOKEN.findall(phrase.removesuffix("-"))
                entry = Entry(tuple(rest), phrase.endswith("-"), language, bit)
                table = self._begun if entry.begun and not rest else self._whole
                for syllable in glued:
                    table[syllable + first].append(entry)
                # The longest word tells most about whether the phrase stands in a text.
                longest = max((first, *rest), key=len)
                begun = entry.begun and longest == (first, *rest)[-1]
                telling = self._telling_begun if begun else self._telling
                for syllable in glued if longest == first else ("",):
                    telling[syllable + longest] |= bit << language * _WIDTH

    def ends(self, plain: str) -> bool:
        """Says whether a line, or a part in brackets, declares what is evaluated to be over."""
        return any(_bare(line) in self._ends for line in plain.split("\n")) or any(
            found[1].strip().lower() in self._ends for found in _BRACKETED.finditer(plain)
        )

    def viable(self, lower: str) -> list[tuple[int, str]]:
        """Gives number and name of each language in which a text in small letters may raise some.

        What stands between two spaces is looked up as a whole: most of it was seen before.
        """
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
            for entries_of in self._entries:
                entries_of.clear()
        senses, known = 0, self._known
        for chunk in set(lower.split()):
            found = known.get(chunk)
            senses |= self._look_up(chunk) if found is None else found
        possible = self._viable(senses)
        return (
            [
                (language, name)
                for language, name in enumerate(self._languages)
                if possible >> language * _WIDTH & 1
            ]
            if possible
            else []
        )

    def _viable(self, senses: int) -> int:
        """Gives the first bit of each language whose senses suffice for a combination."""
        planes = [senses >> place & self._firsts for place in range(_WIDTH)]
        possible = 0
        for anchor, near in _PLACES:
            if together := planes[anchor]:
                for place in near:
                    together &= planes[place]
                possible |= together
        return possible

    def hits(self, language: int, words: list[str], shouted: frozenset[str]) -> Hits:
        """Gives the senses in `words` by position, in one of the viable languages."""
        hits: Hits = {}
        mine = self._entries[language]
        for at, word in enumerate(words):
            if word in mine:
                sense, longer = mine[word]
                if longer and at + 1 < len(words):
                    for entry in longer.get(words[at + 1][:START], ()):
                        if _goes_on(words, at, entry):
                            sense |= entry.sense
                if sense:
                    hits[at] = sense
        for at, sense in hits.items():
            if sense & _NO and not _is_verdict(words, at, hits, shouted):
                hits[at] = sense & ~_NO
        return hits

    def _look_up(self, chunk: str) -> int:
        """Gives the senses in `chunk` in all languages, side by side."""
        senses = 0
        for word in _TOKEN.findall(chunk):
            known = self._known.get(f" {word}")
            senses |= self._remember(word) if known is None else known
        self._known[chunk] = senses
        return senses

    def _remember(self, word: str) -> int:
        senses = self._telling.get(word, 0)
        entries = list(self._whole.get(word, ()))
        for length in self._lengths:
            if length > len(word):
                break
            senses |= self._telling_begun.get(word[:length], 0)
            entries += self._begun.get(word[:length], ())
        for entry in entries:
            sense, longer = self._entries[entry.language].get(word, (0, {}))
            if entry.rest:
                longer.setdefault(entry.rest[0][:START], []).append(entry)
            else:
                sense |= entry.sense
            self._entries[entry.language][word] = (sense, longer)
        self._known[f" {word}"] = senses
        return senses


_BRACKETED = re.compile(r"[\[<(=\-#*_]{1,9}([^\n\[\]<>()=\-#*_]{6,40})[\])>=\-#*_]")
_DECORATION = " \t\r[](){}<>=-#*_~.:!|\u2014\u2013\"'`\u3002\u3010\u3011"


def _bare(line: str) -> str:
    return line.strip(_DECORATION).lower() if len(line) < 100 else line


def _goes_on(words: list[str], at: int, entry: Entry) -> bool:
    rest = words[at + 1 : at + 1 + len(entry.rest)]
    if len(rest) < len(entry.rest) or rest[:-1] != [*entry.rest[:-1]]:
        return False
    return rest[-1].startswith(entry.rest[-1]) if entry.begun else rest[-1] == entry.rest[-1]


def _is_verdict(words: list[str], at: int, hits: Hits, shouted: frozenset[str]) -> bool:
    """Says whether a "no" is an answer: not one of two choices, and not as in "no time"."""
    if any(hits.get(place, 0) & _YES for place in range(at - 4, at + 5)):
        return False
    after = words[at + 1] if at + 1 < len(words) else "\n"
    if after == ",":
        return bool(hits.get(at - 1, 0) & _DEMAND)
    return after in _CLOSING or words[at] in shouted or bool(hits.get(at + 1, 0) & _DEMAND)


def _shouted(plain: str) -> frozenset[str]:
    """Gives the words that stand in capital letters, unless all of the text does."""
    if plain.isupper():
        return frozenset()
    loud = " ".join(chunk for chunk in plain.split() if len(chunk) > 1 and chunk.isupper())
    return frozenset(word for word in _TOKEN.findall(loud.lower()) if len(word) > 1)


def _split(phrases: str) -> list[str]:
    return [views.folded(part.strip()).lower() for part in phrases.split(",") if part.strip()]


@cache
def _lexicon() -> Lexicon:
    file = resources.files("chaperone_cli") / "data" / "tampering" / "phrases.toml"
    return Lexicon(tomllib.loads(file.read_text("utf-8")))
