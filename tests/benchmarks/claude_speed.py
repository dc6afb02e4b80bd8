"""Calls a second where every call takes 200 ms, memory, and a run over votes that are all stored.

The stand-in runs in a process of its own on the same machine, so that both together use two cores.
"""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.claude_audit import Took, audited
from tests.benchmarks.claude_ground import server, write_log

TURNS, CHARACTERS = 20, 240
LATENCY = 0.2
TARGET = 500
STORED = (100, 1.0)
"""Conversations of a fully stored run, and the seconds that it may take."""


def main() -> int:
    print(f"{'conversations':>13}{'turns':>6}{'calls':>8}{'calls/s':>9}{'peak MB':>9}")
    slow = [live(conversations) for conversations in (100, 500, 1000)]
    stored_fails = stored(*STORED)
    return (max(slow) < TARGET) + stored_fails


def live(conversations: int) -> float:
    with tempfile.TemporaryDirectory() as name, server("--latency", LATENCY) as standin:
        took = run(Path(name), conversations, standin.url)
        at_once = standin.totals["most_at_once"]
    speed = took.calls / took.seconds
    print(
        f"{conversations:13}{TURNS:6}{took.calls:8}{speed:9.0f}{took.peak_mb:9.0f}"
        f"   at most {at_once} calls at once"
    )
    return speed


def run(folder: Path, conversations: int, url: str) -> Took:
    log = write_log(folder / "log.jsonl", conversations, TURNS, CHARACTERS)
    where = ("--base-url", url, "--store", folder / "votes.sqlite3")
    return audited(log, *where, "--concurrency", 200)


def stored(conversations: int, limit: float) -> bool:
    with tempfile.TemporaryDirectory() as name, server() as standin:
        folder = Path(name)
        first = run(folder, conversations, standin.url)
        standin.clear()
        again = run(folder, conversations, standin.url)
        calls = standin.totals["calls"]
        requests = sum(standin.totals["requests"].values())
    print(
        f"all {again.stored} votes stored: {again.seconds:.2f} s instead of {first.seconds:.2f} s, "
        f"{calls} calls ({limit:g} s is the limit)"
    )
    assert requests <= 3, "the ledger itself is asked for"
    return again.seconds > limit or calls > 0 or again.verdicts != first.verdicts


if __name__ == "__main__":
    sys.exit(main())
