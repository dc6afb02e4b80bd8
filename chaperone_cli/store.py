"""Votes already cast, in SQLite, so that no vote is ever paid for twice.

A vote is filed under what it was an answer to: the conversation up to its turn, the rubric, the
evaluator and the pass. The file holds hashes and answers, never conversation text.

Whoever asks for a vote claims it first, and everybody else waits for the answer. A claim is void
once its run is gone: each run holds a file of its own locked, which the system lets go of whatever
ends the process.
"""

import sqlite3
import time
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from weakref import finalize

import orjson

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.vote import PASSING, AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.errors import StoreError
from chaperone_cli.store_file import StoreFile

_TABLES = """
CREATE TABLE IF NOT EXISTS votes (
    key BLOB PRIMARY KEY, answer TEXT NOT NULL, reason TEXT, evidence TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (key BLOB PRIMARY KEY, run TEXT NOT NULL) WITHOUT ROWID;
"""
_HEALING = ", ".join(f"'{reason}'" for reason in sorted(PASSING))
_ABSTAINS = f"answer = '{Answer.ABSTAIN}' AND reason IN ({_HEALING})"
_MAY_HEAL = f"SELECT key, run FROM votes LEFT JOIN claims USING (key) WHERE {_ABSTAINS}"
_CLAIM = f"""
INSERT INTO claims SELECT :key, :run WHERE NOT EXISTS (
    SELECT 1 FROM votes WHERE key = :key
    AND NOT (:heals AND {_ABSTAINS})
)
ON CONFLICT DO UPDATE SET run = :run WHERE run = :gone
"""
_RELEASE = f"""
DELETE FROM claims WHERE key = :key AND run = :run
AND NOT EXISTS (SELECT 1 FROM votes WHERE key = :key AND {_ABSTAINS})
"""
_ADD = """
INSERT INTO votes VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
answer = excluded.answer, reason = excluded.reason, evidence = excluded.evidence
WHERE votes.answer = 'abstain' AND excluded.answer <> 'abstain'
"""


class VoteStore:
    """Votes by key, safe against a crash at any moment and shared between processes."""

    def __init__(self, path: Path, *, keep_abstentions: bool = False) -> None:
        """Opens the store at `path`, or creates it; raises StoreError.

        Unless they are kept, abstentions that may heal are not given out, but for those that came
        to a run that is still going: that run has just asked.
        """
        self.path = path
        self._run: _RunLock | None = None
        self._lived: dict[str, float] = {}
        """Other runs, with the time until which they are taken to live."""
        self._to_heal: set[bytes] = set()
        """Keys of the abstentions of earlier runs that are asked for again."""
        self._file = StoreFile(path, _TABLES, "the vote store")
        if not keep_abstentions:
            self._to_heal.update(
                key
                for key, run in self._file.rows(_MAY_HEAL)
                if run is None or not self._lives(run)
            )

    @property
    def is_empty(self) -> bool:
        """Whether no vote was ever filed."""
        return not self._file.rows("SELECT 1 FROM votes LIMIT 1")

    def get(self, key: bytes) -> Vote | None:
        """Gives the vote under `key`, if it was cast before."""
        found = self._file.rows("SELECT answer, reason, evidence FROM votes WHERE key = ?", (key,))
        if not found:
            return None
        with self._file.guarded("read"):
            vote = _decode(*found[0])
        return None if vote.passing and key in self._to_heal else vote

    def add(self, key: bytes, vote: Vote) -> Vote:
        """Files `vote` under `key` and gives the vote that stands there now.

        The first answer under a key stays: where another process or an identical conversation was
        quicker, every run from then on, this one included, goes by the same vote. An abstention
        stays until there is an answer.
        """
        done = self._file.change(_ADD, (key, *_encode(vote)))
        self._to_heal.discard(key)
        return vote if done.rowcount else self.get(key) or vote

    def claim(self, key: bytes) -> bool:
        """Says whether the vote under `key` is now this run's to ask for.

        It is not where it was cast meanwhile, or is asked for already, here or by another run.
        """
        if self._take(key, None):
            return True
        held = self._file.rows("SELECT run FROM claims WHERE key = ?", (key,))
        return bool(held) and not self._lives(held[0][0]) and self._take(key, held[0][0])

    def _take(self, key: bytes, gone: str | None) -> bool:
        values = {"key": key, "run": self._name, "gone": gone, "heals": key in self._to_heal}
        return bool(self._file.change(_CLAIM, values).rowcount)

    def claim_all(self, keys: Iterable[bytes]) -> list[bytes]:
        """Gives those of `keys` that are now this run's to ask for."""
        with self._file.together():
            return [key for key in keys if self.claim(key)]

    def release(self, *keys: bytes) -> None:
        """Gives up the claims on `keys`, whose votes are filed or will not come.

        One on an abstention that may heal is held until the run ends, so that nobody else asks.
        """
        values = [{"key": key, "run": self._name} for key in keys]
        if len(values) == 1:
            self._file.change(_RELEASE, values[0])
            return
        with self._file.together():
            self._file.change_each(_RELEASE, values)

    def settle(self, key: bytes, vote: Vote) -> Vote:
        """Adds `vote` and releases `key`, at the cost of one of the two."""
        with self._file.together():
            standing = self.add(key, vote)
            self._file.change(_RELEASE, {"key": key, "run": self._name})
        return standing

    @property
    def _name(self) -> str:
        if self._run is None:
            with self._file.guarded("written"):
                self._run = _RunLock(self.path)
        return self._run.name

    def _lives(self, run: str) -> bool:
        if self._run is not None and run == self._run.name:
            return True
        now = time.monotonic()
        if now >= self._lived.get(run, 0.0):
            if not _RunLock.held(self.path, run):
                return False
            self._lived[run] = now + _TRUST
        return True

    def close(self) -> None:
        """Closes the file."""
        if self._run is not None:
            with suppress(StoreError):  # the claims of a run that is gone are void anyway
                self._file.change("DELETE FROM claims WHERE run = ?", (self._run.name,))
            self._run.close()
        self._file.close()


