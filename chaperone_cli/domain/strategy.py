"""How a response is to be rewritten: data with an id, and the texts that carry it out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a model is asked; the answer to the last step is the rewrite."""

    id: str
    ask: str
    """With placeholders: `{help}`, `{principles}`, and the ids of earlier steps."""


@dataclass(frozen=True, slots=True)
class Offline:
    """What is said around a pruned response, with the placeholders of a concern and `{help}`."""

    opening: str
    closing: str
    closing_only_if_needed: bool
    """Add the closing only where the response does not pass without it."""
    reply: str
    """What takes the response's place where nothing useful remains of it."""


@dataclass(frozen=True)
class Strategy:
    """An aim for rewrites, under an id and a version."""

    id: str
    version: int
    title: str
    steps: tuple[Step, ...]
    offline: Offline | None = None
    """None where only a model can carry the strategy out."""
    principles: tuple[str, ...] = ()
    least_words: int = 3
    most_words: int = 120
    """The longest rewrite, unless the original was longer."""

    @cached_property
    def digest(self) -> str:
        """SHA-256, hexadecimal, of everything that shapes a rewrite."""
        parts: list[str] = [self.id, str(self.version), *self.principles]
        parts += [text for step in self.steps for text in (step.id, step.ask)]
        if (said := self.offline) is not None:
            parts += [said.opening, said.closing, str(said.closing_only_if_needed), said.reply]
        parts += [str(self.least_words), str(self.most_words)]
        data = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
        return sha256(data).hexdigest()


def placeholders(text: str) -> tuple[str, ...]:
    """Names what `filled` would fill in, in order."""
    return tuple(_PLACEHOLDER.findall(text))


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with every `{name}` of `values` filled in; values are not read again."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text.strip())
