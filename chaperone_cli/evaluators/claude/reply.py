"""Reads a reply strictly: yes, no, or an abstention with its reason; never a guess."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Vote

REFUSED = Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
UNREADABLE = Vote(Answer.ABSTAIN, AbstainReason.UNREADABLE)
ERROR = Vote(Answer.ABSTAIN, AbstainReason.ERROR)
TOO_LONG = Vote(Answer.ABSTAIN, AbstainReason.TOO_LONG)
REJECTED = Vote(Answer.ABSTAIN, AbstainReason.REJECTED)

FINISHED = ("end_turn", "stop_sequence", "stop", None)
"""Reasons to stop that leave a reply whole; some servers have their own, or give none."""
CUT_OFF = "max_tokens"
"""The reason to stop of a reply that needed more tokens than it was allowed."""
FINAL = ("refusal", "model_context_window_exceeded")
"""Reasons to stop after which the same request is not made again within a run."""

_THOUGHT = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
"""How models on other servers show their thinking when it is not kept apart from the answer."""
_FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)
_WORD = re.compile(r"\w+")
_WORDS = {"yes": YES, "no": NO}


class UnusableBodyError(ValueError):
    """The body of a response is no message at all: the call failed, whatever its status said."""


def parse(body: bytes) -> dict[str, Any]:
    """Reads the body of a response with status 200; raises UnusableBodyError."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise UnusableBodyError("the body is not JSON") from exc
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        raise UnusableBodyError("the body is not a message")
    return message


def read(message: Mapping[str, Any], key: str) -> Vote:
    """Gives the vote that `message` casts, with its answer under `key` where it is JSON."""
    stop = message.get("stop_reason")
    if stop == "refusal":
        return REFUSED
    if stop == "model_context_window_exceeded":
        return TOO_LONG
    if stop not in FINISHED:
        return UNREADABLE
    return understand(text(message), key)


def casts_vote(key: str) -> Callable[[Mapping[str, Any]], bool]:
    """Gives what says whether a message casts a vote other than an abstention."""
    return lambda message: read(message, key).reason is None


def text(message: Mapping[str, Any]) -> str:
    """Gives the text of `message`, without its thinking and whatever else is not text."""
    parts = [
        block["text"]
        for block in message["content"]
        if isinstance(block, Mapping)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ]
    return "".join(parts)


def bare(answer: str) -> str:
    """Gives `answer` without thinking in front of it and without a fence around it."""
    said = _THOUGHT.sub("", answer).strip()
    fenced = _FENCE.match(said)
    return fenced[1] if fenced else said


def understand(answer: str, key: str) -> Vote:
    """Gives the vote that the text `answer` casts.

    It is a JSON object with true or false under `key` and nothing else, or text whose first or last
    word is yes or no and that holds no other yes or no.
    """
    said = bare(answer)
    if said.startswith("{"):
        return _of_json(said, key)
    words = [word.casefold() for word in _WORD.findall(said)]
    said_words = {word for word in words if word in _WORDS}
    if len(said_words) != 1 or not said_words & {words[0], words[-1]}:
        return UNREADABLE
    return _WORDS[said_words.pop()]


def _of_json(said: str, key: str) -> Vote:
    try:
        document = orjson.loads(said)
    except orjson.JSONDecodeError:
        return UNREADABLE
    if not isinstance(document, dict) or document.keys() != {key}:
        return UNREADABLE
    value = document[key]
    if isinstance(value, bool):
        return YES if value else NO
    return _WORDS.get(value.casefold(), UNREADABLE) if isinstance(value, str) else UNREADABLE
