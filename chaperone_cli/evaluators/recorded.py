"""Votes that were cast before, read from `vote.v1` files: for replication and for tests."""

import gzip
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from chaperone_cli.codec.vote import RecordedTurn, decode_line
from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import Vote
from chaperone_cli.errors import InputError, MissingVoteError, UsageError
from chaperone_cli.evaluators.interface import Evaluator, Identity, Session

TurnVotes = dict[tuple[str, int], tuple[Vote, ...]]

BESIDE = "beside each log"


class RecordedEvaluator(Evaluator):
    """Gives the votes recorded in one file, or in the file beside each log."""

    free_to_repeat = True

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._files: dict[Path, TurnVotes] = {}

    def __getstate__(self) -> dict[str, object]:
        """Gives its settings; a copy in another process reads the votes for itself."""
        return {"_path": self._path, "_files": {}}

    @property
    def identity(self) -> Identity:
        """Names the votes file and its SHA-256; a file beside each log is found later."""
        if self._path is None:
            return Identity("recorded", "vote.v1", {"votes": BESIDE})
        digest = sha256(self._given).hexdigest()
        return Identity("recorded", "vote.v1", {"votes": self._path.name, "sha256": digest})

    @cached_property
    def _given(self) -> bytes:
        # Once only: it may be a stream.
        assert self._path is not None
        return _content(self._path)

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:
        """Starts a session; raises InputError for a votes file that cannot be read."""
        path = self._path or beside(conversation.source.path)
        if path not in self._files:
            content = self._given if self._path is not None else _content(path)
            self._files[path] = load(path, content)
        return _RecordedSession(str(path), self._files[path], conversation.id)


class _RecordedSession(Session):
    def __init__(self, path: str, votes: TurnVotes, conversation: str) -> None:
        self._path = path
        self._votes = votes
        self._conversation = conversation

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:
        recorded = self._votes.get((self._conversation, turn.number), ())
        for number in passes:
            if number > len(recorded):
                raise MissingVoteError.at(self._path, self._conversation, turn.number, number)
        return [recorded[number - 1] for number in passes]


def beside(log: str) -> Path:
    """Names the votes file that belongs to `log`: `a.votes.jsonl` for `a.jsonl` or `a.jsonl.gz`."""
    if log == "-":
        raise UsageError(
            "a log from standard input has no votes file beside it",
            hint="name the votes with --recorded-votes FILE",
        )
    path = Path(log)
    if path.suffix == ".gz":
        path = path.with_suffix("")
    return path.with_suffix(".votes.jsonl")


def load(path: Path, content: bytes) -> TurnVotes:
    """Reads the `content` of a `vote.v1` file; raises InputError naming file and line."""
    votes: TurnVotes = {}
    for number, row in _rows(path, content):
        key = (row.conversation, row.turn)
        if key in votes:
            raise InputError(
                f"{path}:{number}: turn {row.turn} of conversation {row.conversation!r} "
                "is already recorded on an earlier line",
                hint="keep one line a turn",
                conversation=row.conversation,
                path=str(path),
            )
        votes[key] = row.votes
    return votes


def read(path: Path) -> Iterator[tuple[int, RecordedTurn]]:
    """Reads a `vote.v1` file, plain or gzip, line by line, with the line numbers."""
    return _rows(path, _content(path))


def _rows(path: Path, content: bytes) -> Iterator[tuple[int, RecordedTurn]]:
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield number, decode_line(line)
        except ValueError as exc:
            raise InputError(
                f"{path}:{number}: not a recorded vote: {exc}",
                hint="see schemas/vote.v1.schema.json",
            ) from exc


def _content(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except FileNotFoundError as exc:
        raise UsageError(
            f"{path}: there is no such votes file",
            hint="name the votes with --recorded-votes FILE, or choose another --evaluator",
        ) from exc
    except (OSError, EOFError) as exc:
        raise InputError(f"{path}: the votes file cannot be read: {exc}") from exc
