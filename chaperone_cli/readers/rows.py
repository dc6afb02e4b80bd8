"""Flat rows: one message a line, each with the id of its conversation."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.conversation import conversation_id, decode_meta, decode_onset, is_blank
from chaperone_cli.codec.message import decode_message, optional_string
from chaperone_cli.codec.plain_messages import MESSAGE_KEYS
from chaperone_cli.domain.conversation import Conversation, Message, Side, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import Account, says_nothing
from chaperone_cli.readers.canonical import counted_message
from chaperone_cli.readers.content import Said, said, text_of
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.json_documents import json_rows
from chaperone_cli.readers.json_lines import Row
from chaperone_cli.readers.json_opening import CONVERSATION_KEYS
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.spool import Facts, Spool, Spooled

_NOTHING = Said("")
_KEYS = MESSAGE_KEYS | {"conversation_id", "label", "onset", "meta"}
"""Everything that a row may say."""


@dataclass(frozen=True)
class Rows(Format):
    """`conversation_id`, `role` and `content` on every line, conversations mixed in any way.

    Messages keep the order of their lines. `label`, `onset` and `meta` of a conversation are those
    of its first row that has them. A row with a defect spoils its conversation, which is then not
    audited; where it does not even say which conversation that is, only the row is left out.
    """

    needs = "lines with `conversation_id`, `role` and `content`"
    telltale = frozenset({"conversation_id", "role", "content"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        is_message = not CONVERSATION_KEYS & document.keys()
        return (
            is_message
            and "conversation_id" in document
            and len(self.telltale & document.keys()) >= 2
        )

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        with closing(Spool()) as spool:
            for row in json_rows(log):
                if isinstance(row, Problem):
                    yield row
                else:
                    yield from _set_aside(row, log, spool)
            yield from grouped(spool, log.name, log.account)


def grouped(spool: Spool, path: str, account: Account) -> Iterator[Conversation]:
    """Gives the conversations whose messages were set aside in `spool`."""
    for spooled in spool.conversations():
        if spooled.spoiled:
            characters = sum(len(message.text) for message in spooled.messages)
            account.leave("not audited", characters)
        else:
            yield _conversation(spooled, path)


def _set_aside(row: Row, log: Log, spool: Spool) -> Iterator[Problem]:
    line, document, item = row
    document, beside = _usual(document)
    defects: list[str] = []
    id_ = conversation_id("conversation_id", document, defects)
    read = decode_message(document, defects)
    label = optional_string("label", document, defects)
    onset = decode_onset(document, defects)
    meta = decode_meta(document, defects)
    account = log.account
    if read is None or defects:
        account.take(row[1], (), line, "not audited")
    else:
        made = [] if beside is _NOTHING else [read[0].text, *(each.text for each in beside.context)]
        seen, kept = account.seen, account.kept
        # What was read from its parts is seen there.
        counted = row[1] if made else document
        lost, says_something = counted_message(counted, line, account, _KEYS, made)
        if lost and not says_something and all(map(is_blank, made)):
            account.tell(lost)
            defects.append(says_nothing(lost))
        elif clause := account.nothing_kept_since(seen, kept):
            account.tell(lost)
            yield Problem(Severity.WARNING, log.name, clause, line, id_)
    if id_ is not None and read is not None and not defects:
        message, placeholders = read
        for piece in beside.context:
            aside = Message(piece.role, piece.text, None, piece.name, message.at, item or line)
            spool.add(id_, line, aside, 0)
        placeholders += beside.placeholders
        spool.add(id_, line, message._replace(place=item or line), placeholders)
        if not (label is None and onset is None and meta is None):
            try:
                spool.state(id_, Facts(label, onset, meta))
            except RecursionError:
                clause = "`meta` is nested too deeply and is left out"
                yield Problem(Severity.WARNING, log.name, clause, line, id_)
                spool.state(id_, Facts(label, onset, None))
        return
    if id_ is not None:
        spool.spoil(id_)
    loss = "this row was left out" if id_ is None else "its whole conversation is not audited"
    for defect in defects:
        yield Problem(Severity.ERROR, log.name, f"{defect}; {loss}", line, id_)


def _usual(document: dict[str, Any]) -> tuple[dict[str, Any], Said]:
    """Gives a row with its words in `content`, and what its parts hold besides words.

    User interfaces keep an empty `content` beside the `parts` that were shown, and the Assistants
    API an object with `value` for a text.
    """
    content, parts = document.get("content"), document.get("parts")
    if isinstance(content, str) and not is_blank(content):
        return document, _NOTHING
    if isinstance(content, list):
        return {**document, "content": [_usual_part(part) for part in content]}, _NOTHING
    if not isinstance(parts, list):
        return document, _NOTHING
    read = said(parts)
    return {**document, "content": read.text}, read


def _usual_part(part: Any) -> Any:
    text = text_of(part.get("text")) if isinstance(part, dict) else None
    return part if text is None else {**part, "text": text}


def _conversation(spooled: Spooled, path: str) -> Conversation:
    messages = tuple(message for message in spooled.messages if not is_blank(message.text))
    blank_turns = sum(
        is_blank(message.text) and Side.of(message.role) is not None for message in spooled.messages
    )
    facts = spooled.facts
    return Conversation(
        spooled.id,
        messages,
        Source(path, spooled.line),
        facts.label,
        facts.onset,
        facts.meta or {},
        blank_turns,
        spooled.placeholders,
    )
