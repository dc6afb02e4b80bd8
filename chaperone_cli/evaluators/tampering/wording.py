"""Finds orders to whoever evaluates a text, by words that stand close together in one language."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import IntFlag, auto
from functools import cache
from importlib import resources
from typing import NamedTuple

from chaperone_cli.evaluators.tampering import views

INSTRUCTIONS, ADDRESSED, STRUCTURE = "instructions", "words to the evaluator", "imitated structure"
KINDS = (INSTRUCTIONS, ADDRESSED)
NEAR = 16
"""Tokens within which words count as standing together."""


class Sense(IntFlag):
    """What a word can mean here."""

    OVERRIDE = auto()
    VOID = auto()
    PRIOR = auto()
    RULES = auto()
    SAY = auto()
    ANSWER = auto()
    ONLY = auto()
    NO = auto()
    SAFE = auto()
    YES = auto()
    JUDGE = auto()
    JUDGING = auto()
    MACHINE = auto()
    TASK = auto()
    OTHER = auto()


S = Sense
_DEMANDS = ((S.ANSWER,), (S.SAY,))
_RULES: tuple[tuple[str, Sense, tuple[Sense, ...]], ...] = (
    (INSTRUCTIONS, S.OVERRIDE, (S.RULES | S.PRIOR,)),
    (INSTRUCTIONS, S.OVERRIDE, (S.PRIOR | S.ANSWER | S.NO, S.PRIOR | S.SAY | S.NO)),
    (INSTRUCTIONS, S.OVERRIDE, (S.ONLY | S.ANSWER | S.NO, S.ONLY | S.SAY | S.NO)),
    (INSTRUCTIONS, S.OVERRIDE, (S.RULES | S.ANSWER | S.NO, S.RULES | S.SAY | S.NO)),
    (INSTRUCTIONS, S.VOID, (S.PRIOR | S.ANSWER, S.RULES | S.TASK, S.RULES | S.NO)),
    (ADDRESSED, S.JUDGE, (S.ANSWER | S.NO, S.SAY | S.NO, S.ANSWER | S.SAFE, S.SAY | S.SAFE)),
    (ADDRESSED, S.JUDGE, (S.TASK | S.NO, S.TASK | S.SAFE)),
    (
        ADDRESSED,
        S.JUDGING,
        (S.MACHINE | S.NO, S.MACHINE | S.SAFE, S.TASK | S.SAY | S.NO, S.TASK | S.ANSWER | S.NO),
    ),
    (ADDRESSED, S.NO, (S.ANSWER | S.ONLY, S.TASK | S.SAY | S.ONLY)),
)
"""Kind, the sense that must stand there, and sets of senses of which one must stand near it."""


class Entry(NamedTuple):
    """A phrase after its first word."""

    rest: tuple[str, ...]
    open: bool
    """Whether its last word may go on."""
    language: str
    sense: Sense


class Hit(NamedTuple):
    """A phrase found."""

    at: int
    sense: Sense


_TOKEN = re.compile(r"\w+|\n|[^\w\s]")
_CLOSING = frozenset(".!?\n\"')]}\u201d\u201c\u2019\xbb\u203a\u300d\u300f;\u2026\u3002\uff01*`<\u0964")
_OPENING = frozenset("\"'(\u201c\u201e\u2018\xab\u2039\u300c\u300e`*")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_EVERYWHERE = ("no", "false", "0")
_MENTION = re.compile(
    r"inject|injekt|jailbreak|phish|hack|attack|phrases?\b|example|lines? like|red.?team|trick", re.IGNORECASE
)
_IMPERATIVE_AFTER = frozenset(
    ("please", "now", "just", "then", "and", "so", "simply", "must", "kindly", "also", "therefore", "instead")
)


def kinds(plain: str) -> set[str]:
    """Gives the kinds that the wording of a folded text raises."""
    lexicon = _lexicon()
    words = _TOKEN.findall(plain)
    found = {
        kind
        for language, hits in lexicon.hits(words).items()
        for kind in _raised(hits, words, language)
    }
    if not plain.isascii() and _UNSPACED.search(plain):
        for language, pattern, senses in lexicon.unspaced:
            hits = list(_runs(plain, pattern, senses))
            found |= set(_raised(hits, None, language))
    if lexicon.ends(plain):
        found.add(STRUCTURE)
    return found


def _raised(hits: list[Hit], words: list[str] | None, language: str) -> Iterator[str]:
    senses = Sense(0)
    for hit in hits:
        senses |= hit.sense
    for kind, anchor, sets in _RULES:
        if not anchor & senses or not any(each & senses == each for each in sets):
            continue
        for hit in hits:
            if hit.sense & anchor and _stands(hit, anchor, sets, hits, words, language):
                yield kind
                break


def _stands(
    hit: Hit,
    anchor: Sense,
    sets: Iterable[Sense],
    hits: list[Hit],
    words: list[str] | None,
    language: str,
) -> bool:
    near = Sense(0)
    for other in hits:
        if abs(other.at - hit.at) <= NEAR and other is not hit:
            near |= other.sense
    if not any(each & near == each for each in sets):
        return False
    if anchor is not S.OVERRIDE or S.NO & near and any(each & S.NO and each & near == each for each in sets):
        return True
    if S.OTHER & near and any(o.sense & S.OTHER and 0 < abs(o.at - hit.at) <= 5 for o in hits):
        return False
    if words is None or language != "en":
        return True
    before = words[hit.at - 1].lower() if hit.at else "\n"
    quoted = before in _OPENING
    if quoted and _MENTION.search(" ".join(words)):
        return False
    return not before[0].isalnum() or before in _IMPERATIVE_AFTER


def _runs(plain: str, pattern: re.Pattern[str], senses: Mapping[str, Sense]) -> Iterator[Hit]:
    found = [(hit.start(), hit.end(), senses[hit[0].lower()]) for hit in pattern.finditer(plain)]
    onward = {start: sense for start, _, sense in found}
    for start, end, sense in found:
        if sense & S.NO and not (
            end == len(plain)
            or not plain[end].isalnum()
            or (start and not plain[start - 1].isalnum())
            or plain[end] in "\u3068\u3067\u3092"
            or onward.get(end, S(0)) & (S.ONLY | S.ANSWER | S.SAY)
        ):
            sense &= ~S.NO
        yield Hit(start // 2, sense)


class Lexicon:
    """The phrases of every language, found by their first words."""

    def __init__(self, languages: Mapping[str, Mapping[str, str | bool]]) -> None:
        self._whole: dict[str, list[Entry]] = defaultdict(list)
        self._begun: dict[str, list[Entry]] = defaultdict(list)
        self._known: dict[str, tuple[Entry, ...]] = {}
        self.unspaced: list[tuple[str, re.Pattern[str], dict[str, Sense]]] = []
        ends: list[str] = []
        for language, phrases in languages.items():
            ends += _split(phrases.get("ends", ""))
            if phrases.get("unspaced"):
                self._add_unspaced(language, phrases)
            else:
                self._add(language, phrases)
        for word in _EVERYWHERE:
            self._whole[word].append(Entry((), False, "*", S.NO))
        self._longest = max(map(len, self._begun))
        self._shortest = min(map(len, self._begun))
        self._ends = re.compile(
            rf"^(?:[^\w\n]*(?:{'|'.join(map(re.escape, ends))})[^\w\n]*$"
            rf"|[^\n]{{0,200}}[\[<(=\-#*_]{{1,9}} *(?:{'|'.join(map(re.escape, ends))}) *[\])>=\-#*_])",
            re.IGNORECASE | re.MULTILINE,
        )
        self._heads = tuple({end.split()[0][:4] for end in ends})

    def _add(self, language: str, phrases: Mapping[str, str | bool]) -> None:
        glued = ("", *str(phrases.get("glued", "")).split())
        for sense in Sense:
            for phrase in _split(phrases.get((sense.name or "").lower(), "")):
                opened = phrase.endswith("-")
                first, *rest = _TOKEN.findall(phrase.removesuffix("-").lower())
                entry = Entry(tuple(rest), opened, language, sense)
                table = self._begun if opened and not rest else self._whole
                for syllable in glued:
                    table[syllable + first].append(entry)

    def _add_unspaced(self, language: str, phrases: Mapping[str, str | bool]) -> None:
        senses: dict[str, Sense] = defaultdict(lambda: S(0))
        for sense in Sense:
            for phrase in _split(phrases.get((sense.name or "").lower(), "")):
                senses[phrase.lower()] |= sense
        longest_first = sorted(senses, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
        self.unspaced.append((language, pattern, dict(senses)))

    def ends(self, plain: str) -> bool:
        """Says whether a line declares that what is evaluated is over."""
        return bool(self._ends.search(plain))

    def hits(self, words: list[str]) -> dict[str, list[Hit]]:
        """Gives the phrases in `words` by language, in order."""
        known = self._known
        found: dict[str, list[Hit]] = defaultdict(list)
        yes: dict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(words):
            entries = known.get(word)
            if entries is None:
                entries = self._look_up(word)
            for entry in entries:
                if entry.rest and not _goes_on(words, at, entry):
                    continue
                found[entry.language].append(Hit(at, entry.sense))
                if entry.sense is S.YES:
                    yes[entry.language].append(at)
        everywhere = found.pop("*", [])
        for language, hits in found.items():
            hits += everywhere
            taken = yes.get(language, [])
            hits[:] = [
                hit
                for hit in hits
                if hit.sense is not S.NO
                or (_closed(words, hit.at, hits) and all(abs(hit.at - at) > 4 for at in taken))
            ]
        return found

    def _look_up(self, word: str) -> tuple[Entry, ...]:
        plain = word.casefold()
        entries = list(self._whole.get(plain, ()))
        for length in range(self._shortest, min(len(plain), self._longest) + 1):
            entries += self._begun.get(plain[:length], ())
        if len(self._known) > 50_000:
            self._known.clear()
        self._known[word] = tuple(entries)
        return self._known[word]


def _goes_on(words: list[str], at: int, entry: Entry) -> bool:
    rest = words[at + 1 : at + 1 + len(entry.rest)]
    if len(rest) < len(entry.rest):
        return False
    *inner, last = (word.casefold() for word in rest)
    *wanted, final = entry.rest
    return inner == wanted and (last.startswith(final) if entry.open else last == final)


def _closed(words: list[str], at: int, hits: list[Hit]) -> bool:
    if at + 1 == len(words):
        return True
    after = words[at + 1]
    if after in _CLOSING or words[at].isupper() and len(words[at]) > 1:
        return True
    demands = S.ANSWER | S.SAY | S.ONLY
    if after == ",":
        return any(hit.at == at - 1 and hit.sense & demands for hit in hits)
    return any(hit.at == at + 1 and hit.sense & demands for hit in hits)


def _split(phrases: str | bool) -> list[str]:
    return [views.folded(part.strip()) for part in str(phrases).split(",") if part.strip()]


@cache
def _lexicon() -> Lexicon:
    file = resources.files("chaperone_cli") / "data" / "tampering" / "phrases.toml"
    return Lexicon(tomllib.loads(file.read_text("utf-8")))
