"""What was handed to the server in batches and has not come back, kept in the vote store's file.

A submission is noted before it is sent, and named once the server has given the batch its id; so a
crash in between is noticed, and the batch is looked for instead of being paid for twice. Only keys
and names of suspicions are kept, never conversation text. One run at a time may use a file so.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chaperone_cli.store_file import StoreFile

_HINT = "name another file with --store"
KEPT = 29 * 24 * 3600.0
"""Seconds for which the vendor keeps a batch's results."""

_TABLES = """
CREATE TABLE IF NOT EXISTS submissions (
    id INTEGER PRIMARY KEY, batch TEXT, server TEXT NOT NULL, label TEXT NOT NULL,
    requests INTEGER NOT NULL, at REAL NOT NULL, collected INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS pending_votes (
    key BLOB PRIMARY KEY, submission INTEGER, tries INTEGER NOT NULL, marks TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pending_votes_submission ON pending_votes (submission);
"""
_OUT = """
FROM pending_votes JOIN submissions ON id = submission
WHERE server = ? AND batch IS NOT NULL AND NOT collected
"""


@dataclass(frozen=True, slots=True)
class Submission:
    """One batch as it was handed in."""

    id: int
    batch: str | None
    """The server's name for it; None where that never arrived."""
    label: str
    """The key under which its replies hold their answers."""
    requests: int
    at: float
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class PendingVote:
    """One vote of a submission."""

    key: bytes
    tries: int
    """How often it came back without an answer."""
    marks: tuple[str, ...]
    """What its turn is suspected of."""


class PendingVotes:
    """Submissions to one server, and the votes that each is to bring."""

    def __init__(self, path: Path, server: str) -> None:
        """Opens the file at `path`, or creates it; raises StoreError."""
        self._server = server
        # A lost id is a batch paid for twice, so that even a power failure must not lose it.
        self._file = StoreFile(path, _TABLES, "what is out in batches", hint=_HINT, durable=True)
        for old in self._submissions("at < ?", time.time() - KEPT):
            self.forget(old)

    def submissions(self) -> list[Submission]:
        """Lists what is out, the oldest first."""
        return self._submissions("batch IS NOT NULL AND NOT collected")

    def batches(self) -> set[str]:
        """Gives the names of all batches that were handed in, those already collected too."""
        return {str(one.batch) for one in self._submissions("batch IS NOT NULL")}

    def unnamed(self) -> list[Submission]:
        """Lists what may or may not have reached the server."""
        return self._submissions("batch IS NULL")

    def _submissions(self, where: str, *values: object) -> list[Submission]:
        rows = self._file.rows(
            "SELECT id, batch, label, requests, at FROM submissions "
            f"WHERE server = ? AND {where} ORDER BY id",
            (self._server, *values),
        )
        return [Submission(*row) for row in rows]

    def votes_out(self) -> int:
        """Counts the votes that are out."""
        [(count,)] = self._file.rows(f"SELECT count(*) {_OUT}", (self._server,))
        return int(count)

    def paid_twice(self) -> int:
        """Counts the votes that are out although the store holds an answer: both are billed."""
        [(count,)] = self._file.rows(
            f"SELECT count(*) {_OUT} AND EXISTS (SELECT 1 FROM votes "
            "WHERE votes.key = pending_votes.key AND answer <> 'abstain')",
            (self._server,),
        )
        return int(count)

    def submission_of(self, key: bytes) -> int | None:
        """Gives the submission that is to bring the vote under `key`."""
        rows = self._file.rows(
            "SELECT submission FROM pending_votes JOIN submissions ON id = submission "
            "WHERE key = ? AND server = ?",
            (key, self._server),
        )
        return rows[0][0] if rows else None

    def tries_of(self, key: bytes) -> int:
        """Says how often the vote under `key` came back without an answer."""
        rows = self._file.rows("SELECT tries FROM pending_votes WHERE key = ?", (key,))
        return rows[0][0] if rows else 0

    def votes_of(self, submission: Submission) -> dict[bytes, PendingVote]:
        """Gives the votes that `submission` is to bring, by key."""
        rows = self._file.rows(
            "SELECT key, tries, marks FROM pending_votes WHERE submission = ?", (submission.id,)
        )
        return {
            key: PendingVote(key, tries, tuple(filter(None, marks.split("\n"))))
            for key, tries, marks in rows
        }

    def begin(self, label: str, votes: Sequence[tuple[bytes, tuple[str, ...]]]) -> Submission:
        """Notes that `votes`, by key and with their marks, are about to be handed in."""
        at = time.time()
        with self._file.together():
            made = self._file.change(
                "INSERT INTO submissions (server, label, requests, at) VALUES (?, ?, ?, ?)",
                (self._server, label, len(votes), at),
            )
            self._file.change_each(
                "INSERT INTO pending_votes VALUES (?, ?, 0, ?) "
                "ON CONFLICT (key) DO UPDATE SET submission = excluded.submission",
                [(key, made.lastrowid, "\n".join(marks)) for key, marks in votes],
            )
        return Submission(made.lastrowid or 0, None, label, len(votes), at)

    def name(self, submission: Submission, batch: str) -> None:
        """Notes the server's name for `submission`."""
        self._file.change("UPDATE submissions SET batch = ? WHERE id = ?", (batch, submission.id))

    def retry(self, keys: Sequence[bytes]) -> None:
        """Sets votes free, to be handed in again, and counts the failure."""
        with self._file.together():
            self._file.change_each(
                "UPDATE pending_votes SET submission = NULL, tries = tries + 1 WHERE key = ?",
                [(key,) for key in keys],
            )

    def collect(self, submission: Submission) -> None:
        """Notes that all results of `submission` were taken; its name stays known."""
        self._end(submission, "UPDATE submissions SET collected = 1 WHERE id = ?")

    def forget(self, submission: Submission) -> None:
        """Forgets `submission` and the votes that are still filed under it."""
        self._end(submission, "DELETE FROM submissions WHERE id = ?")

    def _end(self, submission: Submission, statement: str) -> None:
        with self._file.together():
            self._file.change("DELETE FROM pending_votes WHERE submission = ?", (submission.id,))
            self._file.change(statement, (submission.id,))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
