"""Short digests by which two runs tell a changed log from a changed evaluator."""

import json
from hashlib import blake2b
from typing import NamedTuple

from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Side
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.domain.verdict import Digests

GUESSABLE = 64
"""Characters of prompts below which a conversation could be found by guessing."""

_SIZE = 8


class Digester:
    """Digests the conversations of one run; with a key, nobody without it can check a guess.

    A digest without a key confirms a guess of the whole conversation to whoever makes it, so a
    conversation whose prompts are short enough to be guessed gets none then.
    """

    def __init__(self, header: RunHeader, key: bytes = b"") -> None:
        self._judgement = judgement(header)
        self._key = blake2b(key, digest_size=32).digest() if key else b""
        # Tells digests by different keys apart, which would otherwise look like another log.
        self._mark = f"{blake2b(self._key, digest_size=2).hexdigest()}-" if key else ""

    def digests(self, conversation: Conversation) -> Digests:
        """The digests that a verdict on `conversation` is reported with."""
        return Digests(self._conversation(conversation), self._judgement)

    def _conversation(self, conversation: Conversation) -> str | None:
        turns = conversation.turns
        prompts = sum(len(turn.text) for turn in turns if turn.side is Side.PROMPT)
        if not turns or not (self._key or prompts >= GUESSABLE):
            return None
        # With the id, so that equal conversations do not show as equal.
        data = conversation.id.encode("utf-8", "surrogatepass")
        data += PrefixHasher(conversation).up_to(turns[-1])
        return self._mark + blake2b(data, digest_size=_SIZE, key=self._key).hexdigest()


def judgement(header: RunHeader) -> str:
    """Digests everything besides the log that shapes a verdict: evaluator, screen, rubric, rule."""
    shaping = [value for name, value in facets(header) if (name, value) != _UNSCREENED]
    return blake2b(json.dumps(shaping).encode(), digest_size=_SIZE).hexdigest()


class Facet(NamedTuple):
    """One thing besides the log that shapes a verdict."""

    name: str
    value: str


_UNSCREENED = Facet("screen", "none")
"""Takes no part in digests, which then stay what they were before there were screens."""


def facets(header: RunHeader) -> tuple[Facet, ...]:
    """Everything besides the log that shapes a verdict, by name."""
    protocol = header.protocol
    settings = json.dumps(dict(header.evaluator_settings), sort_keys=True)
    return (
        Facet("evaluator", header.evaluator),
        Facet("evaluator version", header.evaluator_version),
        Facet("evaluator settings", settings),
        Facet("rubric", f"{protocol.rubric.id} v{protocol.rubric.version}"),
        Facet("rubric digest", protocol.rubric.digest),
        Facet("rule", f"{protocol.rule.threshold(protocol.passes)} of {protocol.passes} votes"),
        Facet("sides", protocol.sides.value),
        Facet("until block", str(protocol.until_block).lower()),
        Facet("screen", str(protocol.screening)) if protocol.screening else _UNSCREENED,
    )


def comparable(one: str | None, other: str | None) -> bool:
    """Whether two conversation digests are both there and made with the same key, or none."""
    if one is None or other is None:
        return False
    return one.rpartition("-")[0] == other.rpartition("-")[0]
