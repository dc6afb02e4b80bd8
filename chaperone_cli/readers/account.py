"""What became of the text in a log: every character is kept, left out for a named reason, or lost.

Readers know where their formats keep what was said. This knows nothing of formats: it looks at all
the text that a record holds, wherever that lies, and at what was made of it. So it sees also what
a reader does not look for.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.values import SPEAKER, parsed_string


def _names(table: str) -> frozenset[str]:
    return frozenset(table.split())


_ALTERNATIVE = "alternative"
"""The reason why all but one of several may be left out."""
_SAID = _names(
    "answer body completion content inputtext mes message output outputtext parts prompt query "
    "question rawcontent refusal reply response result said text utterance value"
)
"""Keys whose strings are text however short they are; by others only whole phrases are."""
_FACTS = _names(
    "account age author avatar category channel comment count currency date description "
    "displayname domain email error event exportat extension filename finishreason format from "
    "gender href identifier key kind label lang language level link location mimetype modalities "
    "mode model modelslug name namespace origin owner path pipeline platform project provider "
    "recipient region release role sender service severity speaker stack state status "
    "statusmessage subject subtitle summary tag tags task timestamp timezone title tool topic "
    "traceback trajectory type updated useragent user username version zone"
)
"""Keys whose strings are facts about a record, and nobody's words in a conversation."""
_FACT_ENDINGS = ("id", "at", "time", "date", "url", "uuid", "name", "token")
_KINDS = {
    name: kind
    for kind, names in {
        _ALTERNATIVE: "alternatives candidates choices gen_ai.output.messages generations swipes "
        "swipeinfo variants",
        "attachment": "attachments blob data docs documents file files filesv images imageurl "
        "inlinedata sources",
        "definition": "definition definitions examples functiondeclarations functions greeting "
        "jsonschema parameters persona responseformat scenario tooldefinitions tools",
        "metadata": "additionalkwargs annotations citations config configuration events extra "
        "flags headers info logprobs meta metadata modelparameters options plugins references "
        "resource resourceattributes responsemetadata scope serialized settings store usage "
        "usagemetadata",
        "score": "feedback labels moderation openaimoderation rating ratings scores target targets",
    }.items()
    for name in _names(names)
}
"""Why text below these keys may be left out: it stands beside what was said, or for it."""
_STEPS = _names(
    "SPAN EVENT TOOL RETRIEVER EMBEDDING CHAIN AGENT EVALUATOR GUARDRAIL tool retriever embedding "
    "parser prompt chain"
)
"""What tracing tools call the steps around the calls of a model."""
_TYPED_VALUES = frozenset({"stringValue", "string_value", "arrayValue", "kvlistValue", "values"})
_NOT_IN_NAME = re.compile(r"[^a-z]+")
# Shorter than any stretch of conversation that would give something away.
_LIKE_A_KEY = re.compile(r"[A-Za-z][\w.-]{0,15}", re.ASCII)
_BREAK = re.compile(r"\s*(?:\n|</?antThinking>)\s*")
_NOTHING = "None"
"""As Python prints that nothing was said."""
_NAMED = 5


class Lost(Counter[str]):
    """Characters of text of which nothing was made, by the key under which they stand."""

    def __str__(self) -> str:
        names = [f"`{key}`" for key, _ in self.most_common()]
        further = len(names) - _NAMED
        more = f" and {further} other keys" if further > 0 else ""
        number = self.total()
        plural = "" if number == 1 else "s"
        return f"{number:,} character{plural} of text under {', '.join(names[:_NAMED])}{more}"


class Text(NamedTuple):
    """A string of a record that may be somebody's words."""

    key: str
    """As a message may show it: what stands as a key may be anything, even what was said."""
    reason: "Reason | None"
    """Why it may be left out, if anything says so."""
    text: str


class Reason(NamedTuple):
    """Why text below one key of a record may be left out."""

    kind: str
    place: int
    """Told apart where one of several alternatives must be kept."""


class Account:
    """The characters of text in one log: how many were seen, and what of them was not kept."""

    def __init__(self) -> None:
        self.seen = 0
        self.left: Counter[str] = Counter()
        """Characters in no turn and no context, by the reason for it."""
        self.lost = Lost()
        """Those that nothing explains."""
        self._first_lost: int | None = None
        self._told = False

    @property
    def kept(self) -> int:
        """The characters that became turns or context."""
        return self.seen - self.left.total() - self.lost.total()

    def keep(self, characters: int) -> None:
        """Adds text that was read by its keys, all of which became turns or context."""
        self.seen += characters

    def skip(self, kind: str, characters: int) -> None:
        """Adds text of which nothing was made, and why."""
        if characters:
            self.seen += characters
            self.left[kind] += characters

    def take(
        self, record: object, texts: Iterable[str], line: int, otherwise: str | None = None
    ) -> Lost:
        """Adds what became of `record`, of which `texts` were made; gives what is lost of it.

        `otherwise` is why text of it is left out for which there is no other reason.
        """
        made, lost = _Made(texts), Lost()
        left: list[tuple[str, Reason, int]] = []
        chosen: set[Reason | None] = set()
        for key, reason, text in texts_in(record, made.whole):
            self.seen += len(text)
            missing = made.lacks(text)
            if not missing:
                chosen.add(reason)
            elif reason:
                left.append((key, reason, missing))
            elif otherwise:
                self.left[otherwise] += missing
            else:
                lost[key] += missing
        for key, reason, missing in left:
            if reason.kind == _ALTERNATIVE and reason not in chosen and not otherwise:
                lost[key] += missing
            else:
                self.left[reason.kind] += missing
        if lost:
            self._first_lost = self._first_lost or line
            self.lost.update(lost)
        return lost

    def nothing_kept_since(self, seen: int, kept: int) -> str | None:
        """Says so where text was seen since `seen` and `kept` were its figures, and none kept."""
        if self.seen == seen or self.kept > kept:
            return None
        number = self.seen - seen
        plural = "" if number == 1 else "s"
        return f"holds {number:,} character{plural} of text, none of which became turn or context"

    def leave(self, kind: str, characters: int) -> None:
        """Notes that so many characters that were taken as kept were left out after all."""
        if characters:
            self.left[kind] += characters

    def include(self, other: "Account") -> None:
        """Adds the figures of another log."""
        self.seen += other.seen
        self.left.update(other.left)
        self.lost.update(other.lost)

    def __str__(self) -> str:
        seen = f"{self.seen:,} character{'' if self.seen == 1 else 's'} of text"
        kinds = {**dict(self.left.most_common()), "lost": self.lost.total()}
        left = [f"{number:,} {kind}" for kind, number in kinds.items() if number]
        return f"{seen}, all kept" if not left else f"{seen}: {self.kept:,} kept, {', '.join(left)}"

    def tell(self, lost: Lost) -> None:
        """Notes that a Problem of its own tells of what was lost of a record."""
        self.lost = Lost(self.lost - lost)
        self.left["not audited"] += lost.total()

    def problems(self, path: str, severity: Severity = Severity.WARNING) -> Iterator[Problem]:
        """Says what was lost, all together and once."""
        if self.lost and not self._told:
            self._told = True
            message = f"{self.lost} became neither turn nor context, here first"
            yield Problem(severity, path, message, self._first_lost)