class _RunLock:
    """A file beside the store that is locked for as long as a run lives.

    SQLite takes the lock, because it knows how on every system.
    """

    def __init__(self, store: Path) -> None:
        for left in store.parent.glob(f"{store.name}-run-*"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _YOUNG:
                    self.held(store, left.name.removeprefix(f"{store.name}-run-"))
        self.name = token_hex(8)
        path = self._path(store, self.name)
        # Whichever thread collects a store that nobody closed lets go of the lock.
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("BEGIN EXCLUSIVE")
        # Also where nobody closes the store.
        self.close = finalize(self, _unlock, self._db, path)

    @classmethod
    def held(cls, store: Path, name: str) -> bool:
        """Says whether the run `name` lives; removes what a run that is gone left behind."""
        path = cls._path(store, name)
        if not path.exists():
            return False
        db = sqlite3.connect(path, isolation_level=None, timeout=0)
        try:
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            db.close()
            return True
        _unlock(db, path)
        return False

    @staticmethod
    def _path(store: Path, name: str) -> Path:
        return store.with_name(f"{store.name}-run-{name}")


def _unlock(db: sqlite3.Connection, path: Path) -> None:
    db.close()
    path.unlink(missing_ok=True)


_TRUST = 0.25
"""Seconds for which a run that was seen to live is not looked at again."""
_YOUNG = 60.0
"""Seconds within which the file of a run may not be locked yet."""


def vote_key(prefix: bytes, rubric_digest: str, evaluator_digest: bytes, number: int) -> bytes:
    """Gives the key of pass `number` on the conversation `prefix` (16 bytes)."""
    parts = prefix + bytes.fromhex(rubric_digest) + evaluator_digest + number.to_bytes(4, "big")
    return blake2b(parts, digest_size=20).digest()


def _encode(vote: Vote) -> tuple[str, str | None, str | None]:
    evidence = None
    if vote.evidence is not None:
        span = vote.evidence.span
        evidence = orjson.dumps(
            [vote.evidence.cues, span and (span.turn, span.start, span.end, span.side)]
        ).decode()
    return vote.answer.value, vote.reason, evidence


def _decode(answer: str, reason: str | None, evidence: str | None) -> Vote:
    found = None
    if evidence is not None:
        cues, span = orjson.loads(evidence)
        found = Evidence(tuple(cues), _span(*span) if span else None)
    return Vote(Answer(answer), AbstainReason(reason) if reason else None, found)


def _span(turn: int, start: int, end: int, side: str | None = None) -> Span:
    # Stores of earlier versions do not say the side.
    return Span(turn, start, end, Side(side) if side else None)
