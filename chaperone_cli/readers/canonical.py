"""The canonical log, `conversation.v1`: one conversation a line."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.conversation import Defective, decode, is_blank
from chaperone_cli.codec.message import TEXT_KINDS
from chaperone_cli.codec.plain_messages import MESSAGE_KEYS, PlainMessages
from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import Account, Lost, says_nothing
from chaperone_cli.readers.content import why_replaced
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.json_documents import json_rows
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import begins

_KEYS = frozenset({"schema", "id", "turns", "label", "onset", "meta"})
"""Everything that a conversation may say."""


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
        new, path, account = tuple.__new__, log.name, log.account
        for row in json_rows(log):
            if isinstance(row, Problem):
                yield row
                continue
            line, document, item = row
            # Calling a named tuple takes twice as long.
            source = new(Source, (path, line, item))
            decoded = decode(document, source)
            if not isinstance(decoded, Conversation):
                account.take(document, (), line, "not audited")
                yield from _problems(decoded, source)
                continue
            messages = decoded.messages
            if (
                type(messages) is PlainMessages
                and not messages.measured[1]
                and (len(document) == 2 or _KEYS.issuperset(document))
            ):
                account.keep(messages.measured[0])
            elif clause := _counted(document, decoded, account):
                yield Problem(Severity.WARNING, path, clause, line, decoded.id)
            yield decoded


def _counted(document: dict[str, Any], conversation: Conversation, account: Account) -> str | None:
    """Counts the text of a document key by key; says what is wrong where none of it is kept."""
    line = conversation.source.line
    seen, kept = account.seen, account.kept
    silent = Lost()
    for turn in document["turns"]:
        lost, says_something = counted_message(turn, line, account)
        if not says_something:
            silent.update(lost)
    beside = {key: value for key, value in document.items() if key not in _KEYS}
    lost = account.take(beside, (message.text for message in conversation.messages), line)
    if not conversation.messages:
        silent.update(lost)
    if silent:
        account.tell(silent)
        return says_nothing(silent)
    return account.nothing_kept_since(seen, kept)


def counted_message(
    message: Mapping[str, Any],
    line: int,
    account: Account,
    keys: frozenset[str] = MESSAGE_KEYS,
    context: Iterable[str] = (),
) -> tuple[Lost, bool]:
    """Counts the text of a message of this contract; gives what is lost, and if it says anything.

    `keys` are those that are read. What they do not hold may be repeated in `context`.
    """
    content = message.get("content")
    said = [content] if isinstance(content, str) else []
    beside: list[object] = [{key: value for key, value in message.items() if key not in keys}]
    for part in content if isinstance(content, list) else ():
        if part["type"] in TEXT_KINDS:
            said.append(part["text"])
            beside.append({key: value for key, value in part.items() if key != "text"})
        elif reason := why_replaced(part):
            account.take(part, (), line, reason)
        else:
            beside.append(part)
    characters = sum(len(text) for text in said if not is_blank(text))
    account.keep(characters)
    return account.take(beside, (*said, *context), line), characters > 0


def _problems(defective: Defective, source: Source) -> Iterator[Problem]:
    for defect in defective.defects:
        message = f"{defect}; this conversation is not audited"
        yield Problem(Severity.ERROR, source.path, message, source.line, defective.id)
