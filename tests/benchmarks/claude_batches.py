"""What votes cost one by one and in batches, with more or less of a request in the cache.

The verdicts are those of the thirty sample dialogues in every row. The vendor says of batches that
30 % to 98 % of requests find what was cached; a request that does not find it writes it anew. The
layout in use is the one in rounds, with the conversation cached for 5 minutes.
"""

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from functools import partialmethod
from pathlib import Path
from unittest.mock import patch

from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.codec import prices, rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol
from chaperone_cli.evaluators.claude import batches_desk, batches_requests
from chaperone_cli.evaluators.claude.batches import BatchedClaude
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from chaperone_cli.evaluators.claude.prompt import Prompt, Transcript
from chaperone_cli.readers import LogReader
from chaperone_cli.store import VoteStore
from tests.benchmarks.claude_ground import LOG, VOTES
from tests.support.standin import Standin, running

MODELS = ("claude-haiku-5-5", "claude-opus-5-5")
HITS = (0.3, 0.5, 0.98)


@dataclass(frozen=True)
class Layout:
    """A way of asking."""

    name: str
    batch: bool = True
    conversation: bool = False
    """The conversation so far is in the cache too, and not the instructions alone."""
    lifetime: str = "1h"
    at_once: bool = False
    """All passes in one batch, without stopping early."""


LAYOUTS = (
    Layout("in rounds, instructions cached for 1 h"),
    Layout("in rounds, instructions cached for 5 min", lifetime="5m"),
    Layout("in rounds, conversation cached for 1 h", conversation=True),
    Layout("in rounds, conversation cached for 5 min", conversation=True, lifetime="5m"),
    Layout("all passes at once, for 1 h", conversation=True, at_once=True),
    Layout("all passes at once, for 5 min", conversation=True, lifetime="5m", at_once=True),
)


class InstructionsAlone(Transcript):
    """A conversation without breakpoints in it."""

    def _breakpoints(self, last: int) -> tuple[int, ...]:
        return ()


_plain = Prompt.__init__


def main() -> int:
    for model in MODELS:
        live = dollars(Layout("", batch=False), model, 0.0)
        print(f"{model}: ${live:.4f} one by one")
        print(f"{'in batches, times as much; found in the cache':46}", end="")
        print("".join(f"{hits:>8.0%}" for hits in HITS))
        for layout in LAYOUTS:
            times = [dollars(layout, model, hits) / live for hits in HITS]
            print(f"{layout.name:46}" + "".join(f"{one:8.2f}" for one in times), flush=True)
    return 0


def dollars(layout: Layout, model: str, hits: float) -> float:
    """Returns what the stand-in bills for an audit of the thirty."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(logs=(LOG,), votes=(VOTES,), batch_hits=hits) as standin,
    ):
        asyncio.run(_audit(layout, model, standin, Path(folder) / "votes.sqlite3"))
        return sum(call.dollars for call in standin.ledger.calls)


async def _audit(layout: Layout, model: str, standin: Standin, store: Path) -> None:
    options = Options(model, standin.url, prices.shipped().of(model))
    evaluator = BatchedClaude(options, store) if layout.batch else ClaudeEvaluator(options)
    protocol = Protocol(rubric.load("parasocial"), Rule("unanimous"), 5, all_votes=layout.at_once)

    laid_out = Transcript if layout.conversation else InstructionsAlone
    with (
        patch.object(batches_desk, "FIRST_LOOK", 0.01),
        patch.object(Prompt, "__init__", partialmethod(_plain, lifetime=layout.lifetime)),
        patch.object(batches_requests, "Transcript", laid_out),
    ):
        async for _ in Auditor(protocol, evaluator, VoteStore(store)).run(LogReader([str(LOG)])):
            pass


if __name__ == "__main__":
    sys.exit(main())
