"""The prompt cache: entries are written at breakpoints, and read by looking back from them."""

from dataclasses import dataclass

from tests.support.standin.ledger import Usage
from tests.support.standin.models import Model
from tests.support.standin.prompt import Prompt

LOOK_BACK = 20
"""Blocks searched for an entry from each breakpoint on, counting the breakpoint's own."""
LASTS = {"5m": 300.0, "1h": 3600.0}
"""Seconds from the start of the request that wrote an entry or read it last."""


@dataclass(slots=True)
class _Entry:
    lasts: float
    expires: float


@dataclass(frozen=True)
class Look:
    """What a request finds in the cache, and what it will leave there."""

    usage: Usage
    """Without the output."""
    at: float
    writes: tuple[tuple[bytes, float], ...]
    """Hash and seconds of every entry that its breakpoints write."""


class PromptCache:
    """Entries by the hash of the prompt up to a breakpoint."""

    def __init__(self) -> None:
        self._entries: dict[bytes, _Entry] = {}

    def look(self, prompt: Prompt, model: Model, now: float) -> Look:
        """Reads the longest entry that a breakpoint of `prompt` reaches."""
        marks = [
            (index, block.ttl)
            for index, block in enumerate(prompt.blocks)
            if block.ttl is not None and prompt.tokens[index] >= model.least_cached
        ]
        hit = self._longest(prompt, [index for index, _ in marks], now)
        read = prompt.tokens[hit] if hit >= 0 else 0
        written = {"5m": 0, "1h": 0}
        covered = read
        for index, ttl in marks:
            if index > hit:
                written[ttl] += prompt.tokens[index] - covered
                covered = prompt.tokens[index]
        usage = Usage(prompt.size - covered, written["5m"], written["1h"], read)
        # A breakpoint that was read is written again: its entry starts to last anew, for free.
        writes = tuple((prompt.prefixes[index], LASTS[ttl]) for index, ttl in marks)
        return Look(usage, now, writes)

    def begin(self, look: Look) -> None:
        """Makes the entries of `look` available: its response begins."""
        for key, lasts in look.writes:
            found = self._entries.get(key)
            if found is None or found.expires < look.at:
                self._entries[key] = _Entry(lasts, look.at + lasts)
            else:
                found.lasts = max(found.lasts, lasts)
                found.expires = max(found.expires, look.at + found.lasts)
        if len(self._entries) > 200_000:
            self._sweep(look.at)

    def __len__(self) -> int:
        return len(self._entries)

    def _longest(self, prompt: Prompt, marks: list[int], now: float) -> int:
        for mark in reversed(marks):
            for index in range(mark, max(-1, mark - LOOK_BACK), -1):
                entry = self._entries.get(prompt.prefixes[index])
                if entry is not None and entry.expires >= now:
                    entry.expires = max(entry.expires, now + entry.lasts)
                    return index
        return -1

    def _sweep(self, now: float) -> None:
        self._entries = {k: entry for k, entry in self._entries.items() if entry.expires >= now}
