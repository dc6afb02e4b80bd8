"""A dry run asks for what the audit then asks for, and asks nobody."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.auditing.dry_run import DryRun
from chaperone_cli.domain.conversation import Conversation, Sides
from chaperone_cli.domain.estimate import Estimate, Shape, Way
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.evaluators.claude.sizing import Sizing
from chaperone_cli.store import VoteStore
from tests.support.scripted import RUBRIC, ScriptedEvaluator, conversation

SCRIPT = {
    "a": "nnnnn ynnnn yyyyy yyyyn nnnnn",
    "b": "nnnnn nnnnn",
    "c": "",
    "d": "yyyyy nnnnn nnyyy",
}
TALKS = [
    conversation(name, *(f"{name} {n}" for n in range(len(word.split()))))
    for name, word in SCRIPT.items()
]
SIZES = Sizing(Shape(100, 10, 5), "0123456789").prefixes


def foretold(protocol: Protocol, store: VoteStore | None = None) -> dict[Way, int]:
    evaluator = ScriptedEvaluator({})
    estimate = Estimate(Shape(100, 10, 5, 64), protocol.passes, None)
    run = DryRun(protocol, evaluator, ScriptedEvaluator(SCRIPT), SIZES, estimate, store)
    asyncio.run(run.run(TALKS))
    assert evaluator.asked == []
    return {way: spend.calls for way, spend in estimate.ways.items()}


def asked(protocol: Protocol, store: VoteStore | None, talks: list[Conversation]) -> int:
    auditor = Auditor(protocol, ScriptedEvaluator(SCRIPT), store)

    async def run() -> None:
        async for _ in auditor.run(talks):
            pass

    asyncio.run(run())
    return auditor.usage.votes_asked


@pytest.mark.parametrize("rule", ["unanimous", "balanced", "conservative", "2"])
@pytest.mark.parametrize("sides", Sides)
@pytest.mark.parametrize("all_votes", [False, True])
@pytest.mark.parametrize("until_block", [False, True])
def test_the_votes_foretold_are_those_then_asked_for(
    rule: str, sides: Sides, all_votes: bool, until_block: bool, tmp_path: Path
) -> None:
    protocol = Protocol(RUBRIC, Rule(rule), 5, sides, all_votes, until_block)
    store = VoteStore(tmp_path / "votes")
    try:
        from_scratch = foretold(protocol)
        assert from_scratch[Way.THIS_RUN] == from_scratch[Way.EARLY] == from_scratch[Way.CACHED]
        turns = sum(sides.include(turn.side) for talk in TALKS for turn in talk.turns)
        assert from_scratch[Way.PAPER] == 5 * turns
        first = asked(protocol, store, TALKS[:1])
        assert foretold(protocol, store)[Way.THIS_RUN] == from_scratch[Way.THIS_RUN] - first
        rest = asked(protocol, store, TALKS)
        assert first + rest == from_scratch[Way.THIS_RUN]
        assert foretold(protocol, store) == {**from_scratch, Way.THIS_RUN: 0}
    finally:
        store.close()


def test_more_passes_than_the_oracle_has(tmp_path: Path) -> None:
    script = ScriptedEvaluator(SCRIPT)
    script.max_passes = 5
    estimate = Estimate(Shape(100, 10, 5), 7, None)
    protocol = replace(Protocol(RUBRIC, Rule("unanimous"), 7), all_votes=True)
    run = DryRun(protocol, ScriptedEvaluator({}), script, SIZES, estimate)
    asyncio.run(run.run(TALKS))
    assert estimate.ways[Way.THIS_RUN].calls == 7 * 10
