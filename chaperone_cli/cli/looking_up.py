"""Finds one conversation, in a log or in a saved report, for commands that show a single one."""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from chaperone_cli.cli import console, wiring
from chaperone_cli.codec import report, verdict
from chaperone_cli.codec.fields import Node
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.engine.audit import Audited, Auditor
from chaperone_cli.errors import InputError, UsageError
from chaperone_cli.readers import LogReader

_START = 4096
_NAMED = 5
T = TypeVar("T")


class Shown(NamedTuple):
    """A conversation's verdict, with its text where that is at hand."""

    verdict: ConversationVerdict
    conversation: Conversation | None
    passes: int
    """N, the votes a turn gets at most."""


def saved(path: str, name: str | None) -> Shown | None:
    """Finds the conversation `name` in the saved report at `path`; None if `path` is a log.

    Raises UsageError where it is not there or `name` is needed, InputError for a damaged report.
    """
    found = _saved_verdicts(path)
    if found is None:
        return None
    passes, verdicts = found
    chosen = _choose(path, name, ((one.conversation, one) for one in verdicts))
    return Shown(chosen, None, passes or max((len(t.votes) for t in chosen.turns), default=1))


def judged(path: str, name: str | None, settings: Settings) -> Shown:
    """Finds the conversation `name` in the log at `path` and puts it to the vote.

    Raises UsageError where it is not there or `name` is needed.
    """
    auditor = wiring.auditor(settings)
    reader = LogReader([path], format=settings.format)
    conversation = _choose(path, name, ((one.id, one) for one in _readable(reader)))
    return Shown(_judge(auditor, conversation), conversation, settings.votes)


def _judge(auditor: Auditor, conversation: Conversation) -> ConversationVerdict:
    async def judge() -> ConversationVerdict:
        async for result in auditor.run([conversation]):
            assert isinstance(result, Audited)
            return result.verdict
        raise AssertionError("the auditor gave nothing for a conversation")

    return asyncio.run(judge())


def _readable(items: Iterable[Conversation | Problem]) -> Iterator[Conversation]:
    for item in items:
        if isinstance(item, Problem):
            console.report_problem(item)
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


def _saved_verdicts(path: str) -> tuple[int | None, Iterable[ConversationVerdict]] | None:
    """Gives the verdicts saved at `path`, with N where the file says it."""
    file = Path(path)
    try:
        with file.open("rb") as stream:
            start = stream.read(_START)
    except OSError:  # missing, a folder or standard input: the reader of logs says what is wrong
        return None
    if f'"{verdict.CONTRACT}"'.encode() in start.split(b"\n", 1)[0]:
        lines = verdict.decode_lines(file.open("rb"), path)
        return None, (one.verdict for one in lines)
    if f'"{report.CONTRACT}"'.encode() in start:
        read = report.decode(Node.parse(file.read_bytes(), path))
        return read.header.protocol.passes, (one.verdict for one in read.conversations)
    return None
