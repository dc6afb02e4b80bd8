"""The canonical log, `conversation.v1`: one conversation a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.conversation import Defective, decode
from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.json_documents import json_rows
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import begins


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

    def read(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        new, path = tuple.__new__, log.name
        for row in json_rows(log):
            if isinstance(row, Problem):
                yield row
                continue
            line, document, item = row
            # Calling a named tuple takes twice as long.
            source = new(Source, (path, line, item))
            decoded = decode(document, source)
            if isinstance(decoded, Conversation):
                yield decoded
            else:
                yield from _problems(decoded, source)


def _problems(defective: Defective, source: Source) -> Iterator[Problem]:
    for defect in defective.defects:
        message = f"{defect}; this conversation is not audited"
        yield Problem(Severity.ERROR, source.path, message, source.line, defective.id)
