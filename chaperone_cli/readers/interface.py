"""What every log format offers: to recognise itself by content, and to read one log."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.content import is_placeholder
from chaperone_cli.readers.draft import Place
from chaperone_cli.readers.json_documents import Document, json_documents
from chaperone_cli.readers.log import Head, Log


class Format(ABC):
    """One way in which logs are written; it keeps nothing from one log to the next."""

    needs: str
    """What a log of this format must have, as the end of "expected ..."."""
    telltale: frozenset[str] = frozenset()
    """JSON keys that a log of this format has; the more of them, the closer a log comes to it."""

    def fits(self, document: dict[str, Any]) -> bool:
        """Says whether a JSON object, possibly cut short, is of this format."""
        return False

    def recognises(self, head: Head) -> bool:
        """Says whether a log that begins like this is of this format, whatever its name."""
        return any(self.fits(document) for document in head.documents)

    def read(self, log: Log) -> Iterator[Conversation | Problem]:
        """Gives what is in `log`, and at its end what text became neither turn nor context."""
        yield from self.read_all(log)
        yield from log.account.problems(log.name)

    @abstractmethod
    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:
        """Gives the conversations of `log` in order, and what could not be read, as it is found.

        It yields as it reads and keeps nothing that grows with the log. Whether an id was seen
        before, in this log or another, is not its concern.
        """

    def unfit(self, document: Document, log: Log) -> Problem:
        """Says that one object of `log` is not of this format."""
        message = f"{document.name} is none of this format; expected {self.needs}"
        return log.problem(message, document.line)


class DocumentFormat(Format):
    """A format in which each JSON object holds whole conversations.

    The objects may stand one a line, in one list, in a list inside an object, or one after the
    other.
    """

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        for document in json_documents(log):
            if isinstance(document, Problem):
                yield document
            else:
                yield from self.read_document(document, log)

    def read_document(self, document: Document, log: Log) -> Iterable[Conversation | Problem]:
        """Gives the conversations in one object of `log`, or a Problem where it holds none."""
        line, item, value = document
        if not self.fits(value):
            return [self.unfit(document, log)]
        try:
            items = list(self.conversations(value, Place(log.name, line, item), log))
        except RecursionError:
            return [log.problem(f"{document.name} is nested too deeply and was left out", line)]
        return accounted(items, value, line, log)

    @abstractmethod
    def conversations(
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        """Gives the conversations in one object for which `fits` holds."""


def accounted(
    items: list[Conversation | Problem], record: object, line: int, log: Log
) -> list[Conversation | Problem]:
    """Gives `items`, which were made of one record; an error instead where they hold none of it."""
    read = [item for item in items if isinstance(item, Conversation)]
    texts = [message.text for each in read for message in each.messages]
    kept = log.account.kept
    lost = log.account.take(record, texts, line, _otherwise(read, len(items), log))
    said = log.account.kept > kept or not all(map(is_placeholder, texts))
    if said or not lost:
        return items
    log.account.tell(lost)
    message = f"{lost} became neither turn nor context; it is not audited"
    return [Problem(Severity.ERROR, log.name, message, line, read[0].id)]


def _otherwise(read: list[Conversation], items: int, log: Log) -> str | None:
    """Says why text may be missing from what was read, whatever it is."""
    if len(read) < items:
        return "not audited"  # and a Problem says so
    forks = any(each.meta.get("abandoned_branches") for each in read)
    return "branch" if forks and log.branches is Branches.LAST else None
