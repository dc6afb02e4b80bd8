"""What a verdict gains once its votes are cast: why it blocks, and cues of tampering."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from chaperone_cli.auditing.votes import once
from chaperone_cli.domain.conversation import Conversation, PrefixHasher, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.verdict import ConversationVerdict, Explanation, TurnVerdict
from chaperone_cli.domain.vote import YES, Evidence, Vote
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


def marked(
    conversation: Conversation, verdict: ConversationVerdict, evaluator: Evaluator
) -> ConversationVerdict:
    """Return `verdict` with the cues of unjudged turns on the votes of the next judged one.

    A turn that is not voted on, such as a prompt where only responses are, is still read by whoever
    votes on the next one, and can sway that vote. What follows the last judged turn sways none. The
    cues are no part of the votes that are stored: which turns are judged may differ in a later run.
    """
    turns: list[TurnVerdict] = []
    judged = 0
    for turn in verdict.turns:
        unjudged = conversation.turns[judged : turn.turn - 1]
        cues = [cue for one in unjudged for cue in evaluator.suspicious(conversation, one)]
        turns.append(replace(turn, votes=_adding(cues, turn.votes)) if cues else turn)
        judged = turn.turn
    return replace(verdict, turns=tuple(turns))


def _adding(cues: Sequence[str], votes: Sequence[Vote]) -> tuple[Vote, ...]:
    added = []
    for vote in votes:
        found = vote.evidence or Evidence()
        named = tuple(dict.fromkeys((*found.cues, *cues)))
        added.append(replace(vote, evidence=replace(found, cues=named)))
    return tuple(added)
