"""The thirty dialogues with their recorded votes by way of the Messages API: verdicts and calls."""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.claude_audit import audited
from tests.benchmarks.claude_ground import LOG, VOTES, server

PAPER = 30 * 20 * 5
EXPECTED = {"unanimous": 1326, "balanced": 1804, "conservative": 2265}


def main() -> int:
    print(f"{'rule':14}{'way':8}{'calls':>7}{'expected':>10}{'of paper':>10}{'blocked':>9}")
    wrong = 0
    for rule, expected in EXPECTED.items():
        verdicts = set()
        for way in ("single", "batch"):
            with server("--votes", VOTES) as standin, tempfile.TemporaryDirectory() as folder:
                more = ["--batch"] if way == "batch" else ["--concurrency", "30"]
                store = Path(folder) / "votes.sqlite3"
                where = ("--base-url", standin.url, "--store", store)
                took = audited(LOG, *where, "--rule", rule, *more)
                calls = standin.totals["answered"]
            verdicts.add(took.verdicts)
            wrong += calls != expected
            share = f"{calls / PAPER:.1%}"
            print(f"{rule:14}{way:8}{calls:7}{expected:10}{share:>10}{took.blocked:9}")
        wrong += len(verdicts) > 1
    print("as expected" if not wrong else f"{wrong} figures differ")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
