"""Reads the results of a batch, one request's at a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chaperone_cli.domain.cost import Tokens
from chaperone_cli.domain.vote import Vote
from chaperone_cli.evaluators.claude import faults, reply
from chaperone_cli.evaluators.claude.meter import tokens_of


@dataclass(frozen=True, slots=True)
class Result:
    """What one request of a batch came to."""

    vote: Vote
    tokens: Tokens | None = None
    """What it took; None where it is not billed."""
    again: bool = False
    """The request is worth handing in again; if it is not, the vote stands."""


AGAIN = Result(reply.ERROR, again=True)


def key_of(row: Mapping[str, Any]) -> bytes:
    """Gives the key of the vote that `row` is about; nothing that is filed where it is not ours."""
    try:
        return bytes.fromhex(str(row.get("custom_id")))
    except ValueError:
        return b""


def read(row: Mapping[str, Any], label: str) -> Result:
    """Reads the result in `row`, with its answer under `label`."""
    result = row.get("result")
    if not isinstance(result, Mapping):
        return AGAIN
    message = result.get("message")
    match result.get("type"):
        case "succeeded" if isinstance(message, Mapping):
            return _answered(message, label)
        case "errored":
            return _errored(result.get("error"))
        case _:
            return AGAIN


def _answered(message: Mapping[str, Any], label: str) -> Result:
    tokens = tokens_of(message.get("usage"))
    if not isinstance(message.get("content"), list):
        return Result(reply.ERROR, tokens, again=True)
    vote = reply.read(message, label)
    return Result(vote, tokens, again=vote == reply.UNREADABLE)


def _errored(error: Any) -> Result:
    inner = error.get("error") if isinstance(error, Mapping) else None
    if not isinstance(inner, Mapping) or inner.get("type") != "invalid_request_error":
        return AGAIN
    return Result(reply.TOO_LONG if faults.too_long(inner.get("message")) else reply.REJECTED)
