"""Prints how fast every kind of export is read, and the memory that a huge one takes.

    python -m tests.benchmarks.export_speed [MB] [MEMORY_MB]

Each kind is generated from the same conversations, about MB of it, and read beside `orjson.loads`
of the same bytes. Memory is the peak of a fresh process over one ChatGPT list of MEMORY_MB.
"""

import csv
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

from tests.benchmarks.reading_speed import WORDS, read, timed

TURNS = 20
Talk = list[tuple[str, str]]


def talks() -> Iterator[Talk]:
    """Gives conversations without end: short prompts, and responses of a few sentences."""
    random = Random(1)
    while True:
        lengths = (20 if turn % 2 == 0 else 90 for turn in range(TURNS))
        words = [" ".join(random.choices(WORDS, k=length)) for length in lengths]
        yield [("assistant" if turn % 2 else "user", text) for turn, text in enumerate(words)]


def chatgpt(number: int, talk: Talk) -> dict[str, Any]:
    mapping: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": ["0"]}
    }
    for turn, (role, text) in enumerate(talk):
        message = {
            "id": f"{number}-{turn}",
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": 1767261600.5 + turn,
            "content": {"content_type": "text", "parts": [text]},
            "status": "finished_successfully",
            "metadata": {"model_slug": "gpt-4o", "timestamp_": "absolute"},
            "recipient": "all",
        }
        parent, children = str(turn - 1) if turn else "root", [str(turn + 1)]
        mapping[str(turn)] = {
            "id": str(turn), "message": message, "parent": parent,
            "children": children if turn < TURNS - 1 else [],
        }  # fmt: skip
    last = str(TURNS - 1)
    return {"title": "A talk", "id": f"c-{number}", "mapping": mapping, "current_node": last}


def claude(number: int, talk: Talk) -> dict[str, Any]:
    senders = {"user": "human", "assistant": "assistant"}
    messages = [
        {"uuid": f"{number}-{turn}", "sender": senders[role], "text": text,
         "content": [{"type": "text", "text": text}], "created_at": "2026-01-01T10:00:00.5Z"}
        for turn, (role, text) in enumerate(talk)
    ]  # fmt: skip
    return {"uuid": f"c-{number}", "name": "A talk", "chat_messages": messages}


def sharegpt(number: int, talk: Talk) -> dict[str, Any]:
    said = [{"from": role, "value": text} for role, text in talk]
    return {"id": f"c-{number}", "conversations": said}


def openai(number: int, talk: Talk) -> dict[str, Any]:
    said = [{"role": role, "content": text} for role, text in talk]
    return {"id": f"c-{number}", "messages": said}


def canonical(number: int, talk: Talk) -> dict[str, Any]:
    said = [{"role": role, "content": text} for role, text in talk]
    return {"id": f"c-{number}", "turns": said}


def langsmith(number: int, talk: Talk) -> dict[str, Any]:
    said = [{"role": role, "content": text} for role, text in talk]
    answer = {"choices": [{"message": said[-1]}]}
    return {
        "id": f"c-{number}", "run_type": "llm", "start_time": "2026-01-01T10:00:00Z",
        "inputs": {"messages": said[:-1]}, "outputs": answer,
    }  # fmt: skip


def langfuse(number: int, talk: Talk) -> dict[str, Any]:
    said = [{"role": role, "content": text} for role, text in talk]
    return {
        "id": f"t-{number}", "timestamp": "2026-01-01T10:00:00Z", "sessionId": f"c-{number}",
        "input": {"messages": said[:-1]}, "output": said[-1], "observations": [],
    }  # fmt: skip


def otel(number: int, talk: Talk) -> dict[str, Any]:
    said = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in talk]
    values = {
        "gen_ai.conversation.id": f"c-{number}",
        "gen_ai.input.messages": orjson.dumps(said[:-1]).decode(),
        "gen_ai.output.messages": orjson.dumps(said[-1:]).decode(),
    }
    told = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
    span = {"traceId": f"{number:x}", "spanId": "1", "name": "chat", "attributes": told}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def oasst(number: int, talk: Talk) -> dict[str, Any]:
    replies: list[dict[str, Any]] = []
    for turn, (role, text) in reversed([*enumerate(talk)]):
        speaker = "prompter" if role == "user" else "assistant"
        message = {"message_id": f"{number}-{turn}", "text": text, "role": speaker, "lang": "en"}
        replies = [{**message, "deleted": False, "replies": replies}]
    return {"message_tree_id": f"{number}-0", "prompt": replies[0]}


