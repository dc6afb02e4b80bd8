"""Plain text in which each utterance begins with its speaker: `User: ...`, `Agent: ...`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chaperone_cli.domain.conversation import Conversation, Role
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.draft import ROLES, Draft, Place
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.log import Head, Log

_SPEAKERS = {**ROLES, "you": Role.USER, "me": Role.USER, "character": Role.ASSISTANT}
_LABEL = re.compile(
    r"\s*(?:[#>*\-]\s*)*[*_\[]*(?P<who>[A-Za-z]{2,12})[*_\]]*\s*:[*_]*(?:\s+(?P<text>.*)|$)",
    re.DOTALL,
)
_RULE = re.compile(r"\s*([-=*_#])(\s*\1){2,}\s*")
_LEAST = 2


@dataclass(frozen=True)
class PlainText(Format):
    """Lines that begin with a speaker's label, further lines of the same utterance below.

    A line of three or more dashes, equals signs, stars or underscores between two labels ends a
    conversation. Text before the first label is context.
    """

    needs = "text whose utterances begin with `user:` and `assistant:` or the like"

    def recognises(self, head: Head) -> bool:  # noqa: D102
        if head.documents or head.start.lstrip().startswith(b"{"):
            return False
        lines = head.start.decode("utf-8", "replace").splitlines()
        roles = [role for line in lines if (role := _label(line)[0]) is not None]
        return len(roles) >= _LEAST and {Role.USER, Role.ASSISTANT} <= set(roles)

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        script = _Script(log)
        for line in log.lines():
            if isinstance(line, Problem):
                yield line
                script.spoil()
            else:
                yield from script.take(*line)
        yield from script.end()


def _label(line: str) -> tuple[Role | None, str]:
    """Gives whom `line` lets speak, and what follows the label."""
    match = _LABEL.match(line)
    if match is None:
        return None, line
    role = _SPEAKERS.get(match["who"].lower())
    return role, line if role is None else match["text"] or ""


class _Script:
    """The conversation under way, line by line."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._number = 0
        self._draft: Draft | None = None
        self._role: Role = Role.EVENT
        self._lines: list[str] = []
        self._start = 1
        self._ruled = False
        self._characters = 0
        """Of what was said so far, without labels and without rules that end a conversation."""

    def take(self, number: int, line: bytes) -> Iterator[Conversation | Problem]:
        """Adds a line; gives the conversation that it ends, if it does."""
        try:
            text = line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            where = f"at byte {error.start + 1} of the line"
            yield self._log.problem(f"is not UTF-8 {where}; export the log as UTF-8", number)
            self.spoil()
            return
        role, said = _label(text)
        if role is not None:
            if self._ruled and self._draft is not None:
                yield from self.end()
            self._utter()
            self._role, self._lines, self._start = role, [said], number
            self._open(number)
            self._ruled = False
        elif _RULE.fullmatch(text):
            self._ruled = True
            self._lines.append(text)
        else:
            self._lines.append(text)
            self._ruled = self._ruled and not text.strip()

    def spoil(self) -> None:
        """Makes the present conversation unfit for an audit."""
        self._open(self._start).defect("one of its lines could not be read")

    def end(self) -> Iterator[Conversation | Problem]:
        """Ends the conversation under way."""
        if self._ruled:
            self._drop_rule()
        self._utter()
        if self._draft is not None:
            items = self._draft.finish()
            audited = any(isinstance(item, Conversation) for item in items)
            self._log.account.keep(self._characters)
            self._log.account.leave("not audited", 0 if audited else self._characters)
            yield from items
        self._characters = 0
        self._draft, self._role, self._ruled = None, Role.EVENT, False

    def _open(self, line: int) -> Draft:
        if self._draft is None:
            self._number += 1
            name = f"{self._log.name}#{self._number}"
            self._draft = Draft(Place(self._log.name, line, None), name)
        return self._draft

    def _utter(self) -> None:
        text = "\n".join(self._lines).strip()
        said = self._role is not Role.EVENT
        if said or text:
            self._open(self._start).say(self._role, text, self._start)
            self._characters += len(text)
        self._lines = []

    def _drop_rule(self) -> None:
        while self._lines and (not self._lines[-1].strip() or _RULE.fullmatch(self._lines[-1])):
            self._lines.pop()
