"""How far a run has come, for whoever wants to look while it goes on."""

from dataclasses import dataclass


@dataclass
class Progress:
    """Counts that grow while conversations are replayed."""

    conversations: int = 0
    turns_read: int = 0
    """Turns of the conversations read so far, judged already or not."""
    turns_left: int = 0
    """Turns of finished conversations that were not voted on."""
    turns: int = 0
    """Turns judged."""
    votes_cast: int = 0
    votes_saved: int = 0

    @property
    def share_done(self) -> float:
        """The share, from 0 to 1, of the turns read so far that are done with."""
        return (self.turns + self.turns_left) / self.turns_read if self.turns_read else 0.0

    def read(self, turns: int) -> None:
        """Counts a conversation of `turns` turns that was read."""
        self.turns_read += turns

    def judged(self, votes: int, passes: int) -> None:
        """Counts one judged turn with `votes` of `passes` votes cast."""
        self.turns += 1
        self.votes_cast += votes
        self.votes_saved += passes - votes

    def finished(self, turns: int, selected: int, judged: int, passes: int) -> None:
        """Counts one conversation of `turns` turns, `judged` of `selected` ones judged."""
        self.conversations += 1
        self.turns_left += turns - judged
        self.votes_saved += (selected - judged) * passes
