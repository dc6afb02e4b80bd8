"""Reads the results of a batch, one request's at a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chaperone_cli.domain.cost import Tokens
from chaperone_cli.domain.vote import Vote
from chaperone_cli.evaluators.claude import reply
from chaperone_cli.evaluators.claude.meter import tokens_of


@dataclass(frozen=True, slots=True)
class Result:
    """What one request of a batch came to."""

    vote: Vote | None
    """None where the request is worth handing in again."""
    tokens: Tokens | None = None
    """What it took; None where it is not billed."""


AGAIN = Result(None)


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
            tokens = tokens_of(message.get("usage"))
            whole = isinstance(message.get("content"), list)
            return Result(reply.read(message, label) if whole else None, tokens)
        case "errored" if _cause(result.get("error")) == "invalid_request_error":
            return Result(reply.ERROR)
        case _:
            return AGAIN


def _cause(error: Any) -> object:
    inner = error.get("error") if isinstance(error, Mapping) else None
    return inner.get("type") if isinstance(inner, Mapping) else None
