"""Screens conversations: asks a screen how suspicious their turns are, and draws the line."""

from dataclasses import dataclass

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.screening import Screening
from chaperone_cli.evaluators.interface import Screen


@dataclass(frozen=True)
class Screener:
    """A screen with the level and reach that a run uses it with; without one, nothing is lost."""

    screening: Screening | None = None
    screen: Screen | None = None

    def screened_out(self, conversation: Conversation) -> frozenset[int]:
        """Gives the numbers of the turns that are not put to the vote.

        Turns of a side that is not voted on count with their suspicion too.
        """
        if self.screening is None or self.screen is None:
            return frozenset()
        return self.screening.screened_out(self.screen.suspicions(conversation))
