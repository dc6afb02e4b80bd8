"""How fast the local evaluator votes, and where the time goes; run from a checkout.

Turns are those of the training dialogues, five votes each, in one process on one core. The shares
are those of an instrumented run; the engine's cost is what a whole audit takes beyond the votes.
"""

import asyncio
import cProfile
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.engine.audit import Auditor
from chaperone_cli.evaluators.local import LocalEvaluator
from chaperone_cli.readers import LogReader

DIALOGUES = Path(__file__).parents[2] / "chaperone_cli" / "data" / "dialogues"
RUBRIC = Rubric("benchmark", 1, "Benchmark", ())
T = TypeVar("T")
PASSES = (1, 2, 3, 4, 5)
STAGES = {
    "text": ("features.py", "read"),
    "features": ("features.py", "find"),
    "scores, with both": ("scoring.py", "score"),
    "language": ("language.py", "advance"),
    "members": ("members.py", "listen"),
    "ledger": ("members.py", "keep"),
    "evidence": ("evidence.py", "evidence"),
}
"""File and function by stage."""


def main() -> None:
    start = time.perf_counter()
    conversations = list(read())
    reading = time.perf_counter() - start
    evaluator, load = timed(loaded)
    turns = sum(len(conversation.turns) for conversation in conversations)
    first = quickest(partial(vote, evaluator, conversations), times=1)
    votes = quickest(partial(vote, evaluator, conversations))
    whole = quickest(partial(audit, evaluator, conversations))
    print(f"{len(conversations)} conversations, {turns} turns, {len(PASSES)} votes each")
    print(f"loading the weights, numpy included: {load * 1e3:.0f} ms")
    for what, seconds in (
        ("reading the log", reading),
        ("first votes, each word new", first),
        ("votes", votes),
        ("engine, beyond the votes", whole - votes),
        ("reading, votes and engine", reading + whole),
    ):
        print(f"{what:28}{seconds / turns * 1e6:7.1f} us a turn {turns / seconds:10,.0f} turns/s")
    print("of the votes:")
    shares(evaluator, conversations)
    growth(evaluator, conversations)


def read() -> list[Conversation]:
    reader = LogReader([str(path) for path in sorted(DIALOGUES.glob("*.jsonl"))])
    return [item for item in reader if isinstance(item, Conversation)]


def loaded() -> LocalEvaluator:
    evaluator = LocalEvaluator()
    evaluator.open(Conversation("none", (), Source("-", 1)), RUBRIC)
    return evaluator


async def vote(evaluator: LocalEvaluator, conversations: Sequence[Conversation]) -> None:
    for conversation in conversations:
        session = evaluator.open(conversation, RUBRIC)
        for turn in conversation.turns:
            await session.vote(turn, PASSES)


async def audit(evaluator: LocalEvaluator, conversations: Sequence[Conversation]) -> None:
    protocol = Protocol(RUBRIC, Rule.parse("unanimous"), len(PASSES), all_votes=True)
    async for _ in Auditor(protocol, evaluator).run(conversations):
        pass


def shares(evaluator: LocalEvaluator, conversations: Sequence[Conversation]) -> None:
    """Prints the share of each stage of a vote, with whatever it calls."""
    profile = cProfile.Profile()
    profile.enable()
    asyncio.run(vote(evaluator, conversations))
    profile.disable()
    whole, spent = 0.0, dict.fromkeys(STAGES, 0.0)
    for entry in profile.getstats():
        code = entry.code
        if isinstance(code, str):
            continue
        if (code.co_name, code.co_filename) == ("vote", __file__):
            whole = entry.totaltime
        for stage, (file, function) in STAGES.items():
            if code.co_name == function and code.co_filename.endswith(f"local/{file}"):
                spent[stage] = entry.totaltime
    for stage, seconds in spent.items():
        print(f"  {stage:20}{seconds / whole:6.1%}")


def growth(evaluator: LocalEvaluator, conversations: Sequence[Conversation]) -> None:
    """Prints what a turn costs in a long conversation beside a short one of the same turns."""
    texts = [turn.text for conversation in conversations[::7] for turn in conversation.turns]
    roles = (Role.USER, Role.ASSISTANT)
    messages = tuple(Message(roles[n % 2], text) for n, text in enumerate(texts[:1000]))
    costs = []
    for length in (10, 200):
        cut = [
            Conversation("cut", messages[start : start + length], Source("-", 1))
            for start in range(0, len(messages), length)
        ]
        costs.append(quickest(partial(vote, evaluator, cut)) / len(messages) * 1e6)
    print(
        f"a turn costs {costs[0]:.1f} us in conversations of 10, {costs[1]:.1f} us in ones of 200"
    )
    print(f"ratio {costs[1] / costs[0]:.2f}")


def quickest(work: Callable[[], Coroutine[None, None, None]], times: int = 3) -> float:
    """Seconds of the quickest of several runs."""
    return min(timed(lambda: asyncio.run(work()))[1] for _ in range(times))


def timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


if __name__ == "__main__":
    main()
