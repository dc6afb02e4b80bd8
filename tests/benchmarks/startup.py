"""Prints how much longer the command line takes to start than Python itself.

    python -m tests.benchmarks.startup [RUNS]

The commands take turns with `python -c pass`, so that a machine that drifts slows all alike.
"""

import subprocess
import sys
import time
from statistics import median

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "chaperone --version": ["-m", "chaperone_cli", "--version"],
    "chaperone --help": ["-m", "chaperone_cli", "--help"],
    "chaperone audit --help": ["-m", "chaperone_cli", "audit", "--help"],
}


def seconds(args: list[str]) -> float:
    """Runs Python with `args` and gives the time it took."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *args], capture_output=True, check=True)
    return time.perf_counter() - started


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for args in COMMANDS.values():
        seconds(args)
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, args in COMMANDS.items():
            taken[name].append(seconds(args))
    base = median(taken["python -c pass"])
    for name, times in taken.items():
        middle = median(times)
        print(f"{name:24} {middle:6.3f} s, {middle - base:+.3f} s against python -c pass")


if __name__ == "__main__":
    main()
