"""What a check before a run comes to."""

from dataclasses import dataclass
from enum import StrEnum

from chaperone_cli.domain.cost import Tokens
from chaperone_cli.errors import ChaperoneError, MissingKeyError, UsageError


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    SKIPPED = "skipped"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    status: Status
    message: str
    """One line: what was found."""
    hint: str = ""
    """What to do about it."""
    mendable: bool = False
    """Whether it failed for want of something that the user can give."""
    tokens: Tokens | None = None
    """What was paid for to find out."""

    @classmethod
    def failed(cls, name: str, error: ChaperoneError) -> "Check":
        """Gives the check that `error` makes fail."""
        mendable = isinstance(error, UsageError | MissingKeyError)
        return cls(name, Status.FAILED, error.message, error.hint, mendable)
