"""Finds one conversation, in a log or in a saved report, for commands that show a single one."""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from chaperone_cli.auditing import build
from chaperone_cli.auditing.auditor import Audited, Auditor
from chaperone_cli.auditing.host import Host
from chaperone_cli.codec import report, verdict
from chaperone_cli.codec.saved_run import open_run
from chaperone_cli.codec.verdict import SavedVerdict
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import InputError, UsageError
from chaperone_cli.reports.interface import Quotes

_START = 4096
_NAMED = 5
T = TypeVar("T")


class Shown(NamedTuple):
    """A conversation's verdict, with its text where that is at hand."""

    verdict: ConversationVerdict
    conversation: Conversation | None
    passes: int
    """N, the votes a turn gets at most."""
    quotes: Quotes
    """The quotes that a saved report holds."""


def saved(path: str, name: str | None) -> Shown | None:
    """Finds the conversation `name` in the saved report at `path`; None if `path` is a log.

    Raises UsageError where it is not there or `name` is needed, InputError for a damaged report.
    """
    verdicts = _saved_verdicts(path)
    if verdicts is None:
        return None
    named = ((one.verdict.conversation, one) for one in verdicts)
    chosen = _choose(path, name, named)
    return Shown(chosen.verdict, None, chosen.passes, chosen.quotes)


def judged(path: str, name: str | None, settings: Settings, host: Host) -> Shown:
    """Finds the conversation `name` in the log at `path` and puts it to the vote.

    Raises UsageError where it is not there or `name` is needed.
    """
    auditor = build.auditor(settings)
    reader = build.log_reader([path], settings)
    conversation = _choose(path, name, ((one.id, one) for one in _readable(reader, host)))
    verdict = asyncio.run(_judge(auditor, conversation))
    for remark in auditor.remarks:
        host.note(f"note: {remark}")
    return Shown(verdict, conversation, settings.votes, {})


async def _judge(auditor: Auditor, conversation: Conversation) -> ConversationVerdict:
    async for result in auditor.run([conversation]):
        assert isinstance(result, Audited)
        if not result.verdict.partial:
            return result.verdict
    raise AssertionError("the auditor gave nothing for a conversation")


def _readable(items: Iterable[Conversation | Problem], host: Host) -> Iterator[Conversation]:
    for item in items:
        if isinstance(item, Problem):
            host.problem(item)
        else:
            yield item


def _choose(path: str, name: str | None, named: Iterable[tuple[str, T]]) -> T:
    if name is not None:
        for known, item in named:
            if known == name:
                return item
        raise UsageError(f"{path} holds no conversation {name[:80]!r} that can be read")
    first = list(islice(named, _NAMED + 1))
    if not first:
        raise InputError(f"{path} holds no conversation that can be read")
    if len(first) > 1:
        more = ", ..." if len(first) > _NAMED else ""
        names = ", ".join(known for known, _ in first[:_NAMED]) + more
        raise UsageError(
            f"{path} holds several conversations: {names}", hint="name one with --conversation ID"
        )
    return first[0][1]


def _saved_verdicts(path: str) -> Iterable[SavedVerdict] | None:
    file = Path(path)
    if not file.is_file():  # a stream cannot be looked into and then read
        return None
    try:
        with file.open("rb") as stream:
            start = stream.read(_START)
    except OSError:  # missing, a folder or standard input: the reader of logs says what is wrong
        return None
    if any(f'"{name}"'.encode() in start for name in (verdict.CONTRACT, report.CONTRACT)):
        return open_run(file).verdicts()
    return None
