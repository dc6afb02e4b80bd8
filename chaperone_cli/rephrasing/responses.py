"""Which responses are to be rewritten, and where they stand in a log."""

import contextlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path

from chaperone_cli.auditing.auditor import Audited, Auditor
from chaperone_cli.auditing.host import QUIET, Host
from chaperone_cli.auditing.saved import open_run
from chaperone_cli.codec.phrasebook import phrasebook
from chaperone_cli.domain.conversation import Conversation, Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.pseudonym import Names, is_hashed
from chaperone_cli.domain.rewrite import Target
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.errors import InputError, UsageError
from chaperone_cli.readers import LogReader


@dataclass(frozen=True)
class Wanted:
    """Which responses are to be rewritten, and how."""

    path: str
    conversation: str | None = None
    turn: int | None = None
    first_block: bool = False
    every: bool = False
    """The first block of every conversation."""
    report: Path | None = None
    """The saved run that says which those are; None to audit the log now."""
    force: bool = False
    rewriter: str = "prune"
    strategies: tuple[str, ...] = ("neutral",)
    attempts: int = 3
    locale: str | None = None

    def check(self) -> None:
        """Raises UsageError for options that do not go together."""
        chosen = [self.turn is not None, self.first_block, self.every]
        if sum(chosen) != 1:
            raise UsageError(
                "say which response to rewrite, in one way",
                hint="use --turn K, --first-block, or --all",
            )
        if self.every and self.conversation is not None:
            raise UsageError(
                "--all rewrites in every conversation", hint="leave out --conversation"
            )
        if self.report is not None and not self.every:
            raise UsageError("--report says where first blocks are", hint="add --all")
        if self.attempts < 1:
            raise UsageError("--attempts must be a number from 1 on")
        # Whoever is named the wrong line for help may find none in time.
        if self.locale is not None and not (known := phrasebook().help).knows(self.locale):
            raise UsageError(
                f"there are no lines of help for --locale {self.locale[:40]!r}",
                hint=f"use {', '.join(known.regions)}, alone or as in en-{known.regions[0]}; "
                "or leave it out for a list of lines for all countries",
            )


def strategies(one: str | None, compared: str | None) -> tuple[str, ...]:
    """Gives the strategies that `--strategy` and `--compare` name; raises UsageError."""
    if compared is None:
        return (one or "neutral",)
    if one is not None:
        raise UsageError(
            "--compare names the strategies by itself", hint="add it to them, without --strategy"
        )
    names = tuple(dict.fromkeys(name.strip() for name in compared.split(",") if name.strip()))
    if not names:
        raise UsageError("--compare names no strategy", hint="use --compare neutral,warm")
    return names


