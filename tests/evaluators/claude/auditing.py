"""An audit by the claude evaluator, as the engine runs it, against a server on this machine."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.codec import prices, rubric
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.cost import Spend
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import ChaperoneError
from chaperone_cli.evaluators.claude.caller import Patience
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from chaperone_cli.store import VoteStore

HAIKU = "claude-haiku-5-5"
QUICK = Patience(timeout=1.5, deadline=20, backoff=0.01)


@dataclass
class Audit:
    """What an audit came to."""

    verdicts: dict[str, ConversationVerdict]
    spend: Spend
    error: ChaperoneError | None
    remarks: tuple[str, ...] = ()

    @property
    def votes(self) -> dict[str, str]:
        """The votes cast, by conversation: `yyn n` is three on the first turn, one on the next."""
        return {
            name: " ".join("".join(vote.answer[0] for vote in turn.votes) for turn in verdict.turns)
            for name, verdict in self.verdicts.items()
        }


def audit(
    url: str,
    *conversations: Conversation,
    rule: str = "unanimous",
    passes: int = 5,
    store: Path | None = None,
    concurrency: int = 8,
    keep_abstentions: bool = False,
    **options: Any,
) -> Audit:
    """Audits `conversations`; what ends the audit early is given, not raised."""
    model = options.setdefault("model", HAIKU)
    options.setdefault("patience", QUICK)
    price = prices.shipped().of(model)
    evaluator = ClaudeEvaluator(Options(base_url=url, price=price, store=store, **options))
    kept = VoteStore(store, keep_abstentions=keep_abstentions) if store else None
    protocol = Protocol(rubric.load("parasocial"), Rule(rule), passes)
    result = Audit({}, evaluator.spend, None)
    try:
        asyncio.run(_run(Auditor(protocol, evaluator, kept, concurrency), conversations, result))
    except ChaperoneError as exc:
        result.error = exc
    finally:
        if kept is not None:
            kept.close()
    return result


async def _run(auditor: Auditor, items: tuple[Conversation, ...], result: Audit) -> None:
    try:
        async for one in auditor.run(items):
            assert not isinstance(one, Problem)
            result.verdicts[one.conversation.id] = one.verdict
    finally:
        result.remarks = auditor.remarks
        await auditor.evaluator.close()
