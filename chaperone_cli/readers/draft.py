"""A conversation under construction, with everything that is wrong with it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from chaperone_cli.codec.conversation import is_blank
from chaperone_cli.codec.message import identifier
from chaperone_cli.domain.conversation import Conversation, Message, Role, Side, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import Account, says_nothing, untold
from chaperone_cli.readers.content import Context, said
from chaperone_cli.readers.times import utc

ROLES: dict[str, Role] = {
    "user": Role.USER,
    "human": Role.USER,
    "prompter": Role.USER,
    "customer": Role.USER,
    "assistant": Role.ASSISTANT,
    "agent": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "bard": Role.ASSISTANT,
    "bing": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "chatbot": Role.ASSISTANT,
    "chatgpt": Role.ASSISTANT,
    "claude": Role.ASSISTANT,
    "gemini": Role.ASSISTANT,
    "gpt": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "function_call": Role.TOOL,
    "function_response": Role.TOOL,
    "ipython": Role.TOOL,
    "observation": Role.TOOL,
    "event": Role.EVENT,
}
"""Who speaks, by the words that exports have for it, in lower case."""

_ROLE_LIKE = re.compile(r"[A-Za-z][A-Za-z_-]{0,15}")
_FACTS = ("title", "created_at", "updated_at", "model", "account")


class Place(NamedTuple):
    """Where a document stands in a log."""

    path: str
    line: int
    item: int | None
    """Its number in the list that the file holds, from 1."""

    @property
    def source(self) -> Source:
        """The place as conversations name it."""
        return Source(self.path, self.line, self.item)

    @property
    def name(self) -> str:
        """An id for a conversation that has none of its own."""
        return f"{self.path}#{self.item or self.line}"


class Draft:
    """Gathers messages in order; one defect makes the whole conversation unfit for an audit."""

    def __init__(self, place: Place, id: object = None) -> None:
        self.place = place
        self.id = identifier(id) or place.name
        self.messages: list[Message] = []
        self.meta: dict[str, Any] = {}
        self.label: str | None = None
        self._blank_turns = 0
        self._placeholders = 0
        self._defects: dict[str, list[object]] = {}
        """What is wrong, and with which entries."""
        self._losses: list[str] = []

    def branch(self, name: str) -> None:
        """Makes this an abandoned branch, whose own id ends with `name`."""
        self.meta["branch_of"] = self.id
        self.id = f"{self.id}~{name}"

    def facts(self, **facts: object) -> None:
        """Adds what the export says of the conversation: title, times, model, account and others.

        Times are normalised; as they were exported they stand under `original`.
        """
        for name, value in facts.items():
            if value is None or value == "" or not isinstance(value, str | int | float):
                continue
            if name.endswith("_at") and (time := utc(value)) is not None:
                self.meta[name] = time
                if time != value:
                    self.meta.setdefault("original", {})[name] = value
            else:
                self.meta[name] = value

    def role(self, value: object, entry: object) -> Role | None:
        """Reads who speaks in `entry`; None, and a defect, where that is not known."""
        role = ROLES.get(value.lower()) if isinstance(value, str) else None
        if role is None:
            shown = isinstance(value, str) and _ROLE_LIKE.fullmatch(value)
            named = f"`{value}` is not known" if shown else "is missing or not known"
            self.defect(f": its speaker {named}; expected user, assistant or system", entry)
        return role

    def say(
        self,
        role: Role,
        content: object,
        place: int | str,
        *,
        id: object = None,
        name: str | None = None,
        at: object = None,
        extra: int = 0,
        record: object = None,
    ) -> None:
        """Adds a message; what it holds besides words stands before it as context.

        `extra` counts placeholders that already stand in `content` as text. `record` is the whole
        that `content` was read from: where that is blank, there must be no other text in it.
        """
        text, placeholders, context = (
            (content, 0, ()) if isinstance(content, str) else said(content)
        )
        self._placeholders += placeholders + extra
        for piece in context:
            self.context(piece, place, at)
        if not is_blank(text):
            self.messages.append(Message(role, text, identifier(id), name, utc(at), place))
        elif not context:
            self._blank_turns += Side.of(role) is not None
            if lost := untold(record):
                self.defect(f" {says_nothing(lost)}", place)

    def context(
        self, piece: Context, place: int | str, at: object = None, placeholders: int = 0
    ) -> None:
        """Adds context, if there is anything in it, with the `placeholders` in its text."""
        self._placeholders += placeholders
        if not is_blank(piece.text):
            self.messages.append(Message(piece.role, piece.text, None, piece.name, utc(at), place))

    @contextmanager
    def accounting(self, record: object, line: int, account: Account) -> Iterator[None]:
        """Adds to `account` what becomes of a record that holds one message, or less."""
        before, defects = len(self.messages), len(self._defects)
        yield
        texts = (message.text for message in self.messages[before:])
        account.take(record, texts, line, "not audited" if len(self._defects) > defects else None)

    def defect(self, clause: str, entry: object = None) -> None:
        """Notes why this conversation cannot be audited: a clause that goes on from its `entry`."""
        self._defects.setdefault(clause, []).append(entry)

    def loss(self, clause: str) -> None:
        """Notes what the audit of this conversation will lack."""
        self._losses.append(clause)

    def finish(self) -> "list[Conversation | Problem]":
        """Gives the conversation with a warning for each loss, or an error for each defect."""
        if self._defects:
            ending = "; this conversation is not audited"
            defects = (_defect(clause, entries) for clause, entries in self._defects.items())
            return [self._problem(Severity.ERROR, each + ending) for each in defects]
        warnings = [self._problem(Severity.WARNING, each) for each in self._losses]
        return [*warnings, self._conversation()]

    def _conversation(self) -> Conversation:
        meta: Mapping[str, Any] = {
            **{name: self.meta[name] for name in _FACTS if name in self.meta},
            **{name: value for name, value in self.meta.items() if name not in _FACTS},
        }
        return Conversation(
            self.id,
            tuple(self.messages),
            self.place.source,
            self.label,
            meta=meta,
            blank_turns=self._blank_turns,
            placeholders=self._placeholders,
        )

    def _problem(self, severity: Severity, message: str) -> Problem:
        return Problem(severity, self.place.path, message, self.place.line, self.id)


def _defect(clause: str, entries: list[object]) -> str:
    """Says what is wrong once, however many entries it is wrong with."""
    first, *others = entries
    if first is None:
        return clause
    return f"entry {first}{f' and {len(others)} more' if others else ''}{clause}"
