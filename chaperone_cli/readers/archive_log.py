"""The conversations in a zip archive: which of its members are logs, and what of the others."""

from collections.abc import Callable, Iterator

from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.account import Account
from chaperone_cli.readers.archive import ZIP_MAGIC, Member, Unreadable, members
from chaperone_cli.readers.formats import choose_format, is_recognised
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.streams import GZIP_MAGIC

_NAMED = 5
_PACKED = (ZIP_MAGIC, GZIP_MAGIC)
"""What is not unpacked a second time."""


def read_archive(
    path: str | int,
    name: str,
    count: Callable[[int], None],
    wanted: Format | None,
    line_limit: int,
    branches: Branches,
    account: Account,
) -> Iterator[Conversation | Problem]:
    """Gives the conversations of every member that is a log, in the order of the archive.

    `path` may be a descriptor; `name` is what the archive is called in either case. What became of
    the text in its logs is added to `account`.

    Files that exports are known to hold beside conversations, and whatever is no JSON, are passed
    over; other JSON, and what is packed again, is worth a warning. Raises OSError where the archive
    itself cannot be read.
    """
    logs, passed_over, unknown = 0, 0, []
    for member in members(path, count):
        if isinstance(member, Unreadable):
            place = name if member.member is None else f"{name}!{member.member}"
            yield Problem(Severity.ERROR, place, member.clause)
            logs += 1
            continue
        if member.is_repetition:
            passed_over += 1
            continue
        log = Log(f"{name}!{member.name}", member.stream, line_limit, branches)
        if is_recognised(log.head, wanted):
            logs += 1
            chosen = choose_format(log.head, wanted)
            yield from [log.problem(chosen)] if isinstance(chosen, str) else chosen.read(log)
            account.include(log.account)
        elif log.is_damaged:
            logs += 1
            yield from (line for line in log.lines() if isinstance(line, Problem))
        else:
            passed_over += 1
            if _seems_a_log(member, log):
                unknown.append(member.name)
    yield from _left(name, logs, passed_over, unknown)


def _seems_a_log(member: Member, log: Log) -> bool:
    packed = log.head.start.startswith(_PACKED)
    return packed or (bool(log.head.documents) and not member.is_side_file)


def _left(name: str, logs: int, passed_over: int, unknown: list[str]) -> Iterator[Problem]:
    names = ", ".join(unknown[:_NAMED]) + (", ..." if len(unknown) > _NAMED else "")
    if not logs:
        seen = f"looked into {passed_over} files" + (f", among them {names}" if names else "")
        clause = f"this archive holds no log that is known; {seen}"
        yield Problem(Severity.ERROR, name, clause, names=tuple(unknown[:_NAMED]))
    elif unknown:
        what = f"{len(unknown)} files in it are packed again or no log that is known, and not read"
        clause = f"{what}: {names}"
        yield Problem(Severity.WARNING, name, clause, names=tuple(unknown[:_NAMED]))