def rows(number: int, talk: Talk) -> list[dict[str, Any]]:
    return [
        {"conversation_id": f"c-{number}", "role": role, "content": text} for role, text in talk
    ]


def characterai(number: int, talk: Talk) -> dict[str, Any]:
    said = [{"is_human": role == "user", "text": text} for role, text in talk]
    return {"id": f"c-{number}", "histories": [said]}


def as_lines(documents: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(document) + b"\n" for document in documents)


def as_list(documents: Iterator[dict[str, Any]]) -> bytes:
    return orjson.dumps(list(documents))


def as_zip(documents: Iterator[dict[str, Any]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", as_list(documents))
    return packed.getvalue()


Maker = Callable[[int, Talk], dict[str, Any] | list[dict[str, Any]]]
KINDS: dict[str, tuple[Maker, Callable[..., bytes]]] = {
    "canonical, JSONL": (canonical, as_lines),
    "canonical, list": (canonical, as_list),
    "chatgpt, list": (chatgpt, as_list),
    "chatgpt, zip": (chatgpt, as_zip),
    "claude, list": (claude, as_list),
    "sharegpt, list": (sharegpt, as_list),
    "openai, JSONL": (openai, as_lines),
    "langsmith, JSONL": (langsmith, as_lines),
    "langfuse, list": (langfuse, as_list),
    "otel, JSONL": (otel, as_lines),
    "oasst, JSONL": (oasst, as_lines),
    "characterai, JSONL": (characterai, as_lines),
    "rows, JSONL": (rows, as_lines),
}


def speed(folder: Path, name: str, megabytes: float) -> None:
    make, pack = KINDS[name]
    count = max(1, int(megabytes * 1e6 / len(orjson.dumps(make(0, next(talks()))))))
    made = [make(number, talk) for number, talk in zip(range(count), talks(), strict=False)]
    documents = [one for some in made for one in (some if isinstance(some, list) else [some])]
    lines = [orjson.dumps(document) for document in documents]
    path = folder / "export"
    path.write_bytes(pack(iter(documents)))
    size = sum(map(len, lines)) / 1e6
    plain, own = fastest(lambda: loads(lines), lambda: read(str(path)))
    print(
        f"{name:20} {size:6.1f} MB: {size / own:6.0f} MB/s, "
        f"orjson {size / plain:6.0f} MB/s ({plain / own:.0%})"
    )


def loads(lines: list[bytes]) -> None:
    for line in lines:
        orjson.loads(line)


def fastest(*runs: Callable[[], None]) -> list[float]:
    """The least seconds of each of `runs`, which take turns."""
    rounds = [[timed(run) for run in runs] for _ in range(3)]
    return [min(times) for times in zip(*rounds, strict=True)]


def table_speed(folder: Path, megabytes: float) -> None:
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("conversation_id", "role", "content"))
        for number, talk in enumerate(talks()):
            writer.writerows((f"c-{number}", role, text) for role, text in talk)
            if file.tell() > megabytes * 1e6:
                break
    size = path.stat().st_size / 1e6
    print(f"{'csv':20} {size:6.1f} MB: {size / fastest(lambda: read(str(path)))[0]:6.0f} MB/s")


def memory(folder: Path, megabytes: int) -> None:
    """Prints the peak of a fresh process that reads one list of ChatGPT conversations."""
    path = folder / "conversations.json"
    count = 0
    with path.open("wb") as file:
        file.write(b"[")
        for count, talk in enumerate(talks(), 1):
            file.write(orjson.dumps(chatgpt(count, talk)))
            if file.tell() > megabytes * 1e6:
                break
            file.write(b",\n" if count % 9 else b",")
        file.write(b"]")
    program = (
        "import re, sys, time\n"
        "from chaperone_cli.readers import LogReader\n"
        "start = time.perf_counter()\n"
        "count = sum(1 for _ in LogReader(sys.argv[1:2]))\n"
        "assert count == int(sys.argv[2]), count\n"
        "peak = re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1]\n"
        "print(f'{int(peak) / 1024:.0f} MiB at most, {time.perf_counter() - start:.1f} s')"
    )
    command = [sys.executable, "-c", program, str(path), str(count)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    print(f"chatgpt list of {path.stat().st_size / 1e6:,.0f} MB: {run.stdout.strip()}")


def main() -> None:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        for name in KINDS:
            speed(Path(folder), name, megabytes)
        table_speed(Path(folder), megabytes)
        memory(Path(folder), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)


if __name__ == "__main__":
    main()
