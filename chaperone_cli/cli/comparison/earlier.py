"""The outcomes of an earlier run, kept on disk while another is compared with it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from chaperone_cli.cli.counting import counted
from chaperone_cli.cli.saved import open_run
from chaperone_cli.domain.comparison import Outcome
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.digest import judgement
from chaperone_cli.domain.run import Ending, RunHeader
from chaperone_cli.domain.verdict import ConversationVerdict, Digests, Verdict
from chaperone_cli.errors import InputError
from chaperone_cli.readers.scratch import open_scratch, scratch_error

_TABLE = "CREATE TABLE old (id TEXT PRIMARY KEY, place INTEGER, outcome BLOB, met INTEGER)"
_FIND = "SELECT outcome FROM old WHERE id = ?"
_MEET = "UPDATE old SET met = 1 WHERE id = ?"
_REST = "SELECT id, outcome FROM old WHERE met = 0 ORDER BY place"


class Earlier:
    """The outcomes of an earlier run, on disk where they are many."""

    def __init__(self, path: Path) -> None:
        """Reads the run saved at `path`; raises InputError."""
        self._database = open_scratch(_TABLE)
        self.total = 0
        run = open_run(path)
        for saved in counted(run.verdicts(), "reading the earlier run"):
            if settled(saved.verdict):
                self._add(path, saved.verdict, run.header)
        self.header = run.header
        self.cut_short = run.summary is not None and run.summary.ending is not Ending.COMPLETE

    def take(self, conversation: str) -> Outcome | None:
        """Gives the outcome of a conversation, which from then on counts as met."""
        with reported():
            row = self._database.execute(_FIND, (key(conversation),)).fetchone()
            if row is None:
                return None
            self._database.execute(_MEET, (key(conversation),))
        return _decode(row[0])

    def rest(self) -> Iterator[tuple[str, Outcome]]:
        """Gives the conversations that were not met, in their order."""
        for name, outcome in self._database.execute(_REST):
            yield name, _decode(outcome)

    def close(self) -> None:
        """Deletes what was kept."""
        self._database.close()

    def _add(self, path: Path, verdict: ConversationVerdict, header: RunHeader | None) -> None:
        outcome = outcome_of(verdict, header)
        row = (key(verdict.conversation), self.total, _encode(outcome))
        with reported():
            done = self._database.execute("INSERT OR IGNORE INTO old VALUES (?, ?, ?, 0)", row)
        if not done.rowcount:
            raise InputError(
                f"{path}: a conversation stands in it twice",
                hint="compare one run with one other run",
            )
        self.total += 1


def settled(verdict: ConversationVerdict) -> bool:
    """Says whether `verdict` can be compared: half a conversation without a block says nothing."""
    return not verdict.partial or verdict.first_block is not None


def outcome_of(verdict: ConversationVerdict, header: RunHeader | None) -> Outcome:
    """Gives what is compared of `verdict`; a header tells who judged where the verdict does not."""
    outcome = Outcome.of(verdict)
    if outcome.digests is None and header is not None:
        return outcome._replace(digests=Digests(None, judgement(header)))
    return outcome


@contextmanager
def reported() -> Iterator[None]:
    """Raises InputError where the temporary folder cannot take what is set aside."""
    try:
        yield
    except sqlite3.Error as error:
        raise scratch_error(error) from error


def key(conversation: str) -> str:
    """Gives an id as the database takes it."""
    return conversation.encode("utf-8", "backslashreplace").decode()


def _encode(outcome: Outcome) -> bytes:
    digests = outcome.digests
    return orjson.dumps([*outcome[:-1], None if digests is None else [*digests]])


def _decode(data: bytes) -> Outcome:
    verdict, turn, side, total, digests = orjson.loads(data)
    return Outcome(
        Verdict(verdict),
        turn,
        None if side is None else Side(side),
        total,
        None if digests is None else Digests(*digests),
    )
