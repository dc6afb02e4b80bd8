"""Has first blocks explained, once for each conversation as it stands."""

from dataclasses import dataclass, replace
from functools import partial

from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.verdict import ConversationVerdict, Explanation
from chaperone_cli.domain.vote import YES, Evidence, Vote
from chaperone_cli.engine.asking import once
from chaperone_cli.evaluators.interface import Evaluator
from chaperone_cli.store import VoteStore, vote_key

PASS = 0
"""Explanations are filed as votes of a pass that no vote has, with the reason as their cue."""


@dataclass(frozen=True)
class Explaining:
    """Asks `evaluator` why a turn blocks, or takes the answer that it gave before."""

    rubric: Rubric
    evaluator: Evaluator
    store: VoteStore | None

    async def explain(
        self, conversation: Conversation, verdict: ConversationVerdict
    ) -> ConversationVerdict:
        """Gives `verdict` with its first block explained, where there is one and it can be."""
        if verdict.first_block is None:
            return verdict
        turn = conversation.turns[verdict.first_block.turn - 1]
        key = vote_key(
            PrefixHasher(conversation).up_to(turn),
            self.rubric.digest,
            self.evaluator.identity.digest,
            PASS,
        )
        ask = partial(self._ask, conversation, turn)
        filed = (await once(self.store, key, ask))[0] if self.store else await ask()
        if filed is None:
            return verdict
        return replace(verdict, explanation=_explanation(conversation, turn, filed))

    async def _ask(self, conversation: Conversation, turn: Turn) -> Vote | None:
        session = self.evaluator.open(conversation, self.rubric)
        try:
            found = await session.explain(turn)
        finally:
            await session.close()
        if found is None:
            return None
        return Vote(YES.answer, evidence=Evidence((found.reason,), found.span))


def _explanation(conversation: Conversation, turn: Turn, filed: Vote) -> Explanation | None:
    if filed.evidence is None or not filed.evidence.cues:
        return None
    span = filed.evidence.span
    if span is not None:
        # A store of an earlier version does not say whose words they are.
        span = replace(span, side=conversation.turns[span.turn - 1].side)
    return Explanation(turn.number, filed.evidence.cues[0], span)
