"""What the formats of tracing tools share: calls in, conversations out."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import texts_in
from chaperone_cli.readers.chat_messages import add_messages
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.exchanges import Call, Exchanges, Told
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.json_documents import Document, json_documents
from chaperone_cli.readers.log import Log


class TraceFormat(Format):
    """A format whose objects record calls of a model; a session of calls is a conversation.

    `line` and `item` of a conversation are those of its first call, and the place of a message is
    its number in the conversation, since calls repeat what was said before.
    """

    @abstractmethod
    def calls(self, document: dict[str, Any], place: Place) -> Iterator[Call]:
        """Gives the calls that one object records, in whole or in part."""

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        with closing(Exchanges()) as exchanges:
            for document in json_documents(log):
                if isinstance(document, Problem):
                    yield document
                else:
                    yield from self._set_aside(document, log, exchanges)
            found = False
            for told in exchanges.sessions():
                found = True
                yield from _conversation(told, log)
            if not found:  # and so nobody would know that anything was looked at
                yield from log.account.problems(log.name, Severity.ERROR)

    def _set_aside(self, document: Document, log: Log, exchanges: Exchanges) -> Iterator[Problem]:
        line, item, value = document
        if not self.fits(value):
            yield self.unfit(document, log)
            return
        try:
            calls = list(self.calls(value, Place(log.name, line, item)))
            texts = (each.text for call in calls for each in texts_in([call.asked, call.answered]))
            lost = log.account.take(value, texts, line)
            for call in calls:
                exchanges.add(replace(call, unread=bool(lost)))
        except RecursionError:
            yield log.problem(f"{document.name} is nested too deeply and was left out", line)


def _conversation(told: Told, log: Log) -> list[Conversation | Problem]:
    draft = Draft(Place(log.name, told.line, told.item), told.id)
    log.account.leave("repetition", told.left)
    if not told.messages:
        severity = Severity.ERROR if told.unread else Severity.WARNING
        message = "its calls hold no messages; it is not audited"
        return [Problem(severity, log.name, message, told.line, told.id)]
    try:
        add_messages(draft, told.messages)
    except RecursionError:
        draft.defect("its messages are nested too deeply")
    draft.facts(**told.facts)
    return draft.finish()
