"""One audit by the claude evaluator in a process of its own, and what it took, as a line of JSON.

`python -m tests.benchmarks.claude_audit LOG --base-url URL --store FILE`; the other figures of the
claude evaluator are measured by way of this program.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.codec import prices, rubric
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.screening import Screening
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.evaluators.claude.batches import BatchedClaude
from chaperone_cli.evaluators.claude.caller import Patience
from chaperone_cli.evaluators.claude.evaluator import DEFAULT_MODEL, ClaudeEvaluator, Options
from chaperone_cli.evaluators.local.screen import LocalScreen
from chaperone_cli.readers import LogReader
from chaperone_cli.store import VoteStore

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Took:
    """What one audit came to."""

    verdicts: str
    """SHA-256 of turns, verdicts and first blocks."""
    conversations: int
    blocked: int
    undecided: int
    asked: int
    """Votes asked of the evaluator."""
    stored: int
    calls: int
    failed: int
    dollars: float | None
    seconds: float
    """From the start of the audit to its last verdict."""
    cpu_seconds: float
    """Of the whole process."""
    peak_mb: float
    """The most memory that the process held."""


def audited(*arguments: str | Path | int | float, root: Path = ROOT) -> Took:
    """Runs this program, as it stands under `root`, in a process of its own."""
    done = start(*arguments, root=root)
    out, err = done.communicate()
    assert done.returncode == 0, err.decode()
    return Took(**json.loads(out))


def start(*arguments: str | Path | int | float, root: Path = ROOT) -> "subprocess.Popen[bytes]":
    """Starts this program with `arguments`."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.claude_audit", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root,
    )


def main(arguments: Sequence[str]) -> None:
    given = _parser().parse_args(arguments)
    options = Options(
        base_url=given.base_url,
        price=prices.shipped().of(DEFAULT_MODEL),
        patience=Patience(timeout=given.timeout),
        store=given.store,
    )
    evaluator = BatchedClaude(options, given.store) if given.batch else ClaudeEvaluator(options)
    protocol = Protocol(
        rubric.load("parasocial"), Rule.parse(given.rule), 5, all_votes=given.all_votes
    )
    concurrency = given.concurrency or evaluator.concurrency
    screen = LocalScreen() if given.screen else None
    if screen is not None:
        screening = Screening("local", screen.identity.version, screen.level)
        protocol = replace(protocol, screening=screening)
    auditor = Auditor(
        protocol, evaluator, VoteStore(given.store), concurrency, screen=screen, fast=given.fast
    )
    digest, facts = sha256(), {"conversations": 0, "blocked": 0, "undecided": 0}
    started = time.perf_counter()
    asyncio.run(_audit(auditor, given.log, digest, facts))
    seconds = time.perf_counter() - started
    spend, usage = evaluator.spend, auditor.usage
    took = Took(
        verdicts=digest.hexdigest(),
        asked=usage.votes_asked,
        stored=usage.votes_from_store,
        calls=spend.calls,
        failed=spend.failed,
        dollars=spend.dollars,
        seconds=seconds,
        cpu_seconds=time.process_time(),
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **facts,
    )
    print(json.dumps(took.__dict__))


async def _audit(auditor: Auditor, log: Path, digest: Any, facts: dict[str, int]) -> None:
    try:
        async for result in auditor.run(LogReader([str(log)])):
            assert not isinstance(result, Problem), str(result)
            digest.update(spelled(result.verdict).encode())
            facts["conversations"] += 1
            facts["blocked"] += result.verdict.verdict == "block"
            facts["undecided"] += result.verdict.verdict == "undecided"
    finally:
        await auditor.evaluator.close()


def spelled(verdict: ConversationVerdict) -> str:
    """Gives what is compared of a verdict: turns and what became of them, not who voted how."""
    return json.dumps([verdict.conversation, [(turn.turn, turn.verdict) for turn in verdict.turns]])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.claude_audit")
    parser.add_argument("log", type=Path)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--rule", default="unanimous")
    parser.add_argument("--all-votes", action="store_true")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--screen", action="store_true")
    parser.add_argument("--batch", action="store_true")
    parser.add_argument("--concurrency", type=int)
    parser.add_argument("--timeout", type=float, default=60.0)
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
