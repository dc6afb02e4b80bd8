"""Five nights over a log that grows, with faults and a kill every night, against one clean run.

Every night a fifth of the calls fail in another way, the run is killed once and started again, and
fifty conversations are new. At the end the verdicts are those of a run in which nothing failed,
no vote was paid for twice but what was under way when a run was killed or a reply was lost or of
no use, and what was billed lies between what is noted in the store and what was answered.
"""

import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from random import Random

from chaperone_cli.evaluators.claude.ledger import Ledger
from tests.benchmarks.claude_audit import audited, start
from tests.benchmarks.claude_ground import Server, server, write_log

FAULTS = ("overloaded", "dropped", "gibberish", "refusal", "internal")
CONVERSATIONS, TURNS, NEW = 2000, 3, 50
TOLD = ("--rule", "word:river", "--latency", 0.02)


def main() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = write_log(folder / "whole.jsonl", CONVERSATIONS + NEW * len(FAULTS), TURNS, 80)
        lines = log.read_bytes().splitlines(keepends=True)
        with server("--port", port, *TOLD) as standin:
            clean = audited(log, "--base-url", standin.url, "--store", folder / "clean")
        nights = [
            night(folder, lines[: CONVERSATIONS + NEW * number], port, fault, number)
            for number, fault in enumerate(FAULTS, start=1)
        ]
        noted = Ledger(folder / "votes").total()
        with server("--port", port, *TOLD) as standin:
            healed = audited(log, "--base-url", standin.url, "--store", folder / "votes")
            more = standin.totals["answered"]
    answered = sum(one[0] for one in nights) + more
    billed, excused = sum(one[1] for one in nights), sum(one[2] for one in nights)
    twice = answered - clean.calls
    same = healed.verdicts == clean.verdicts
    print(f"verdicts as of one clean run: {'the same' if same else 'not the same'}")
    print(f"{clean.calls:,} votes answered {answered:,} times: {twice:,} more, {excused:,} excused")
    print(f"billed ${billed:.4f}, at most ${noted:.4f} by the store")
    return not (same and twice <= excused and billed <= noted)


def night(
    folder: Path, lines: list[bytes], port: int, fault: str, number: int
) -> tuple[int, float, int]:
    """Gives the votes answered, the dollars billed, and the votes that may be paid for again."""
    log = folder / "log.jsonl"
    log.write_bytes(b"".join(lines))
    draw = Random(number)
    with server("--port", port, *TOLD, "--fault", f"{fault}=0.2", "--seed", number) as standin:
        where = (log, "--base-url", standin.url, "--store", folder / "votes")
        kill(start(*where), standin, draw.randint(50, 130))
        took = audited(*where)
        totals = standin.totals
    lost = totals["faults"].get(fault, 0) if fault == "dropped" else 0
    print(
        f"night {number}, {fault}: {took.conversations:,} conversations, {totals['calls']:,} "
        f"calls, {totals['answered']:,} votes, {took.undecided:,} undecided, "
        f"${totals['dollars']:.4f} billed",
        flush=True,
    )
    return totals["answered"], totals["dollars"], lost + totals["most_at_once"]


def kill(process: "subprocess.Popen[bytes]", standin: Server, votes: int) -> None:
    """Kills the run once so many votes were answered."""
    while process.poll() is None and standin.totals["answered"] < votes:
        time.sleep(0.01)
    process.kill()
    process.communicate()


if __name__ == "__main__":
    sys.exit(main())
