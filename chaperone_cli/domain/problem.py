"""What could not be read of a log, or was read with a loss that its owner should know of."""

from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """Whether something was left out of the audit."""

    ERROR = "error"
    """A file, a conversation or a message could not be read and was not audited."""
    WARNING = "warning"
    """Everything was audited, but not quite as it stands in the log."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One defect of a log; it never holds conversation text."""

    severity: Severity
    path: str
    message: str
    """One line: what is wrong and what was expected."""
    line: int | None = None
    conversation: str | None = None
    turn: int | None = None
    names: tuple[str, ...] = field(default=(), compare=False)
    """Further files that `message` names, which are hashed where names are not to be shown."""

    @property
    def where(self) -> str:
        """File, line, conversation and turn, as far as they are known."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        if self.conversation is not None:
            place += f" conversation {self.conversation}"
        if self.turn is not None:
            place += f" turn {self.turn}"
        return place

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"