def says_nothing(lost: Lost) -> str:
    """Says as a clause that a message is blank, and what was lost of it."""
    return f"says nothing where words are expected, and holds {lost}"


def untold(record: object) -> Lost:
    """Gives what is lost of a record of which nothing was made."""
    return Account().take(record, (), 1)


def texts_in(record: object, whole: Container[str] = ()) -> Iterator[Text]:
    """Gives all text of a record, in whatever depth, also in JSON that stands in strings.

    What is in `whole` is one text, whatever it looks like.
    """
    # A log takes much of its time here: hence one loop, which passes over what cannot be text.
    waiting: list[tuple[Any, str, Reason | None]] = [(record, "", None)]
    while waiting:
        value, key, reason = waiting.pop()
        if isinstance(value, str):
            if isinstance(parsed := value if value in whole else parsed_string(value), str):
                if _is_text(parsed, key):
                    yield Text(_shown(key), reason, parsed)
            else:
                waiting.append((parsed, key, reason))
        elif isinstance(value, list):
            waiting += [(each, key, reason) for each in value if each]
        elif isinstance(value, dict):
            reason = reason or _reason(value)
            if "key" in value and len(value) == 2:  # an attribute, as OpenTelemetry writes it
                value = {str(value["key"]): value.get("value")}
            for name, inner in value.items():
                kind = type(inner)
                if kind is str:
                    if inner and _may_hold_text(name):
                        waiting.append((inner, *_below(name, key, reason, value)))
                elif kind is dict or kind is list:
                    waiting.append((inner, *_below(name, key, reason, value)))


def _below(
    name: str, key: str, reason: Reason | None, value: dict[str, Any]
) -> tuple[str, Reason | None]:
    """Gives the key under which what `value` has as `name` stands, and why it may be left out."""
    if name in _TYPED_VALUES:
        return key, reason
    if reason is None:
        twice = name == "text" and value.get("content") and "sender" in value
        if kind := "rendering" if twice else _kind(name):
            return name, Reason(kind, id(value))
    return name, reason


def _reason(value: dict[str, Any]) -> Reason | None:
    """Gives why all text of an object may be left out."""
    if value.get("deleted") is True:
        return Reason("deleted", id(value))
    for key in ("type", "run_type"):
        if isinstance(kind := value.get(key), str) and kind in _STEPS:
            return Reason("step", id(value))
    return None


@lru_cache(maxsize=4096)
def _shown(key: str) -> str:
    return key if _plain(key) in _SAID or _LIKE_A_KEY.fullmatch(key) else "..."


@lru_cache(maxsize=4096)
def _kind(name: str) -> str | None:
    if name.startswith("_"):
        return "metadata"
    return _KINDS.get(name) or _KINDS.get(_plain(name))


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """Gives a key as the tables above have it: the last word behind dots, in small letters."""
    words = [word for word in name.lower().split(".") if not word.isdecimal()]
    return _NOT_IN_NAME.sub("", words[-1]) if words else ""


@lru_cache(maxsize=4096)
def _may_hold_text(key: str) -> bool:
    name = _plain(key)
    return name in _SAID or not (name in _FACTS or name.endswith(_FACT_ENDINGS))


def _is_text(value: str, key: str) -> bool:
    # Not every script parts its words.
    return (
        " " in value.strip()
        or not value.isascii()
        or (_plain(key) in _SAID and bool(value.strip()))
    )


class _Made:
    """The texts that were made of a record."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.whole = frozenset(texts)
        self._all: str | None = None

    def lacks(self, text: str) -> int:
        """Gives how many characters of `text` are in none of them."""
        if text in self.whole:
            return 0
        if self._all is None:
            self._all = "\n".join(self.whole)
        if text.strip() in self._all:
            return 0
        lines = [SPEAKER.sub("", line) for line in _BREAK.split(text.strip())]
        missing = sum(len(line) for line in lines if not self._holds(line, self._all))
        return len(text) if missing == sum(map(len, lines)) else missing

    def _holds(self, line: str, made: str) -> bool:
        if line in made or line == _NOTHING:
            return True
        # Calls of tools are kept as JSON, in which the line stands with its escapes.
        return bool(made) and orjson.dumps(line)[1:-1].decode() in made
