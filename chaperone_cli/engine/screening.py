"""Screens conversations: asks a screen how suspicious their turns are, and draws the line."""

from dataclasses import dataclass
from math import inf

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.screening import Screening
from chaperone_cli.evaluators.interface import Screen


@dataclass(frozen=True)
class Reading:
    """What a screen makes of one conversation, by the numbers of its turns."""

    screened_out: frozenset[int] = frozenset()
    """Turns that are not put to the vote."""
    likely: frozenset[int] = frozenset()
    """Turns on which the screen itself would see a yes."""


UNREAD = Reading()


@dataclass(frozen=True)
class Screener:
    """A screen with the level and reach that a run uses it with; without one, nothing is lost."""

    screening: Screening | None = None
    screen: Screen | None = None

    def read(self, conversation: Conversation) -> Reading:
        """Reads `conversation`; turns of a side that is not voted on count with theirs too."""
        if self.screening is None or self.screen is None:
            return UNREAD
        found = list(self.screen.suspicions(conversation))
        likely = (number for number, one in enumerate(found, 1) if 0 <= one < inf)
        return Reading(self.screening.screened_out(found), frozenset(likely))

    def screened_out(self, conversation: Conversation) -> frozenset[int]:
        """Gives the numbers of the turns that are not put to the vote."""
        return self.read(conversation).screened_out
