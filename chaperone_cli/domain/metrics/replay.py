"""The same votes under another rule: what it would have said, and how many votes it would need."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.domain.vote import Answer, Tally


class Settled(NamedTuple):
    """A turn's verdict, and the votes that early stopping would have cast to reach it."""

    verdict: Verdict
    votes: int


# Few sequences of N answers occur, most of them over and over: all yes, all no.
@lru_cache(maxsize=4096)
def settle(rule: Rule, answers: tuple[Answer, ...]) -> Settled:
    """Asks for `answers` one wave after the other until `rule` has its verdict."""
    passes, tally = len(answers), Tally()
    while (verdict := rule.decide(tally, passes)) is None:
        for answer in answers[tally.cast : tally.cast + rule.wave(tally, passes)]:
            tally = tally.plus(answer)
    return Settled(verdict, tally.cast)


@dataclass(frozen=True)
class Replay:
    """One conversation under one rule."""

    verdict: ConversationVerdict
    votes_needed: int
    """With early stopping, on all judged turns."""
    votes_until_block: int
    """With early stopping, up to the first blocking turn, or on all turns where none blocks."""


def replay(conversation: ConversationVerdict, rule: Rule) -> Replay:
    """Judges `conversation` again under `rule`, from votes that are all cast."""
    turns = []
    needed = until_block = 0
    blocked = False
    for turn in conversation.turns:
        verdict, votes = settle(rule, tuple(vote.answer for vote in turn.votes))
        turns.append(replace(turn, verdict=verdict))
        needed += votes
        until_block += 0 if blocked else votes
        blocked = blocked or verdict is Verdict.BLOCK
    return Replay(replace(conversation, turns=tuple(turns)), needed, until_block)
