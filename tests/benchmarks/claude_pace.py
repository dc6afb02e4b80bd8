"""Votes a second on a loopback server: by default, and where a fifth of the calls fail.

`--against FOLDER` measures another checkout beside this one, such as one of an earlier version.
Nothing is set in any of these runs; every call takes 200 ms. Votes a second are counted from the
first call to the last where calls fail, and otherwise, as in `claude_speed`, without the first and
the last tenth.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.claude_audit import ROOT, audited
from tests.benchmarks.claude_ground import server, write_log
from tests.benchmarks.claude_speed import sustained

LATENCY, SHARE = 0.2, 0.2
RETRIED = (
    *("rate_limit", "overloaded", "unavailable", "internal", "gateway", "conflict"),
    *("reset", "html", "truncated"),
)
"""Faults after which the same call is made again."""
TARGET, TIMES = 400, 3
CONVERSATIONS, TURNS = 100, 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.claude_pace")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--fault", choices=RETRIED, action="append")
    given = parser.parse_args()
    missed = default()
    print(f"{'20 % of':12}{'votes/s':>9}{'of clean':>10}{'before':>9}{'times':>7}")
    clean = speed(None, ROOT)
    print(f"{'nothing':12}{clean:9.0f}{1:10.0%}", flush=True)
    for kind in given.fault or RETRIED:
        now = speed(kind, ROOT)
        print(f"{kind:12}{now:9.0f}{now / clean:10.0%}", end="", flush=True)
        if given.against is not None:
            before = speed(kind, given.against)
            missed |= now < TIMES * before
            print(f"{before:9.0f}{now / before:7.1f}", end="")
        print(flush=True)
    return missed


def default() -> bool:
    """Measures what nobody sets anything for: 200 conversations of 20 turns."""
    votes = sustained(calls(None, ROOT, 200, 20))
    print(f"200 conversations of 20 turns: {votes:.0f} calls/s (target {TARGET})", flush=True)
    return votes < TARGET


def speed(kind: str | None, root: Path) -> float:
    at = calls(kind, root, CONVERSATIONS, TURNS)
    return CONVERSATIONS * TURNS / (max(at) - min(at) + LATENCY)


def calls(kind: str | None, root: Path, conversations: int, turns: int) -> list[float]:
    """Gives the times of an audit's calls."""
    faults = ("--fault", f"{kind}={SHARE}") if kind else ()
    with (
        tempfile.TemporaryDirectory() as name,
        server("--latency", LATENCY, *faults) as standin,
    ):
        log = write_log(Path(name) / "log.jsonl", conversations, turns, 240)
        where = ("--base-url", standin.url, "--store", Path(name) / "votes.sqlite3")
        took = audited(log, *where, root=root)
        assert took.asked == conversations * turns
        return [float(call["at"]) for call in standin.ledger()["calls"]]


if __name__ == "__main__":
    sys.exit(main())
