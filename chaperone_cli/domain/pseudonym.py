"""Ids and file names replaced by keyed hashes, the same everywhere as long as the key is."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import PurePath
from typing import Protocol

from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.domain.verdict import ConversationVerdict

_SIZE = 10


class Names(Protocol):
    """How a run's ids and paths appear in what it puts out."""

    def verdict(self, verdict: ConversationVerdict) -> ConversationVerdict:
        """Gives `verdict` as it is reported."""
        ...

    def problem(self, problem: Problem) -> Problem:
        """Gives `problem` as it is reported."""
        ...

    def header(self, header: RunHeader) -> RunHeader:
        """Gives `header` as it is reported."""
        ...

    def path(self, path: str) -> str:
        """Gives a path of a log as it is reported."""
        ...


class PlainNames:
    """Ids and paths as they are."""

    def verdict(self, verdict: ConversationVerdict) -> ConversationVerdict:
        """Gives `verdict` itself."""
        return verdict

    def problem(self, problem: Problem) -> Problem:
        """Gives `problem` itself."""
        return problem

    def header(self, header: RunHeader) -> RunHeader:
        """Gives `header` itself."""
        return header

    def path(self, path: str) -> str:
        """Gives `path` itself."""
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
        """Gives the hash of a conversation's id: `id-` and 20 hexadecimal digits."""
        return f"id-{self._hash('id', name)}"

    def path(self, path: str) -> str:
        """Gives the hash of a path: `log-`, 20 hexadecimal digits and the suffix."""
        if path == "-":
            return path
        if path not in self._paths:
            self._paths[path] = f"log-{self._hash('path', path)}{_suffix(path)}"
        return self._paths[path]

    def verdict(self, verdict: ConversationVerdict) -> ConversationVerdict:
        """Gives `verdict` with id and path hashed."""
        source = replace(verdict.source, path=self.path(verdict.source.path))
        return replace(verdict, conversation=self.id(verdict.conversation), source=source)

    def problem(self, problem: Problem) -> Problem:
        """Gives `problem` with id and path hashed, also inside its message."""
        name = problem.conversation
        path = self.path(problem.path)
        message = problem.message
        for known in sorted(self._paths, key=len, reverse=True):
            if known in message:
                message = message.replace(known, self._paths[known])
        if name and name in message:
            message = message.replace(name, self.id(name))
        hashed = self.id(name) if name is not None else None
        return replace(problem, path=path, conversation=hashed, message=message)

    def header(self, header: RunHeader) -> RunHeader:
        """Gives `header` with the inputs hashed, and the name of a file of recorded votes."""
        return replace(
            header,
            inputs=tuple(self.path(path) for path in header.inputs),
            evaluator_settings=self._settings(header.evaluator_settings),
        )

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


def _suffix(path: str) -> str:
    suffix = PurePath(path).suffix
    return suffix if suffix in (".jsonl", ".ndjson", ".json", ".gz", ".csv") else ""
