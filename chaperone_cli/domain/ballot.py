"""The vote on one turn, step by step and without any input or output.

A ballot says which passes to ask for now, is given their votes, and says when the verdict is
settled. Live, stored and replayed votes drive the same ballot.
"""

from collections.abc import Sequence

from chaperone_cli.domain.conversation import Turn
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.verdict import TurnVerdict, Verdict
from chaperone_cli.domain.vote import Tally, Vote


class Ballot:
    """The vote on one turn under `rule`, of at most `passes` votes."""

    def __init__(
        self, rule: Rule, passes: int, *, all_votes: bool = False, together: bool = False
    ) -> None:
        """With `together`, all votes that are left are wanted at once after a first yes."""
        self._together = together
        self._rule = rule
        self._passes = passes
        self._all_votes = all_votes
        self._votes: list[Vote] = []
        self._tally = Tally()

    def wanted(self) -> range:
        """The numbers of the passes to ask for now; none once enough votes are cast."""
        cast = self._tally.cast
        if self._all_votes:
            return range(cast + 1, self._passes + 1)
        wave = self._rule.wave(self._tally, self._passes)
        if wave and self._together and self._tally.yes:
            wave = self._passes - cast
        return range(cast + 1, cast + 1 + wave)

    def cast(self, votes: Sequence[Vote]) -> None:
        """Takes the votes of the passes that were wanted, in their order."""
        for vote in votes:
            self._votes.append(vote)
            self._tally = self._tally.plus(vote.answer)

    def outcome(self, turn: Turn) -> TurnVerdict:
        """The verdict on `turn`; raises ValueError while votes are still wanted."""
        verdict = self._rule.decide(self._tally, self._passes)
        if verdict is None:
            raise ValueError("the votes cast so far do not settle the verdict")
        return TurnVerdict(turn.number, turn.side, verdict, tuple(self._votes))


def first_blocks(
    turns: Sequence[TurnVerdict], rules: Sequence[Rule], passes: int
) -> dict[str, int | None]:
    """Every rule's first blocking turn in `turns`, on which all `passes` votes were cast."""
    return {
        rule.name: next(
            (turn.turn for turn in turns if rule.decide(turn.tally, passes) is Verdict.BLOCK), None
        )
        for rule in rules
    }
