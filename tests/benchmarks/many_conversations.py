"""How fast logs of very many small conversations are read, and in how much memory.

    python -m tests.benchmarks.many_conversations [CONVERSATIONS ...]

Each conversation has an id that no order can be seen in, and four turns of 20 characters. The last
one repeats the id of the first, which must be noticed. Every log is read by a fresh process, and
speed is given beside that of `orjson.loads` on the same lines; on Linux.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

COUNTS = (10_000, 1_000_000)
ROLES = ("user", "assistant", "user", "assistant")
TEXT = "and so the day went."
TURNS = ",".join(f'{{"role":"{role}","content":"{TEXT}"}}' for role in ROLES)
PLAIN = """
with open(path, "rb", buffering=1 << 18) as file:
    for line in file:
        orjson.loads(line)
        read += 1
"""
READER = """
for item in LogReader([path]):
    read += 1
assert isinstance(item, Problem) and item.message.startswith("its id already stands at"), item
"""
PROBE = """
import re, sys, time
import orjson
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers import LogReader
path, read = sys.argv[1], 0
start = time.process_time()
{}
peak = re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]
print(read, time.process_time() - start, peak)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.jsonl"
        for count in [int(word) for word in sys.argv[1:]] or COUNTS:
            with path.open("w", encoding="ascii") as file:
                file.writelines(conversations(count))
            report(path, count)


def conversations(count: int) -> Iterator[str]:
    for number in (*range(count - 1), 0):
        id_ = blake2b(b"%d" % number, digest_size=16).hexdigest()
        yield f'{{"id":"{id_}","turns":[{TURNS}]}}\n'


def report(path: Path, count: int) -> None:
    size = path.stat().st_size / 1e6
    plain, _ = probed(PLAIN, path, count)
    seconds, peak = probed(READER, path, count)
    print(
        f"{count:10,} conversations, {size:7,.0f} MB: {size / seconds:4.0f} MB/s "
        f"({plain / seconds:.0%} of orjson), {seconds / count * 1e6:.2f} us a conversation, "
        f"peak {peak:4.0f} MB"
    )


def probed(program: str, path: Path, count: int) -> tuple[float, float]:
    """Runs `program` on the log at `path`; gives its CPU seconds and its peak memory in MB."""
    command = [sys.executable, "-c", PROBE.format(program), str(path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    read, seconds, kibibytes = run.stdout.split()
    assert int(read) == count, run.stdout
    return float(seconds), int(kibibytes) * 1024 / 1e6


if __name__ == "__main__":
    main()
