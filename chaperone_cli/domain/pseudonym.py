"""Ids and file names replaced by keyed hashes, the same everywhere as long as the key is."""

import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import ChaperoneError

if TYPE_CHECKING:
    from chaperone_cli.domain.conversation import Source
    from chaperone_cli.domain.rephrasing import Rephrasing

_SIZE = 10
_SUFFIXES = frozenset(
    {".jsonl", ".ndjson", ".json", ".gz", ".csv", ".tsv", ".txt", ".zip", ".eval", ".parquet"}
)
"""Ends of file names that tell a format and nothing else."""


class Names(Protocol):
    """How a run's ids and paths appear in what it puts out."""

    def id(self, name: str) -> str:
        """A conversation's id as it is reported."""
        ...

    def rephrasing(self, one: "Rephrasing") -> "Rephrasing":
        """`one` as it is reported."""
        ...

    def verdict(self, verdict: ConversationVerdict) -> ConversationVerdict:
        """`verdict` as it is reported."""
        ...

    def problem(self, problem: Problem) -> Problem:
        """`problem` as it is reported."""
        ...

    def header(self, header: RunHeader) -> RunHeader:
        """`header` as it is reported."""
        ...

    def error(self, error: ChaperoneError) -> ChaperoneError:
        """`error` as it is told."""
        ...

    def path(self, path: str) -> str:
        """A path of a log as it is reported."""
        ...


class PlainNames:
    """Ids and paths as they are."""

    def id(self, name: str) -> str:
        """`name` itself."""
        return name

    def rephrasing(self, one: "Rephrasing") -> "Rephrasing":
        """`one` itself."""
        return one

    def verdict(self, verdict: ConversationVerdict) -> ConversationVerdict:
        """`verdict` itself."""
        return verdict

    def problem(self, problem: Problem) -> Problem:
        """`problem` itself."""
        return problem

    def header(self, header: RunHeader) -> RunHeader:
        """`header` itself."""
        return header

    def error(self, error: ChaperoneError) -> ChaperoneError:
        """`error` itself."""
        return error

    def path(self, path: str) -> str:
        """`path` itself."""
        return path


class HashedNames:
    """Keyed hashes in the place of ids and paths: whoever lacks `key` cannot check a guess.

    A path becomes one hash as a whole, with its last suffix, because exports are often named after
    their users; `-` stays. Equal names give equal hashes under equal keys.
    """

    def __init__(self, key: bytes) -> None:
        self._key = blake2b(key, digest_size=64).digest()
        self._paths: dict[str, str] = {}

    def id(self, name: str) -> str:
        """The hash of a conversation's id: `id-` and 20 hexadecimal digits."""
        return f"id-{self._hash('id', name)}"

    def path(self, path: str) -> str:
        """The hash of a path: `log-`, 20 hexadecimal digits and the suffix."""
        if path == "-":
            return path
        if path not in self._paths:
            self._paths[path] = f"log-{self._hash('path', path)}{_suffix(path)}"
        return self._paths[path]

    def verdict(self, verdict: ConversationVerdict) -> ConversationVerdict:
        """`verdict` with id and path hashed."""
        source = self._source(verdict.source)
        return replace(verdict, conversation=self.id(verdict.conversation), source=source)

    def rephrasing(self, one: "Rephrasing") -> "Rephrasing":
        """`one` with id and path of its conversation hashed; its text stays as it is."""
        known = one.target.conversation
        hidden = replace(known, id=self.id(known.id), source=self._source(known.source))
        return replace(one, target=replace(one.target, conversation=hidden))

    def problem(self, problem: Problem) -> Problem:
        """`problem` with id and path hashed, also inside its message."""
        path, message, name = self.path(problem.path), problem.message, problem.conversation
        for further in problem.names:
            self.path(further)
        named = [known for known in self._paths if known in message]
        for known in sorted(named, key=len, reverse=True):
            message = _replaced(message, known, self._paths[known])
        if name is None:
            return replace(problem, path=path, message=message)
        message = _replaced(message, name, self.id(name))
        return replace(problem, path=path, conversation=self.id(name), message=message)

    def header(self, header: RunHeader) -> RunHeader:
        """`header` with the inputs hashed, and the name of a file of recorded votes."""
        return replace(
            header,
            inputs=tuple(self.path(path) for path in header.inputs),
            evaluator_settings=self._settings(header.evaluator_settings),
        )

    def error(self, error: ChaperoneError) -> ChaperoneError:
        """`error` with the id and the file that its message names hashed."""
        if error.path:
            error.message = error.message.replace(error.path, self.path(error.path))
        if error.conversation:
            hashed = self.id(error.conversation)
            for spelled in (repr(error.conversation), error.conversation):
                error.message = error.message.replace(spelled, hashed)
        return error

    def _source(self, source: "Source") -> "Source":
        return source._replace(path=self.path(source.path))

    def _settings(
        self, settings: Mapping[str, str | int | float | bool | None]
    ) -> dict[str, str | int | float | bool | None]:
        # A votes file bears the name of its log.
        votes = settings.get("votes")
        if isinstance(votes, str) and PurePath(votes).suffix:
            return {**settings, "votes": self.path(votes)}
        return dict(settings)

    def _hash(self, kind: str, text: str) -> str:
        data = f"{kind}:{text}".encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=_SIZE, key=self._key).hexdigest()


def is_hashed(name: str) -> bool:
    """Whether an id is one that `HashedNames` gave."""
    return re.fullmatch(rf"id-[0-9a-f]{{{2 * _SIZE}}}", name) is not None


def _replaced(message: str, name: str, hashed: str) -> str:
    """Replaces `name` where it stands by itself, so that a short one leaves other words whole."""
    if not name:
        return message
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", hashed, message)


def _suffix(path: str) -> str:
    suffix = PurePath(path).suffix
    return suffix if suffix in _SUFFIXES else ""
