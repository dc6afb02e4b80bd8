"""What the figures of the claude evaluator stand on: logs of a stated size, and a stand-in."""

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.benchmarks.claude_audit import ROOT

SAMPLES = ROOT / "sample_logs"
LOG, VOTES = SAMPLES / "thirty.jsonl", SAMPLES / "thirty.votes.jsonl"
_WORDS = (
    *("about", "after", "again", "bread", "bring", "carry", "clean", "could", "every", "field"),
    *("first", "found", "glass", "green", "house", "large", "later", "light", "money", "month"),
    *("morning", "never", "night", "often", "order", "other", "paper", "place", "point", "quiet"),
    *("right", "river", "round", "seven", "shall", "small", "sound", "still", "store", "table"),
)


@dataclass(frozen=True)
class Server:
    """A stand-in in a process of its own."""

    url: str
    process: "subprocess.Popen[bytes]"

    def ledger(self, *, calls: bool = True) -> dict[str, Any]:
        """Gives what it was asked; without `calls`, the sums alone."""
        with urllib.request.urlopen(f"{self.url}/__ledger{'' if calls else '?calls=0'}") as reply:
            document: dict[str, Any] = json.loads(reply.read())
        return document

    @property
    def totals(self) -> dict[str, Any]:
        """The sums of the ledger."""
        totals: dict[str, Any] = self.ledger(calls=False)["totals"]
        return totals

    def clear(self) -> None:
        """Empties the ledger."""
        request = urllib.request.Request(f"{self.url}/__ledger", method="DELETE")
        urllib.request.urlopen(request).close()


@contextlib.contextmanager
def server(*arguments: str | Path | float) -> Iterator[Server]:
    """Runs a stand-in for the time of the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.standin", *map(str, arguments)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        yield Server(process.stdout.readline().decode().strip(), process)
    finally:
        process.terminate()
        process.communicate()


def write_log(path: Path, conversations: int, turns: int, characters: int, seed: int = 1) -> Path:
    """Writes a log of turns of `characters` characters each, no two of them alike."""
    draw = Random(seed)
    with path.open("w", encoding="utf-8") as log:
        for number in range(conversations):
            said = [_text(draw, f"{number} {turn}", characters) for turn in range(turns)]
            rows = [
                {"role": ("user", "assistant")[turn % 2], "content": text}
                for turn, text in enumerate(said)
            ]
            log.write(json.dumps({"id": f"c-{number}", "turns": rows}) + "\n")
    return path


def _text(draw: Random, start: str, characters: int) -> str:
    words = " ".join(draw.choices(_WORDS, k=characters // 4))
    return f"{start} {words}"[:characters].strip().ljust(characters, ".")
