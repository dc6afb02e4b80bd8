"""What offline rewriting makes of the sample dialogues; run from a checkout.

For every rule and every strategy that needs no model: of the first response of each dialogue that
is blocked, the share whose rewrite passes; for the others, that no plain reply could pass either.
Then how long a rewrite takes in a short and in a long conversation.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from chaperone_cli.auditing.auditor import Audited, Auditor
from chaperone_cli.codec import rubric, strategy
from chaperone_cli.codec.phrasebook import phrasebook, probes
from chaperone_cli.domain.conversation import Conversation, Side
from chaperone_cli.domain.ranking import rank
from chaperone_cli.domain.rephrasing import Rephrasing, Result
from chaperone_cli.domain.rewrite import Draft, Remark, Target
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.strategy import Strategy
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.evaluators.local import LocalEvaluator
from chaperone_cli.readers import LogReader
from chaperone_cli.rephrasing.rephraser import Rephraser
from chaperone_cli.rewriters.prune import PruneRewriter

LOG = Path(__file__).parents[2] / "sample_logs" / "thirty.jsonl"
LONG = 1000
"""Turns of the long conversation."""


def main() -> None:
    offline = [one for name in strategy.shipped() if (one := strategy.load(name)).offline]
    evaluator = LocalEvaluator()
    for rule in ("unanimous", "balanced", "conservative"):
        auditor = Auditor(Protocol(rubric.load("parasocial"), Rule.parse(rule), 5), evaluator)
        targets = asyncio.run(first_blocked(auditor))
        print(f"{len(targets)} first blocked responses of {LOG.name}, 5 votes, {rule}")
        found = asyncio.run(rephrased(auditor, targets, offline))
        table(found)
        for result in found[:: len(offline)]:
            target = result.target
            print(f"{target.conversation.id} turn {target.turn.number}: {outcome(result)}")
    speed(auditor, targets, offline[:1])


async def first_blocked(auditor: Auditor) -> list[Target]:
    found = []
    items = [item for item in LogReader([str(LOG)]) if isinstance(item, Conversation)]
    async for result in auditor.run(items):
        assert isinstance(result, Audited)
        turns = [
            turn.turn
            for turn in result.verdict.turns
            if turn.side is Side.RESPONSE and turn.verdict is Verdict.BLOCK
        ]
        if turns:
            found.append(Target.at(result.conversation, turns[0]))
    return found


async def rephrased(
    auditor: Auditor, targets: Sequence[Target], strategies: Sequence[Strategy]
) -> list[Rephrasing]:
    plan = auditor.protocol
    book = phrasebook()
    rewriter = PruneRewriter(book, auditor.evaluator, plan.rubric, plan.rule, plan.passes)
    rephraser = Rephraser(auditor, rewriter, book, probes(), flagged_only=True)
    return [one async for one in rephraser.run(targets, strategies)]


def table(found: Sequence[Rephrasing]) -> None:
    print("strategy     passing irreparable other  of repairable  score drop  topic kept    words")
    for one in rank(found):
        other = one.targets - one.passing - one.irreparable
        print(
            f"{one.strategy:12}{one.passing:8}{one.irreparable:12}{other:6}{one.pass_rate:15.0%}"
            f"{one.score_drop:12.1f}{one.topic_kept:12.0%}{one.length_change:+9.1f}"
        )


def outcome(one: Rephrasing) -> str:
    best = one.best
    assert best is not None
    assert best.judged is not None
    assert isinstance(best.outcome, Draft)
    replaced = {Remark.NOTHING_USEFUL, Remark.REPLACED} & set(best.outcome.remarks)
    how = "replaced" if replaced else "pruned"
    said = f"{one.strategy.id} {one.result}, {one.original.score} -> {best.judged.score}, {how}"
    if one.result is not Result.IRREPARABLE:
        return said
    assert one.floor is not None
    return f"{said}; plain replies score {one.floor.score}, votes rest on turns {one.rests_on}"


def speed(auditor: Auditor, targets: Sequence[Target], strategies: Sequence[Strategy]) -> None:
    log = [item for item in LogReader([str(LOG)]) if isinstance(item, Conversation)]
    dull = [turn.message for one in log if one.label == "neutral" for turn in one.turns]
    first = targets[0]
    ahead = tuple(dull[n % len(dull)] for n in range(LONG))
    messages = (*ahead, *first.conversation.messages)
    long = Conversation("long", messages, first.conversation.source)
    for what, target in (("short", first), ("long", Target.at(long, LONG + first.turn.number))):
        start = time.perf_counter()
        plan = auditor.protocol
        rewriter = PruneRewriter(
            phrasebook(), auditor.evaluator, plan.rubric, plan.rule, plan.passes
        )
        asyncio.run(rewriter.rewrite(target, strategies[0], ()))
        seconds = time.perf_counter() - start
        print(f"a rewrite in a {what} conversation ({target.turn.number} turns): {seconds:.2f} s")


if __name__ == "__main__":
    main()
