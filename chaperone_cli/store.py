"""Votes already cast, in SQLite, so that no vote is ever paid for twice.

A vote is filed under what it was an answer to: the conversation up to its turn, the rubric, the
evaluator and the pass. The file holds hashes and answers, never conversation text.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import orjson

from chaperone_cli.domain.vote import AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.errors import StoreError

LAYOUT = 1
"""Raised when the tables change; kept in SQLite's `user_version`."""

_TABLE = """
CREATE TABLE IF NOT EXISTS votes (
    key BLOB PRIMARY KEY, answer TEXT NOT NULL, reason TEXT, evidence TEXT
) WITHOUT ROWID
"""


class VoteStore:
    """Votes by key, safe against a crash at any moment and shared between processes."""

    def __init__(self, path: Path, *, keep_abstentions: bool = False) -> None:
        """Opens the store at `path`, or creates it; raises StoreError.

        Unless they are kept, abstentions of earlier runs that may heal are not given out.
        """
        self.path = path
        self._keep_abstentions = keep_abstentions
        self._abstained: set[bytes] = set()
        """Keys of the abstentions that were filed here, which stand to the end of the run."""
        with self._failing_clearly("opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            # Autocommit: a vote is on disk when `add` returns, as far as a killed process goes.
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._prepare()

    def _prepare(self) -> None:
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        if found > LAYOUT:
            raise StoreError(
                f"{self.path}: the vote store was written by a newer chaperone",
                hint="update chaperone, or name another store with --store",
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(_TABLE)
        self._db.execute(f"PRAGMA user_version = {LAYOUT}")

    def get(self, key: bytes) -> Vote | None:
        """Gives the vote under `key`, if it was cast before."""
        with self._failing_clearly("read"):
            row = self._db.execute(
                "SELECT answer, reason, evidence FROM votes WHERE key = ?", (key,)
            ).fetchone()
            vote = _decode(*row) if row else None
        if vote is None or not vote.passing or self._keep_abstentions or key in self._abstained:
            return vote
        return None

    def add(self, key: bytes, vote: Vote) -> Vote:
        """Files `vote` under `key` and gives the vote that stands there now.

        The first answer under a key stays: where another process or an identical conversation was
        quicker, every run from then on, this one included, goes by the same vote. An abstention
        stays until there is an answer.
        """
        with self._failing_clearly("written"):
            done = self._db.execute(
                "INSERT INTO votes VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
                "answer = excluded.answer, reason = excluded.reason, evidence = excluded.evidence "
                "WHERE votes.answer = 'abstain' AND excluded.answer <> 'abstain'",
                (key, *_encode(vote)),
            )
        if vote.passing:
            self._abstained.add(key)
        return vote if done.rowcount else self.get(key) or vote

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    @contextmanager
    def _failing_clearly(self, verb: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as exc:
            raise StoreError(
                f"{self.path}: the vote store cannot be {verb}: {exc}",
                hint="name another file with --store, or go without one with --no-store",
            ) from exc


def vote_key(prefix: bytes, rubric_digest: str, evaluator_digest: bytes, number: int) -> bytes:
    """Gives the key of pass `number` on the conversation `prefix` (16 bytes)."""
    parts = prefix + bytes.fromhex(rubric_digest) + evaluator_digest + number.to_bytes(4, "big")
    return blake2b(parts, digest_size=20).digest()


def _encode(vote: Vote) -> tuple[str, str | None, str | None]:
    evidence = None
    if vote.evidence is not None:
        span = vote.evidence.span
        evidence = orjson.dumps(
            [vote.evidence.cues, span and (span.turn, span.start, span.end)]
        ).decode()
    return vote.answer.value, vote.reason, evidence


def _decode(answer: str, reason: str | None, evidence: str | None) -> Vote:
    found = None
    if evidence is not None:
        cues, span = orjson.loads(evidence)
        found = Evidence(tuple(cues), Span(*span) if span else None)
    return Vote(Answer(answer), AbstainReason(reason) if reason else None, found)
