"""How fast logs are read, and how much memory that takes; run from a checkout.

Speed is given beside that of `orjson.loads` on the same lines, which no reader can exceed, over
the length of a message. Two things are counted. A conversation is *read* when `LogReader` gave it:
every message was decoded and checked, and would have been told of if it had a defect. Its turns
are *touched* when the objects that a vote needs were made as well, which happens at the first look
at them, and never for conversations that are only counted or left out. Memory is the peak of a
fresh process each.

Two of the lengths are measured: those of the sample dialogues, which are a chat, and those of the
training dialogues with the long answers of a general assistant.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from statistics import mean

import orjson

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.readers import LogReader
from chaperone_cli.readers.streams import BUFFER_BYTES

ROOT = Path(__file__).parents[2]
MEASURED = {
    "as in thirty.jsonl": ROOT / "sample_logs" / "thirty.jsonl",
    "as in long-answers.jsonl": ROOT / "chaperone_cli/data/dialogues/long-answers.jsonl",
}
LENGTHS = (100, 200, 300, 500, 1000, 1500)
TURNS = 20
WORDS = ("glad", "that", "you", "asked", "about", "the", "garden", "—", "rained", "café", "so")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measured = {mean_length(path): name for name, path in MEASURED.items()}
        for characters in sorted({*LENGTHS, *measured}):
            speed(Path(folder), characters, measured.get(characters, ""))
        memory(Path(folder))


def mean_length(path: Path) -> int:
    """Characters of a message in the log at `path`."""
    log = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    return round(mean(len(turn["content"]) for document in log for turn in document["turns"]))


def speed(folder: Path, characters: int, name: str) -> None:
    path = folder / "speed.jsonl"
    write(path, canonical(40_000_000 // (TURNS * characters), characters))
    size = path.stat().st_size / 1e6
    plain, whole, touched = best(
        lambda: plain_loads(path), lambda: read(str(path)), lambda: read_turns(str(path))
    )
    write(path, rows(10_000_000 // (TURNS * characters), characters))
    row_size = path.stat().st_size / 1e6
    (rows_time,) = best(lambda: read(str(path)), times=2)
    messages, row_messages = 40_000_000 / characters, 10_000_000 / characters
    print(
        f"{characters:5} characters a message {name}: orjson {size / plain:6.0f} MB/s; canonical "
        f"read {rate(size, plain, whole, messages)}, "
        f"turns touched {rate(size, plain, touched, messages)}; "
        f"rows {row_size / rows_time:5.0f} MB/s, {rows_time / row_messages * 1e6:.2f} us a message"
    )


def rate(size: float, plain: float, seconds: float, messages: float) -> str:
    return (
        f"{size / seconds:6.0f} MB/s ({plain / seconds:.0%} of orjson), "
        f"{seconds / messages * 1e6:.2f} us a message"
    )


def memory(folder: Path) -> None:
    for kind in (canonical, rows):
        for conversations in (1_000, 100_000):
            path = folder / "memory.jsonl"
            write(path, kind(conversations, 20))
            highest = peak(path, conversations)
            print(f"{kind.__name__}: {conversations:7,} conversations, peak {highest:6.1f} MiB")


def peak(path: Path, conversations: int) -> float:
    """MiB that a fresh process takes at most; on Linux."""
    # NOTE: not `ru_maxrss`, which a child inherits from the process that started it.
    program = (
        "import re, sys\n"
        "from chaperone_cli.readers import LogReader\n"
        "count = sum(1 for _ in LogReader(sys.argv[1:2]))\n"
        "assert count == int(sys.argv[2]), count\n"
        "print(re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1])"
    )
    command = [sys.executable, "-c", program, str(path), str(conversations)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(run.stdout) / 1024


def canonical(conversations: int, characters: int) -> Iterable[dict[str, object]]:
    turns = [turn(index, characters) for index in range(TURNS)]
    for number in range(conversations):
        yield {"id": f"c-{number}", "turns": turns}


def rows(conversations: int, characters: int) -> Iterable[dict[str, object]]:
    """Each conversation's rows stand far apart, between those of all others."""
    for index in range(TURNS):
        said = turn(index, characters)
        for number in range(conversations):
            yield {"conversation_id": f"c-{number}", **said}


def turn(index: int, characters: int) -> dict[str, str]:
    words = Random(index).choices(WORDS, k=characters // 5)
    return {"role": "assistant" if index % 2 else "user", "content": " ".join(words)[:characters]}


def write(path: Path, documents: Iterable[dict[str, object]]) -> None:
    with path.open("wb") as file:
        file.writelines(orjson.dumps(document) + b"\n" for document in documents)


def plain_loads(path: Path) -> None:
    # The same buffer as the reader has, so that only what it does with a line is compared.
    with path.open("rb", buffering=BUFFER_BYTES) as file:
        for line in file:
            orjson.loads(line)


def read(path: str) -> None:
    for _ in LogReader([path]):
        pass


def read_turns(path: str) -> None:
    """Reads up to what an audit begins with: every turn of a conversation with its text."""
    for item in LogReader([path]):
        assert isinstance(item, Conversation)
        assert len([turn.message for turn in item.turns]) == TURNS


def best(*runs: Callable[[], None], times: int = 7) -> list[float]:
    """Least CPU seconds of each of `runs`, which take turns so that all see the same machine."""
    rounds = [[timed(run) for run in runs] for _ in range(times)]
    return [min(seconds) for seconds in zip(*rounds, strict=True)]


def timed(run: Callable[[], None]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    main()
