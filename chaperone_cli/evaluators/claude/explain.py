"""Has a first block explained: a short reason, and the stretch of text that shows it best.

A model may make a quote up. Only a quote that stands in the conversation is kept, as its place.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.verdict import Explanation
from chaperone_cli.domain.vote import Span
from chaperone_cli.evaluators.claude import models, reply
from chaperone_cli.evaluators.claude.models import Form
from chaperone_cli.evaluators.claude.prompt import Prompt, Task
from chaperone_cli.evaluators.claude.wording import wording

REASON_LENGTH = 300
"""Characters of a reason at most."""
REPEATED = 20
"""Characters in a row that a reason may not share with a turn."""
LEFT_OUT = "[...]"
LEAST_TOKENS = 1024
"""Most tokens of a reply, at least."""


def prompt(rubric: Rubric, model: str, form: Form, marker: str) -> Prompt:
    """Gives the prompt that asks why a conversation blocks."""
    fields = models.schema(reason="string", turn="integer", quote="string")
    task = Task(wording().fill("form_explain"), "explain", fields)
    # Nothing is asked about this prefix again: keeping it in the cache would only cost more.
    longer = replace(form, caching=False, max_tokens=max(form.max_tokens, LEAST_TOKENS))
    return Prompt(rubric, model, longer, marker, task=task)


def read(message: dict[str, Any], conversation: Conversation, turn: Turn) -> Explanation | None:
    """Reads the explanation of `turn`; None where it is not in the form that was asked for."""
    if message.get("stop_reason") not in reply.FINISHED:
        return None
    try:
        document = orjson.loads(reply.bare(reply.text(message)))
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict) or not isinstance(document.get("reason"), str):
        return None
    turns = conversation.turns[: turn.number]
    reason = without_repetition(" ".join(document["reason"].split()), turns)
    return Explanation(turn.number, shortened(reason), _span(document, turns))


def _span(document: dict[str, Any], turns: Sequence[Turn]) -> Span | None:
    quote, number = document.get("quote"), document.get("turn")
    if not isinstance(quote, str) or not quote.strip():
        return None
    named = [turn for turn in turns if turn.number == number]
    return next(
        (span for turn in (*named, *reversed(turns)) if (span := find(quote, turn)) is not None),
        None,
    )


def find(quote: str, turn: Turn) -> Span | None:
    """Gives the place of `quote` in `turn`; white space may differ, nothing else."""
    words = r"\s+".join(map(re.escape, quote.split()))
    found = re.search(words, turn.text)
    return Span(turn.number, found.start(), found.end(), turn.side) if found else None


def without_repetition(reason: str, turns: Sequence[Turn]) -> str:
    """Gives `reason` without what it repeats of `turns`, because reports hold no text of a log."""
    kept = [True] * len(reason)
    said, texts = reason.lower(), [" ".join(turn.text.lower().split()) for turn in turns]
    if len(said) != len(reason):
        said = reason
    for start in range(len(said) - REPEATED + 1):
        if any(said[start : start + REPEATED] in text for text in texts):
            kept[start : start + REPEATED] = [False] * REPEATED
    marked = "".join(char if keep else "\0" for char, keep in zip(reason, kept, strict=True))
    return re.sub("\0+", LEFT_OUT, marked)


def shortened(reason: str) -> str:
    """Cuts a reason to its greatest length."""
    return reason if len(reason) <= REASON_LENGTH else reason[: REASON_LENGTH - 3] + "..."
