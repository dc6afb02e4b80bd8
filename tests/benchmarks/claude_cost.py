"""Billed input against the paper's way: every vote asked, each with the whole text at full price.

Both ways come to the same verdicts. Billed input is in full-price tokens, from the usage that the
stand-in reports: cached tokens count a tenth of it when read, a quarter more when written, as for
claude-haiku-5-5. P is what a request holds besides the conversation; the stand-in's way to count
tokens is set so that P and a turn's m are what the figure asks for.
"""

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.claude_audit import audited
from tests.benchmarks.claude_ground import server, write_log

OVERHEAD = 700
"""P, in tokens."""


@dataclass(frozen=True)
class Case:
    turns: int
    tokens: int
    """m, in tokens."""
    conversations: int
    yes: float
    """The share of votes that say yes on a turn that is clean."""
    target: float


CASES = (
    Case(20, 60, 1, 0.0, 20),
    Case(20, 60, 20, 0.01, 20),
    Case(200, 150, 1, 0.0, 40),
    Case(200, 150, 3, 0.01, 40),
)


def main() -> int:
    entry = characters_of_an_entry()
    ratio = entry.overhead / OVERHEAD
    print(f"{ratio:.2f} characters a token make the {entry.overhead} characters of P {OVERHEAD}")
    header = f"{'T':>4}{'m':>5}{'P':>5}{'n':>4}{'yes':>6}{'paper':>14}{'billed':>12}"
    print(f"{header}{'times':>7}{'target':>8}{'bound':>7}")
    missed = 0
    for case in CASES:
        missed += not measure(case, ratio, entry.frame)
    return missed


@dataclass(frozen=True)
class Entry:
    overhead: int
    frame: int
    """Characters that an entry has besides the turn's text."""


def characters_of_an_entry() -> Entry:
    """Finds out how long the parts of a request are, by asking with one character a token."""
    with tempfile.TemporaryDirectory() as folder, server("--characters-per-token", 1) as standin:
        log = write_log(Path(folder) / "log.jsonl", 1, 2, 100)
        audited(log, "--base-url", standin.url, "--store", Path(folder) / "votes")
        first, second = (sum_of(call) for call in standin.ledger()["calls"])
    return Entry(2 * first - second, second - first - 100)


def sum_of(call: dict[str, dict[str, int]]) -> int:
    usage = call["usage"]
    return sum(usage[part] for part in ("input", "write_5m", "write_1h", "read"))


def measure(case: Case, ratio: float, frame: int) -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Rounding up to whole tokens happens for every block.
        characters = int(case.tokens * ratio - frame)
        log = write_log(folder / "log.jsonl", case.conversations, case.turns, characters)
        told = ("--characters-per-token", ratio, "--rule", f"hash:{case.yes}", "--log", log)
        verdicts, ledgers = [], []
        for way in ("--all-votes", "--rule=unanimous"):
            with server(*told) as standin:
                took = audited(log, "--base-url", standin.url, "--store", folder / way, way)
                ledgers.append(standin.ledger())
                verdicts.append(took.verdicts)
    # Every call of the first run at full price: what it took without early stopping or a cache.
    paper = sum(sum_of(call) for call in ledgers[0]["calls"])
    billed = ledgers[1]["totals"]["billed_input"]
    times = paper / billed
    same = len(set(verdicts)) == 1
    counted = shape(ledgers[1]["calls"], case)
    print(
        f"{case.turns:4}{counted[0]:5.0f}{counted[1]:5.0f}{case.conversations:4}{case.yes:6.0%}"
        f"{paper:14,}{billed:12,.0f}{times:7.1f}{case.target:8.0f}{bound(case):7.1f}"
        f"{'' if same else '  verdicts differ'}"
    )
    return same and times >= case.target


def shape(calls: list[dict[str, dict[str, int]]], case: Case) -> tuple[float, float]:
    """Gives m and P as they were counted."""
    by_turn = Counter[int]()
    for call in calls:
        by_turn[int(str(call["turn"]))] = sum_of(call)
    m = (by_turn[case.turns] - by_turn[1]) / (case.turns - 1)
    return m, by_turn[1] - m


def bound(case: Case, tail: int = 30, write: float = 1.25, read: float = 0.1) -> float:
    """Gives how many times lower the protocol lets it be, for one conversation by itself.

    Source: one vote a turn, each of which reads its prefix and writes its own turn.
    """
    turns, m, p = case.turns, case.tokens, OVERHEAD
    paper = 5 * (turns * p + m * turns * (turns + 1) / 2)
    least = write * (p - tail + turns * m) + turns * tail
    least += read * ((turns - 1) * (p - tail) + m * turns * (turns - 1) / 2)
    return paper / least


if __name__ == "__main__":
    sys.exit(main())
