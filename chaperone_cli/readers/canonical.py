"""The canonical log, `conversation.v1`: one conversation a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.conversation import Defective, decode
from chaperone_cli.codec.message import decode_message
from chaperone_cli.codec.plain_messages import are_plain
from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import Account, Lost
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.json_documents import json_rows
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import as_list, begins


@dataclass(frozen=True)
class Canonical(Format):
    """One `conversation.v1` document a line.

    A conversation with a defect in any of its messages is not audited at all, and every defect is
    a Problem of its own.
    """

    needs = "conversations with `id` and `turns` of `role` and `content`"
    telltale = frozenset({"turns", "role", "content"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        # Verdicts have turns as well, but say in `schema` what they are.
        own = "turns" in document and ("id" in document or "schema" not in document)
        return own and "candidates" not in begins(document, "turns")

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        new, path = tuple.__new__, log.name
        for row in json_rows(log):
            if isinstance(row, Problem):
                yield row
                continue
            line, document, item = row
            # Calling a named tuple takes twice as long.
            source = new(Source, (path, line, item))
            decoded = decode(document, source)
            if not isinstance(decoded, Conversation):
                yield from _problems(decoded, source)
            else:
                if (decoded.blank_turns or not decoded.messages) and (lost := _lost(document)):
                    message = f"says nothing where words are expected, and holds {lost}"
                    yield Problem(Severity.WARNING, path, message, line, decoded.id)
                yield decoded


def _lost(document: dict[str, Any]) -> Lost:
    """Gives what text stands in the blank turns of a conversation, or beside it if it has none."""
    blank = [turn for turn in as_list(document.get("turns")) if not are_plain([turn])]
    said = (
        each.text for turn in blank if (message := decode_message(turn, [])) for each in message[:1]
    )
    return Account().take(blank or document, said, 1)


def _problems(defective: Defective, source: Source) -> Iterator[Problem]:
    for defect in defective.defects:
        message = f"{defect}; this conversation is not audited"
        yield Problem(Severity.ERROR, source.path, message, source.line, defective.id)
