"""Requests as an evaluator lays them out: instructions, one block a turn, a question."""

from dataclasses import dataclass
from typing import Any

from anthropic import Anthropic
from anthropic.types import Message

from tests.support.standin import Standin

HAIKU = "claude-haiku-5-5"
SYSTEM = 600
"""Tokens of the instructions."""
OFF = {"type": "disabled"}
FORMAT = {
    "type": "json_schema",
    "schema": {
        "type": "object",
        "properties": {"parasocial": {"type": "boolean"}},
        "required": ["parasocial"],
        "additionalProperties": False,
    },
}


def block(text: str, ttl: str | None = None) -> dict[str, Any]:
    """Gives a text block, with a cache breakpoint if it is to last `ttl`."""
    control = {"cache_control": {"type": "ephemeral", "ttl": ttl}} if ttl else {}
    return {"type": "text", "text": text, **control}


def params(
    *turns: str, ttl: str = "5m", system: int = SYSTEM, tail: str = "Is it?", **more: Any
) -> dict[str, Any]:
    """Gives the parameters of a vote on the last of `turns`; `system` tokens of instructions."""
    entries = [f"turn {number}: {text}" for number, text in enumerate(turns, start=1)]
    blocks = [block(entry) for entry in entries[:-1]] + [block(entries[-1], ttl), block(tail)]
    return {
        "model": HAIKU,
        "max_tokens": 32,
        "thinking": OFF,
        "system": [block("x" * 4 * system, ttl)],
        "messages": [{"role": "user", "content": blocks}],
        **more,
    }


@dataclass(frozen=True)
class Client:
    """The SDK and the stand-in that it speaks to."""

    sdk: Anthropic
    standin: Standin

    def ask(self, *turns: str, **more: Any) -> Message:
        """Asks for one vote."""
        message = self.sdk.messages.create(**params(*turns, **more))
        assert isinstance(message, Message)
        return message

    def text(self, *turns: str, **more: Any) -> str:
        """Gives the text of one vote."""
        [part] = self.ask(*turns, **more).content
        assert part.type == "text"
        return part.text

    def cached(self, *turns: str, **more: Any) -> tuple[int, int]:
        """Asks for one vote; gives the tokens written to the cache and those read from it."""
        usage = self.ask(*turns, **more).usage
        return usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
