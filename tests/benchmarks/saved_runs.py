"""What reading a long saved run takes: `python -m tests.benchmarks.saved_runs [MEGABYTES]`.

Makes a report of that size (100), once in the lines that chaperone writes and once on a single
line, and prints for every command that reads saved runs how long it took and its peak memory.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chaperone_cli.domain.conversation import Source
from chaperone_cli.domain.run import Summary, Usage
from chaperone_cli.reports import for_path
from tests.conftest import SAMPLES
from tests.reports.runs import header, thirty


def write(path: Path, megabytes: float) -> int:
    """Writes a report of that size and gives the number of conversations in it."""
    head = header()
    judged = [one.verdict for one in thirty(head)]
    summary = Summary.of(head.protocol)
    reporter = for_path(path)
    reporter.open(head)
    number = 0
    while number % 1000 or _size(path.parent) < megabytes * 1e6:
        one = judged[number % len(judged)]
        verdict = replace(one, conversation=f"c-{number}", source=Source("log.jsonl", number + 1))
        summary.add(verdict)
        reporter.add(verdict, {})
        number += 1
    reporter.close(summary, Usage())
    return number


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def flatten(source: Path, path: Path) -> None:
    """Writes the same report on one line."""
    with source.open("rb") as lines, path.open("wb") as file:
        for line in lines:
            file.write(line.rstrip(b"\n"))


def measure(folder: Path, *command: str | Path) -> None:
    """Runs a command and prints what it took."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "chaperone_cli", *map(str, command)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SAMPLES.parent)},
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds, peak = time.monotonic() - started, usage.ru_maxrss / 1024
    code = os.waitstatus_to_exitcode(status)
    print(f"{' '.join(map(str, command)):76} {code:3} {seconds:7.1f} s {peak:7.0f} MiB", flush=True)


def main(arguments: Sequence[str]) -> None:
    megabytes = float(arguments[0]) if arguments else 100
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        evidence = folder / "evidence"
        log = SAMPLES / "thirty.jsonl"
        recorded = ("--evaluator", "recorded")
        measure(folder, "audit", log, *recorded, "-o", "evidence/")
        count = write(evidence / "report.json", megabytes)
        report, flat = Path("evidence/report.json"), Path("flat.json")
        flatten(evidence / "report.json", folder / flat)
        size = (evidence / "report.json").stat().st_size / 1e6
        print(f"{size:,.0f} MB, {count:,} conversations")
        last = ("--conversation", f"c-{count - 1}")
        for saved in (report, flat):
            measure(folder, "show", saved, *last)
            measure(folder, "report", saved)
        measure(folder, "report", report, "-o", "all.csv", "-o", "all.html")
        measure(folder, "diff", report, flat)
        measure(folder, "verify", "evidence")
        measure(folder, "rephrase", log, "--all", "--report", report)
        measure(folder, "audit", log, *recorded, "--baseline", report)


if __name__ == "__main__":
    main(sys.argv[1:])
