"""How fast the local evaluator votes, in what memory, and where the time goes; run from a checkout.

Turns are those of every third training dialogue, five votes each, in one process on one core. In a
mixed log one conversation in ten is parasocial, all others being of every other kind: of sample
logs that were written as those of many products, and of training dialogues, most of which are hard
on purpose, so that the encoder is asked about more of them. The shares are those of an
instrumented run.
"""

import asyncio
import cProfile
import resource
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.evaluators.local import LocalEvaluator, model
from chaperone_cli.evaluators.local.evaluator import LocalSession
from chaperone_cli.evaluators.local.gate import SIZE, Gate
from chaperone_cli.readers import LogReader

ROOT = Path(__file__).parents[2]
DIALOGUES = ROOT / "training" / "data" / "dialogues"
SAMPLES = [ROOT / "sample_logs" / f"{name}.jsonl" for name in ("eighty", "forty")]
RUBRIC = Rubric("benchmark", 1, "Benchmark", ())
T = TypeVar("T")
PASSES = (1, 2, 3, 4, 5)
EVERY = 3
STAGES = {
    "text": ("features.py", "read"),
    "features": ("features.py", "find"),
    "scores, with both": ("scoring.py", "score"),
    "language": ("language.py", "advance"),
    "gate": ("gate.py", "open"),
    "encoder": ("context.py", "advance"),
    "members": ("members.py", "listen"),
    "ledger": ("members.py", "keep"),
    "evidence": ("evidence.py", "evidence"),
}
"""File and function by stage."""


def main() -> None:
    start = time.perf_counter()
    conversations = read(sorted(DIALOGUES.glob("*.jsonl")))[::EVERY]
    reading = time.perf_counter() - start
    evaluator, load = timed(loaded)
    turns = count(conversations)
    mixed, samples = mix(conversations), mix(read(SAMPLES))
    votes = quickest(partial(vote, evaluator, conversations))
    whole = quickest(partial(audit, evaluator, conversations))
    print(f"{len(conversations)} conversations, {turns} turns, {len(PASSES)} votes each")
    print(f"loading the weights, numpy included: {load * 1e3:.0f} ms")
    for what, seconds, number in (
        ("reading the log", reading, turns),
        ("a mixed log", quickest(partial(vote, evaluator, samples), 5), count(samples)),
        ("a mixed log of hard ones", quickest(partial(vote, evaluator, mixed)), count(mixed)),
        ("the training dialogues", votes, turns),
        ("every turn encoded", quickest(partial(vote_on_all, mixed), times=1), count(mixed)),
        ("words alone", quickest(partial(vote_by_words, conversations)), turns),
        ("reading, votes and engine", reading + whole, turns),
    ):
        print(f"{what:28}{seconds / number * 1e6:8.0f} us a turn {number / seconds:10,.0f} turns/s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB")
    print("of the votes:")
    shares(evaluator, conversations)
    growth(evaluator, conversations)


def read(paths: Sequence[Path]) -> list[Conversation]:
    reader = LogReader([str(path) for path in paths])
    return [item for item in reader if isinstance(item, Conversation)]


def count(conversations: Sequence[Conversation]) -> int:
    return sum(len(conversation.turns) for conversation in conversations)


def mix(conversations: Sequence[Conversation]) -> list[Conversation]:
    """Keeps of the parasocial ones so many that they are one in ten."""
    others = [one for one in conversations if one.label != "parasocial"]
    bonded = [one for one in conversations if one.label == "parasocial"]
    return others + bonded[:: len(bonded) * 9 // len(others) + 1]


def loaded() -> LocalEvaluator:
    evaluator = LocalEvaluator()
    evaluator.open(Conversation("none", (), Source("-", 1)), RUBRIC)
    return evaluator


async def vote(evaluator: LocalEvaluator, conversations: Sequence[Conversation]) -> None:
    for conversation in conversations:
        session = evaluator.open(conversation, RUBRIC)
        for turn in conversation.turns:
            await session.vote(turn, PASSES)


async def vote_on_all(conversations: Sequence[Conversation]) -> None:
    """Votes with a gate that is always open."""
    await vote_with(
        replace(model.Source.at(None).model, gate=Gate(np.zeros((2, SIZE)), np.ones(2))),
        conversations,
    )


async def vote_by_words(conversations: Sequence[Conversation]) -> None:
    """Votes with the first stage alone."""
    await vote_with(replace(model.Source.at(None), encoder=False).model, conversations)


async def vote_with(loaded: model.Model, conversations: Sequence[Conversation]) -> None:
    for conversation in conversations:
        session = LocalSession(loaded, conversation)
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
    texts = [turn.text for conversation in conversations[::4] for turn in conversation.turns]
    roles = (Role.USER, Role.ASSISTANT)
    messages = tuple(Message(roles[n % 2], text) for n, text in enumerate(texts[:600]))
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


def quickest(work: Callable[[], Coroutine[None, None, None]], times: int = 2) -> float:
    """Seconds of the quickest of several runs."""
    return min(timed(lambda: asyncio.run(work()))[1] for _ in range(times))


def timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


if __name__ == "__main__":
    main()
