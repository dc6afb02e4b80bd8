"""One dialogue as it was exported: its messages, and the turns among them that are voted on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

EMPTY_PREFIX = bytes(16)
"""The hash of a conversation before its first message."""


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    EVENT = "event"


class Side(StrEnum):
    """Which side of the conversation a turn comes from."""

    PROMPT = "prompt"
    RESPONSE = "response"

    @classmethod
    def of(cls, role: Role) -> "Side | None":
        """The side that `role` speaks for; None for context, which is never voted on."""
        return _SIDES.get(role)


_SIDES = {Role.USER: Side.PROMPT, Role.ASSISTANT: Side.RESPONSE}


class Sides(StrEnum):
    """Which turns a run votes on; the others are still shown to the evaluator."""

    PROMPTS = "prompts"
    RESPONSES = "responses"
    BOTH = "both"

    def include(self, side: Side) -> bool:
        """Whether turns of `side` are voted on."""
        return self is Sides.BOTH or self.value == f"{side.value}s"


class Source(NamedTuple):
    """Where a conversation stands, as the user would look it up."""

    path: str
    """The file as it was named to chaperone; `-` for standard input.

    A member of an archive stands behind the archive and `!`: `export.zip!conversations.json`.
    """
    line: int
    """The line on which it begins, from 1."""
    item: int | None = None
    """Its number in the list that the file holds, from 1; None where a file is no list."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}"
        return place if self.item is None else f"{place} item {self.item}"


class Message(NamedTuple):
    """One utterance, or one piece of context between utterances."""

    # Logs hold millions of messages: a frozen dataclass takes several times as long to make.

    role: Role
    text: str
    """The whole content; parts that are not text stand in it as `[kind]` placeholders."""
    id: str | None = None
    name: str | None = None
    at: str | None = None
    """When it was said, ISO 8601."""
    place: int | str | None = None
    """Where it stands in its conversation's source: the number of its line, or of its entry in the
    list of messages, from 1; or the key of its node in a tree."""

    def chain(self, prefix: bytes) -> bytes:
        """The hash of the conversation that ends with this message after `prefix`.

        Only what an evaluator is shown takes part: role, name and text, length-prefixed so that no
        text can imitate another division into messages.
        """
        digest = blake2b(prefix, digest_size=len(EMPTY_PREFIX))
        for part in (self.role.value, self.name or "", self.text):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.digest()


class Turn(NamedTuple):
    """One utterance of the user or the chatbot, numbered from 1."""

    # As many as messages, and a tuple for the same reason.

    number: int
    side: Side
    index: int  # type: ignore[assignment]  # (a method of tuples, which no turn needs)
    """Its position among the conversation's messages, from 0."""
    message: Message

    @property
    def text(self) -> str:
        """The utterance."""
        return self.message.text


@dataclass(frozen=True, init=False)
class Conversation:
    """One dialogue with an id, its messages in order, and what its log says about it."""

    id: str
    messages: Sequence[Message]
    source: Source
    label: str | None = None
    """The class that a labelled log gives it: parasocial, sycophantic, neutral, ..."""
    onset: int | None = None
    """The first turn at which a labelled log says that the label holds."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    blank_turns: int = 0
    """Utterances without any text, which are skipped and not numbered."""
    placeholders: int = 0
    """Content parts that are not text and stand as `[kind]` in a message."""

    def __init__(
        self,
        id: str,
        messages: Sequence[Message],
        source: Source,
        label: str | None = None,
        onset: int | None = None,
        meta: Mapping[str, Any] | None = None,
        blank_turns: int = 0,
        placeholders: int = 0,
    ) -> None:
        # A frozen dataclass sets its fields one by one through `object.__setattr__`, which takes
        # as long as decoding two messages.
        fields = vars(self)
        fields["id"] = id
        fields["messages"] = messages
        fields["source"] = source
        fields["label"] = label
        fields["onset"] = onset
        fields["meta"] = {} if meta is None else meta
        fields["blank_turns"] = blank_turns
        fields["placeholders"] = placeholders

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The utterances that can be voted on."""
        new, sides = tuple.__new__, _SIDES
        found: list[Turn] = []
        number = 0
        for index, message in enumerate(self.messages):
            if side := sides.get(message[0]):
                number += 1
                found.append(new(Turn, (number, side, index, message)))
        return tuple(found)


class PrefixHasher:
    """Walks a conversation once and gives the hash of every prefix that ends with a turn."""

    def __init__(self, conversation: Conversation) -> None:
        self._messages = conversation.messages
        self._done = 0
        self._hash = EMPTY_PREFIX

    def up_to(self, turn: Turn) -> bytes:
        """The hash of the conversation up to and including `turn`; turns come in order."""
        while self._done <= turn.index:
            self._hash = self._messages[self._done].chain(self._hash)
            self._done += 1
        return self._hash
