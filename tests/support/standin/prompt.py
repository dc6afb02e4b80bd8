"""A request's prompt as a row of blocks: what is counted, hashed and looked up."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import ceil
from typing import Any

_DRAWN = re.compile(r"\b[0-9a-f]{8,}\b")
FRAME = ("model", "tools", "tool_choice", "thinking", "output_config")
"""What is rendered into the prompt before its blocks, so that a change misses the cache."""


@dataclass(frozen=True, slots=True)
class Block:
    """One system or message block."""

    text: str
    """What it says; of blocks that are not text, their JSON."""
    role: str
    ttl: str | None
    """`5m` or `1h` where the block carries a cache breakpoint."""


@dataclass(frozen=True)
class Prompt:
    """The blocks of one request."""

    blocks: tuple[Block, ...]
    frame: bytes
    characters_per_token: float

    @classmethod
    def of(cls, body: dict[str, Any], characters_per_token: float) -> "Prompt":
        """Takes a valid request apart."""
        blocks = _blocks(body.get("system") or [], "system")
        for message in body["messages"]:
            blocks += _blocks(message["content"], message["role"])
        automatic = body.get("cache_control")
        if automatic and blocks:
            last = blocks[-1]
            blocks[-1] = Block(last.text, last.role, automatic.get("ttl", "5m"))
        frame = json.dumps([body.get(part) for part in FRAME], sort_keys=True).encode()
        return cls(tuple(blocks), frame, characters_per_token)

    @cached_property
    def tokens(self) -> list[int]:
        """The tokens up to and including each block: characters over characters per token."""
        total, sums = 0, []
        for block in self.blocks:
            total += ceil(len(block.text) / self.characters_per_token)
            sums.append(total)
        return sums

    @property
    def size(self) -> int:
        """All input tokens."""
        return self.tokens[-1] if self.blocks else 0

    @cached_property
    def prefixes(self) -> list[bytes]:
        """The hash of the prompt up to and including each block, breakpoints left aside."""
        digest = blake2b(self.frame, digest_size=16).digest()
        chain = []
        for block in self.blocks:
            state = blake2b(digest, digest_size=16)
            state.update(block.role.encode())
            state.update(b"\0")
            state.update(block.text.encode("utf-8", "surrogatepass"))
            digest = state.digest()
            chain.append(digest)
        return chain

    @cached_property
    def shown(self) -> list[str]:
        """The blocks up to the turn that the question is about.

        That turn is the last block with a breakpoint or, where none has one, the last but one.
        """
        own = [block for block in self.blocks if block.role != "system"]
        marked = [index for index, block in enumerate(own) if block.ttl is not None]
        last = marked[-1] if marked else max(0, len(own) - 2)
        return [block.text for block in own[: last + 1]]

    @property
    def question(self) -> bytes:
        """What tells two kinds of call about one turn apart: frame and last block.

        Whatever a run may have drawn for itself is left out, so that a turn's passes go on where
        an earlier run stopped.
        """
        asked = _DRAWN.sub("", self.blocks[-1].text)
        return blake2b(self.frame + asked.encode("utf-8", "replace")).digest()


def _blocks(content: Any, role: str) -> list[Block]:
    if isinstance(content, str):
        return [Block(content, role, None)]
    return [_block(part, role) for part in content]


def _block(part: dict[str, Any], role: str) -> Block:
    control = part.get("cache_control")
    ttl = control.get("ttl", "5m") if control else None
    if part.get("type") == "text":
        return Block(part["text"], role, ttl)
    rest = {key: value for key, value in part.items() if key != "cache_control"}
    return Block(json.dumps(rest, sort_keys=True), role, ttl)
