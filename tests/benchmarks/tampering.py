"""What raises a suspicion of tampering, and how fast it is looked for; run from a checkout.

Prints, for each set of examples, how many attempts are pointed out and how many harmless texts are,
and for each log how many of its turns. `--show` names what each set gets wrong. `--held-out` also
measures the examples set aside, which the writer of the phrases wrote too. Logs are given by path.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chaperone_cli.domain.conversation import Message, Role
from chaperone_cli.evaluators.tampering import suspicions

ROOT = Path(__file__).parents[2]
SETS = ROOT / "tests" / "evaluators" / "tampering"
LOGS = sorted((ROOT / "sample_logs").glob("*.jsonl"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    chosen = parser.parse_args()
    for name in ("development", *(("held_out",) if chosen.held_out else ())):
        of_set(name, chosen.show)
    for path in (*LOGS, *chosen.logs):
        of_log(path)


def of_set(name: str, show: bool) -> None:
    lines = [json.loads(line) for line in (SETS / f"{name}.jsonl").open(encoding="utf-8")]
    for kind in ("attempt", "harmless"):
        examples = [line for line in lines if line["kind"] == kind]
        raised = [bool(suspicions([message(line)])) for line in examples]
        print(f"{name}: {sum(raised)} of {len(raised)} {kind} raise it")
        for line, found in zip(examples, raised, strict=True):
            if show and found != (kind == "attempt"):
                print("   ", line["language"], repr(line["text"]), suspicions([message(line)]))


def of_log(path: Path) -> None:
    texts = list(utterances(path))
    if not texts:
        return
    suspicions([Message(Role.USER, text) for text in texts[:50]])
    kinds: Counter[str] = Counter()
    start = time.process_time()
    for text in texts:
        found = suspicions([Message(Role.USER, text)])
        kinds.update((*found, *(["any"] if found else [])))
    took = time.process_time() - start
    size = sum(map(len, texts))
    print(
        f"{path.name}: {kinds.pop('any', 0)} of {len(texts)} turns raise it"
        f" ({took / size * 1e6:.3f} ms for 1,000 characters)"
    )
    for kind, count in kinds.most_common():
        print(f"    {kind}: {count}")


def utterances(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            for turn in json.loads(line).get("turns", ()):
                content = turn.get("content")
                if isinstance(content, str):
                    yield content


def message(line: dict[str, Any]) -> Message:
    return Message(Role.USER, line["text"], name=line.get("name"))


if __name__ == "__main__":
    main()
