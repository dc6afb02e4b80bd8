"""Prints the peak memory of an audit of few and of many conversations, and the difference.

    python -m tests.benchmarks.memory [FEW] [MANY]

Each is a process of its own over a log of short conversations, with a terminal table, a report in
every format and a folder of evidence, all written in one pass; the operating system accounts for
its peak resident memory.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from chaperone_cli.reports import FILE_REPORTERS

SAMPLES = Path(__file__).parents[2] / "sample_logs" / "thirty.jsonl"
TURNS = 4
PROBE = """
import resource, sys
from chaperone_cli.cli.main import main
sys.argv = ["chaperone", *sys.argv[1:]]
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def conversations() -> Iterator[str]:
    """Gives short conversations without end, each with an id of its own."""
    talks = [json.loads(line)["turns"] for line in SAMPLES.read_bytes().splitlines()]
    for number, talk in enumerate(cycle(talks)):
        start = number % (len(talk) - TURNS)
        turns = [{"role": t["role"], "content": t["content"]} for t in talk[start : start + TURNS]]
        yield json.dumps({"id": f"conversation-{number:08}", "turns": turns})


def peak(count: int) -> float:
    """Audits `count` conversations and gives the peak of resident memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        with log.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in islice(conversations(), count))
        names = [*(f"report{suffix}" for suffix in FILE_REPORTERS), "evidence/"]
        outputs = [word for name in names for word in ("-o", name)]
        done = subprocess.run(
            [sys.executable, "-c", PROBE, "audit", str(log), *outputs],
            cwd=folder,
            capture_output=True,
            check=False,
        )
        if done.returncode not in (0, 10):
            raise SystemExit(done.stderr.decode())
        # Linux counts kilobytes, macOS bytes.
        unit = 1 if sys.platform == "darwin" else 1024
        return int(done.stderr.split()[-1]) * unit / 1e6


def main() -> None:
    few, many = (int(word) for word in (*sys.argv[1:], "1000", "10000")[:2])
    peaks = [peak(few), peak(many)]
    for count, megabytes in zip((few, many), peaks, strict=True):
        print(f"{count:>9,} conversations of {TURNS} turns: peak {megabytes:7.1f} MB")
    print(f"difference {peaks[1] - peaks[0]:.1f} MB, ratio {peaks[1] / peaks[0]:.2f}")


if __name__ == "__main__":
    main()
