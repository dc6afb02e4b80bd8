"""Marks judged turns with what looks tampered with in the turns before them that nobody judged.

A turn that is not voted on, such as a prompt where only responses are, is still read by whoever
votes on the next one, and can sway that vote. What follows the last judged turn sways none.
"""

from collections.abc import Sequence
from dataclasses import replace

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict
from chaperone_cli.domain.vote import Evidence, Vote
from chaperone_cli.evaluators.interface import Evaluator


def marked(
    conversation: Conversation, verdict: ConversationVerdict, evaluator: Evaluator
) -> ConversationVerdict:
    """Gives `verdict` with the cues of unjudged turns on the votes of the next judged one.

    They are no part of the votes that are stored: which turns are judged may differ in a later run.
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
