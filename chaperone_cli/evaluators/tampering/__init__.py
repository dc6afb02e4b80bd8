"""Finds texts that look made to sway whoever evaluates them, for any evaluator that reads them."""

from collections.abc import Iterable

from chaperone_cli.domain.conversation import Conversation, Message, Turn
from chaperone_cli.domain.vote import TAMPERING
from chaperone_cli.evaluators.tampering import structure, views, wording

KINDS = (*structure.KINDS, *wording.KINDS)
"""What each kind of suspicion is called, in the order in which cues name them."""


def suspicions(messages: Iterable[Message]) -> tuple[str, ...]:
    """Names the suspicions that `messages` raise, as cues for a vote's evidence.

    A suspicion changes no vote: it asks for a person's look. Ordinary talk about instructions or
    code can raise one.
    """
    found: set[str] = set()
    for message in messages:
        found |= _kinds(message.text)
        if message.name:
            found |= structure.in_name(message.name) | _kinds(message.name)
    return tuple(f"{TAMPERING}: {kind}" for kind in KINDS if kind in found)


def marks_of(conversation: Conversation, turn: Turn) -> tuple[str, ...]:
    """Gives what is suspicious in `turn` and the context right before it.

    Whatever was voted on before plays no part, so that resumed and uninterrupted runs mark alike.
    """
    before = conversation.turns[turn.number - 2].index + 1 if turn.number > 1 else 0
    return suspicions(conversation.messages[before : turn.index + 1])


def _kinds(text: str) -> set[str]:
    plain = views.folded(text)
    found = structure.kinds(text, plain) | wording.kinds(plain)
    for disguised in views.uncovered(text, plain):
        found |= structure.kinds(disguised, disguised) | wording.kinds(disguised)
    return found
