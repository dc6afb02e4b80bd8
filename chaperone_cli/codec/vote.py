"""Votes as the contracts write them: 1 for yes, 0 for no, an abstention by its reason.

A line of a `vote.v1` file holds the votes of one turn, in the order of their passes:
`{"conversation": "c-17", "turn": 3, "votes": [1, 1, 0, "refused", 1]}`.
"""

from dataclasses import dataclass

import orjson

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Vote

VoteDocument = int | str

_ABSTENTIONS = {reason.value: Vote(Answer.ABSTAIN, reason) for reason in AbstainReason}


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One line of a `vote.v1` file."""

    conversation: str
    turn: int
    votes: tuple[Vote, ...]
    label: str | None = None
    side: Side | None = None


def encode_vote(vote: Vote) -> VoteDocument:
    """Gives a vote without its evidence, as it stands in a list of votes."""
    match vote.answer:
        case Answer.YES:
            return 1
        case Answer.NO:
            return 0
        case Answer.ABSTAIN:
            return str(vote.reason)


def decode_vote(document: object) -> Vote:
    """Reads one vote; raises ValueError saying what was expected."""
    if type(document) is int and document in (0, 1):
        return YES if document else NO
    if isinstance(document, str) and document in _ABSTENTIONS:
        return _ABSTENTIONS[document]
    raise ValueError(f"a vote is 1, 0 or one of {', '.join(_ABSTENTIONS)}")


def decode_line(line: bytes) -> RecordedTurn:
    """Reads one line of a `vote.v1` file; raises ValueError saying what was expected."""
    document = orjson.loads(line)
    if not isinstance(document, dict):
        raise ValueError("expected an object with conversation, turn and votes")
    conversation, turn, votes = (document.get(key) for key in ("conversation", "turn", "votes"))
    if not isinstance(conversation, str) or not conversation:
        raise ValueError("`conversation` must be a conversation's id, as text")
    if type(turn) is not int or turn < 1:
        raise ValueError("`turn` must be a whole number from 1")
    if not isinstance(votes, list) or not votes:
        raise ValueError("`votes` must be a list of at least one vote")
    label, side = document.get("label"), document.get("side")
    if not isinstance(label, str | None):
        raise ValueError("`label` must be text")
    if side is not None and side not in tuple(Side):
        raise ValueError("`side` must be prompt or response")
    return RecordedTurn(
        conversation,
        turn,
        tuple(decode_vote(vote) for vote in votes),
        label,
        Side(side) if side else None,
    )
