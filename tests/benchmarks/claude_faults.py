"""A run in which a fifth of the calls fail in mixed ways, and runs that are killed and resumed."""

import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tests.benchmarks.claude_audit import audited, start
from tests.benchmarks.claude_ground import LOG, VOTES, Server, server

SHARES = {
    "rate_limit": 0.05,
    "overloaded": 0.05,
    "slow": 0.02,
    "reset": 0.03,
    "html": 0.03,
    "truncated": 0.04,
}
KILLS = 8


def main() -> int:
    plain = faulty({})
    wrong = faulty(SHARES) != plain
    return wrong + killed(plain)


def faulty(shares: dict[str, float]) -> str:
    faults = [word for kind, share in shares.items() for word in ("--fault", f"{kind}={share}")]
    told: tuple[str | Path | float, ...] = (
        "--votes",
        VOTES,
        "--slow-seconds",
        3,
        "--latency",
        0.02,
        *faults,
    )
    with tempfile.TemporaryDirectory() as folder, server(*told) as standin:
        store = Path(folder) / "votes.sqlite3"
        where = ("--base-url", standin.url, "--store", store, "--concurrency", 30)
        took = audited(LOG, *where, "--timeout", 1)
        totals = standin.totals
    failed = totals["calls"] - totals["answered"]
    print(
        f"{totals['calls']} calls, {failed} of them failed ({failed / totals['calls']:.0%}): "
        f"{totals['answered']} votes, {took.blocked} conversations blocked, "
        f"{took.undecided} undecided, {took.seconds:.1f} s; {totals['faults']}"
    )
    return took.verdicts


def killed(plain: str) -> bool:
    draw = Random(3)
    with (
        tempfile.TemporaryDirectory() as folder,
        server("--votes", VOTES, "--latency", 0.05) as standin,
    ):
        store = Path(folder) / "votes.sqlite3"
        where = (LOG, "--base-url", standin.url, "--store", store, "--concurrency", 30)
        for _ in range(KILLS):
            kill_at = standin.totals["answered"] + draw.randint(20, 150)
            process = start(*where)
            while process.poll() is None and standin.totals["answered"] < kill_at:
                time.sleep(0.01)
            process.kill()
            process.communicate()
        took = audited(*where)
        return report(standin, took.verdicts == plain)


def report(standin: Server, same: bool) -> bool:
    # Those that the kill cut off; the stand-in had answered some that never were stored.
    totals = standin.totals
    repeated, gone = totals["answered"] - 1326, totals["calls"] - totals["answered"]
    most = KILLS * totals["most_at_once"]
    print(
        f"{KILLS} times killed: {totals['calls']} calls for 1326 votes, {gone} cut off, "
        f"{repeated} answered and not yet stored, of at most {most} in flight; "
        f"verdicts {'the same' if same else 'differ'}"
    )
    return not same or repeated + gone > most


if __name__ == "__main__":
    sys.exit(main())