class Responses:
    """The responses of a log that are wanted; `unread` says whether something stood in the way."""

    def __init__(
        self,
        wanted: Wanted,
        reader: LogReader,
        auditor: Auditor,
        names: Names,
        host: Host = QUIET,
    ) -> None:
        """`names` says how ids are shown; they are also taken as they are shown."""
        self.unread = False
        """Some conversation could not be read, or is not the one that the report is about."""
        self.undecided = False
        """Some conversation has no first block, but turns that stayed undecided."""
        self._wanted = wanted
        self._reader = reader
        self._auditor = auditor
        self._names = names
        self._host = host

    async def targets(self) -> AsyncIterator[Target]:
        """Yields them in the order of the log; raises UsageError or InputError."""
        readable = self._host.reading(self._readable())
        if self._wanted.turn is not None:
            yield Target.at(self._chosen(readable), self._wanted.turn)
        elif self._wanted.report is not None:
            for target in self._reported(self._wanted.report, readable):
                yield target
        elif self._wanted.every:
            async for target in self._blocking(readable):
                yield target
        else:
            conversation = self._chosen(readable)
            found = [target async for target in self._blocking([conversation])]
            if not found:
                but = "; some turns stayed undecided" if self.undecided else ""
                raise UsageError(
                    f"conversation {conversation.id!r} has no blocked response{but}",
                    hint="name a response with --turn K --force to rewrite it all the same",
                    conversation=conversation.id,
                )
            yield found[0]

    async def _blocking(self, conversations: Iterable[Conversation]) -> AsyncIterator[Target]:
        async with contextlib.aclosing(self._auditor.run(conversations)) as results:
            async for result in results:
                assert isinstance(result, Audited)
                if result.verdict.partial:
                    continue
                first = result.verdict.first_block
                if first is not None and (target := self._at(result.conversation, first.turn)):
                    yield target
                self._weigh(result.verdict)

    def _weigh(self, verdict: ConversationVerdict) -> None:
        if verdict.verdict is not Verdict.UNDECIDED:
            return
        self.undecided = True
        if self._wanted.every:
            self._host.note(
                f"note: conversation {self._shown(verdict.conversation)} is undecided: it is not "
                "rewritten"
            )

    def _reported(self, path: Path, conversations: Iterable[Conversation]) -> Iterable[Target]:
        """Gives the first blocks that the saved run at `path` names; says which cannot be found."""
        blocks: dict[str, tuple[int, int]] = {}
        for saved in open_run(path).verdicts():
            self._weigh(saved.verdict)
            if (first := saved.verdict.first_block) is not None:
                blocks[saved.verdict.conversation] = (first.turn, saved.verdict.turns_total)
        for conversation in conversations:
            name = next((one for one in self._ids(conversation) if one in blocks), "")
            turn, total = blocks.pop(name, (0, 0))
            if turn and total != len(conversation.turns):
                shown = self._shown(name)
                self._miss(f"conversation {shown} has changed since {path} was written")
            elif turn and (target := self._at(conversation, turn)):
                yield target
        for name in blocks:
            self._miss(
                f"{self._names.path(self._wanted.path)} holds no conversation "
                f"{self._shown(name)}, which {path} names"
            )

    def _ids(self, conversation: Conversation) -> tuple[str, ...]:
        """Gives the ids that stand for `conversation`: its own, and the one that is shown."""
        return (conversation.id, self._names.id(conversation.id))

    def _shown(self, name: str) -> str:
        """Gives an id for a message; that of a report may have been hashed before."""
        return repr((name if is_hashed(name) else self._names.id(name))[:80])

    def _miss(self, message: str) -> None:
        self.unread = True
        self._host.note(f"error: {message}")

    def _readable(self) -> Iterable[Conversation]:
        for item in self._reader:
            if isinstance(item, Problem):
                self._host.problem(self._names.problem(item))
                self.unread |= item.severity is Severity.ERROR
            else:
                yield item

    def _chosen(self, conversations: Iterable[Conversation]) -> Conversation:
        path, name = self._wanted.path, self._wanted.conversation
        found: Conversation | None = None
        for conversation in conversations:
            if name is None and found is not None:
                raise UsageError(
                    f"{path} holds several conversations",
                    hint="name one with --conversation ID",
                    path=path,
                )
            if name is None or name in self._ids(conversation):
                found = conversation
                if name is not None:
                    return conversation
        if found is None and name is not None:
            raise UsageError(
                f"{path} holds no conversation {name[:80]!r} that can be read", path=path
            )
        if found is None:
            raise InputError(f"{path} holds no conversation that can be read", path=path)
        return found

    def _at(self, conversation: Conversation, turn: int) -> Target | None:
        """Gives the response at `turn` or, where that is a prompt, the one that follows it."""
        following = conversation.turns[turn - 1 :]
        number = next((one.number for one in following if one.side is Side.RESPONSE), None)
        if number is None:
            self._host.note(
                f"note: conversation {self._shown(conversation.id)} is blocked at a prompt without "
                "a response"
            )
            return None
        return Target.at(conversation, number)
