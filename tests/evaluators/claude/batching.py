"""An audit that asks for its votes in batches, one run after another over the same store."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.codec import prices, rubric
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.cost import Spend
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol, Usage
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import ChaperoneError
from chaperone_cli.evaluators.claude.batches import BatchedClaude
from chaperone_cli.evaluators.claude.caller import Patience
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from chaperone_cli.evaluators.interface import Evaluator
from chaperone_cli.store import VoteStore
from tests.evaluators.claude.auditing import HAIKU

PATIENT = Patience(backoff=0.01)
"""Of tests without slow calls, which a busy machine must not turn into slow ones."""


@dataclass
class Outcome:
    """What one run came to."""

    verdicts: list[ConversationVerdict] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    spend: Spend = field(default_factory=Spend)
    error: ChaperoneError | None = None

    @property
    def votes(self) -> dict[str, str]:
        """The votes cast: `yyn n` is three on the first turn, one on the next."""
        return {
            verdict.conversation: " ".join(
                "".join(vote.answer[0] for vote in turn.votes) for turn in verdict.turns
            )
            for verdict in self.verdicts
        }


@dataclass(frozen=True)
class Runs:
    """Runs of one audit, that share a folder's vote store."""

    url: str
    folder: Path
    rule: str = "unanimous"
    passes: int = 5
    patience: Patience = PATIENT

    @property
    def store(self) -> Path:
        return self.folder / "votes.sqlite3"

    def batched(
        self, talks: Sequence[Conversation], *, detach: bool = False, **options: Any
    ) -> Outcome:
        """Audits `talks` in batches."""
        return self._run(BatchedClaude(self._options(options), self.store, detach=detach), talks)

    def live(self, talks: Sequence[Conversation]) -> Outcome:
        """Audits `talks` call by call."""
        return self._run(ClaudeEvaluator(self._options({})), talks)

    def _options(self, more: dict[str, Any]) -> Options:
        price = prices.shipped().of(HAIKU)
        given = {"base_url": self.url, "price": price, "patience": self.patience, **more}
        return Options(**given)

    def _run(self, evaluator: ClaudeEvaluator, talks: Sequence[Conversation]) -> Outcome:
        protocol = Protocol(rubric.load("parasocial"), Rule(self.rule), self.passes)
        outcome = Outcome(spend=evaluator.spend)
        with closing(VoteStore(self.store)) as store:
            auditor = Auditor(protocol, evaluator, store, usage=outcome.usage)
            try:
                asyncio.run(verdicts(auditor, talks, outcome.verdicts))
            except ChaperoneError as exc:
                outcome.error = exc
        return outcome

    def out(self) -> int:
        """Counts the votes that are noted as being out."""
        with closing(sqlite3.connect(self.store)) as db:
            return int(db.execute("SELECT count(submission) FROM pending_votes").fetchone()[0])


async def verdicts(
    auditor: Auditor, talks: Sequence[Conversation], found: list[ConversationVerdict]
) -> None:
    """Adds the verdicts of `talks` to `found` as they come, and closes the evaluator."""
    evaluator: Evaluator = auditor.evaluator
    try:
        async for one in auditor.run(talks):
            assert not isinstance(one, Problem)
            found.append(one.verdict)
    finally:
        await evaluator.close()
