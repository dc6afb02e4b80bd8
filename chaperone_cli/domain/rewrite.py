"""One response that is to be rewritten, and a proposed rewrite of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from chaperone_cli.domain.conversation import Conversation, Message, Side, Turn
from chaperone_cli.errors import UsageError


@dataclass(frozen=True)
class Target:
    """One response that is to be rewritten."""

    conversation: Conversation
    turn: Turn

    @classmethod
    def at(cls, conversation: Conversation, number: int) -> "Target":
        """Turn `number` as a target; raises UsageError where that is no response."""
        turns = conversation.turns
        where = f"turn {number} of conversation {conversation.id!r}"
        if not 1 <= number <= len(turns):
            raise UsageError(
                f"there is no {where}",
                hint=_numbered(len(turns)),
                conversation=conversation.id,
            )
        if turns[number - 1].side is Side.PROMPT:
            near = next((t.number for t in turns[number:] if t.side is Side.RESPONSE), None)
            raise UsageError(
                f"{where} is a prompt; only responses can be rewritten",
                hint="no response follows it" if near is None else f"use --turn {near}",
                conversation=conversation.id,
            )
        return cls(conversation, turns[number - 1])

    @property
    def context(self) -> tuple[Message, ...]:
        """The messages before the response."""
        return tuple(self.conversation.messages[: self.turn.index])

    @cached_property
    def prompts(self) -> tuple[str, ...]:
        """The user's utterances before the response, in order."""
        before = self.conversation.turns[: self.turn.number - 1]
        return tuple(turn.text for turn in before if turn.side is Side.PROMPT)

    @property
    def prompt(self) -> str:
        """The user's last utterance before the response; empty where there is none."""
        return self.prompts[-1] if self.prompts else ""

    @property
    def later_turns(self) -> int:
        """Turns that followed the original; they are no continuation of a rewrite."""
        return len(self.conversation.turns) - self.turn.number

    def saying(self, text: str) -> "Target":
        """The conversation up to this turn, with `text` as the response.

        It ends there: what was said later answered the original and not the rewrite.
        """
        message = self.turn.message._replace(text=text)
        conversation = replace(self.conversation, messages=(*self.context, message))
        return Target(conversation, conversation.turns[self.turn.number - 1])


def _numbered(turns: int) -> str:
    return "it has 1 turn" if turns == 1 else f"it has {turns} turns, numbered from 1"


class Remark(StrEnum):
    """What a rewriter has to say of its rewrite."""

    NOTHING_USEFUL = "nothing_useful"
    """Nothing useful remained of the original; the rewrite is a short neutral reply."""
    REPLACED = "replaced"
    """What could be kept did not pass; the rewrite is a short neutral reply."""
    NOTHING_TO_REMOVE = "nothing_to_remove"
    """The original carries no bond by itself."""


@dataclass(frozen=True)
class Draft:
    """A proposed rewrite."""

    text: str
    removed: tuple[str, ...] = ()
    """Sentences of the original that were left out or changed, where the rewriter knows them."""
    remarks: tuple[Remark, ...] = ()
    notes: Mapping[str, str] | None = None
    """What a model wrote in the earlier steps of a strategy."""


class Failure(StrEnum):
    """Why there is no rewrite."""

    REFUSED = "refused"
    UNREADABLE = "unreadable"
    ERROR = "error"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
