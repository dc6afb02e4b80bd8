"""What every log format offers: to recognise itself by content, and to read one log."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.log import Head, Log


class Format(ABC):
    """One way in which logs are written; it keeps nothing from one log to the next."""

    @abstractmethod
    def recognises(self, head: Head) -> bool:
        """Says whether a log that begins like this is of this format, whatever its name."""

    @abstractmethod
    def read(self, log: Log) -> Iterator[Conversation | Problem]:
        """Gives the conversations of `log` in order, and what could not be read, as it is found.

        It yields as it reads and keeps nothing that grows with the log. Whether an id was seen
        before, in this log or another, is not its concern.
        """
