"""Finds the responses that `chaperone rephrase` is to rewrite."""

import contextlib
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from chaperone_cli.cli import console
from chaperone_cli.cli.interrupt import Interrupts
from chaperone_cli.cli.rephrase.wanted import Wanted
from chaperone_cli.cli.saved import open_run
from chaperone_cli.domain.conversation import Conversation, Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.pseudonym import Names, is_hashed
from chaperone_cli.domain.rewrite import Target
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.engine.auditor import Audited, Auditor
from chaperone_cli.errors import InputError, UsageError
from chaperone_cli.readers import LogReader


class Responses:
    """The responses of a log that are wanted; `unread` says whether something stood in the way."""

    def __init__(self, wanted: Wanted, reader: LogReader, auditor: Auditor, names: Names) -> None:
        """`names` says how ids are shown; they are also taken as they are shown."""
        self.unread = False
        """Some conversation could not be read, or is not the one that the report is about."""
        self.undecided = False
        """Some conversation has no first block, but turns that stayed undecided."""
        self._wanted = wanted
        self._reader = reader
        self._auditor = auditor
        self._names = names

    async def targets(self, interrupts: Interrupts) -> AsyncIterator[Target]:
        """Yields them in the order of the log; raises UsageError or InputError."""
        readable = interrupts.reading(self._readable())
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
            console.note(
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
        console.note(f"error: {message}")

    def _readable(self) -> Iterable[Conversation]:
        for item in self._reader:
            if isinstance(item, Problem):
                console.report_problem(self._names.problem(item))
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
            console.note(
                f"note: conversation {self._shown(conversation.id)} is blocked at a prompt without "
                "a response"
            )
            return None
        return Target.at(conversation, number)
