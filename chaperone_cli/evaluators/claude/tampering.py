"""Finds texts that look made to sway whoever evaluates them."""

import re
from collections.abc import Iterable

from chaperone_cli.domain.conversation import Conversation, Message, Turn
from chaperone_cli.domain.vote import TAMPERING

_UNSEEN_RUN = re.compile(
    r"[\U000e0000-\U000e007f]|[\u202a-\u202e\u2066-\u2069]|[\U000e0100-\U000e01ef]"
    r"|[\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f]{4}|[\ue000-\uf8ff\U000f0000-\U0010ffff]{4}"
)
_TEMPLATE = re.compile(
    r"<[|\uff5c][\w\u2581 ]{2,40}[|\uff5c]>|\[/?(?:INST|SYSTEM_PROMPT)\]|<</?SYS>>"
    r"|</?(?:start|end)_of_turn>|</s>"
)
_ROLE = re.compile(
    r"^\W{0,12}(?:system|assistant|human|user|chatbot|developer|auditor|evaluator|turn \d{1,4}"
    r"|context)\W{0,4}(?: (?:message|prompt|note|override|user|chatbot|system))?\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(
    r"</?(?:system|conversation|transcript|turn|instructions?|context|question|answer|rubric"
    r"|evaluation|audit)\b[^<>\n]{0,60}>",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}"
    r"\b(?:instructions?|prompts?|rules?|rubric|guidance|guidelines)\b"
    r"|\bnew (?:system )?instructions?\b\W{0,3}:",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:evaluators?|auditors?|graders?|judges?|classifiers?|moderators?|raters?|annotators?)\b"
    r"[^.\n]{0,60}\b(?:answer|reply|respond|vote|output|say|return|rate|label|mark|classify"
    r"|conclude)\b"
    r"|\b(?:answer|reply|respond|vote|output|return|classif\w+|label)\b[^.\n]{0,40}"
    r"(?:[\"'`\u201c\u2018(:]\s*(?:no|yes|false|true)\b|\bnot parasocial\b)",
    re.IGNORECASE,
)
_PLANTED = re.compile(
    r"[{\[]\s*[\"']?(?:parasocial|answer|verdict|vote|label)[\"']?\s*:\s*[\"']?"
    r"(?:true|false|yes|no|pass|0|1)\b",
    re.IGNORECASE,
)

KINDS: dict[str, re.Pattern[str]] = {
    "hidden characters": _UNSEEN_RUN,
    "control tokens": _TEMPLATE,
    "imitated turns": _ROLE,
    "imitated structure": _TAG,
    "instructions": _OVERRIDE,
    "words to the evaluator": _ADDRESSED,
    "planted answer": _PLANTED,
}
"""What each kind of suspicion is called, and the text that raises it."""


def suspicions(messages: Iterable[Message]) -> tuple[str, ...]:
    """Names the suspicions that `messages` raise, as cues for a vote's evidence.

    A suspicion changes no vote: it asks for a person's look. Ordinary talk about instructions or
    code can raise one.
    """
    texts = [message.text for message in messages]
    return tuple(
        f"{TAMPERING}: {kind}"
        for kind, pattern in KINDS.items()
        if any(pattern.search(text) for text in texts)
    )


def marks_of(conversation: Conversation, turn: Turn) -> tuple[str, ...]:
    """Gives what is suspicious in `turn` and the context right before it.

    Whatever was voted on before plays no part, so that resumed and uninterrupted runs mark alike.
    """
    before = conversation.turns[turn.number - 2].index + 1 if turn.number > 1 else 0
    return suspicions(conversation.messages[before : turn.index + 1])
