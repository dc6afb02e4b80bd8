"""Parquet tables, read batch by batch; pyarrow is an extra that need not be installed."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Any

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.readers.archive import CountedFile
from chaperone_cli.readers.interface import DocumentFormat, Format
from chaperone_cli.readers.json_documents import Document
from chaperone_cli.readers.log import Head, Log
from chaperone_cli.readers.set_aside import set_aside
from chaperone_cli.readers.tables import NEEDS, Columns, Row, read_table

PARQUET_MAGIC = b"PAR1"
_BATCH_ROWS = 256
_NAMED = 8


@dataclass(frozen=True)
class Parquet(Format):
    """A table of messages or exchanges, or one whose rows are documents of a format in `nested`.

    A row with a column `messages`, `conversations` or `mapping` is such a document.
    """

    nested: Sequence[DocumentFormat]

    needs = NEEDS

    def recognises(self, head: Head) -> bool:  # noqa: D102
        return head.start.startswith(PARQUET_MAGIC)

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        if not self.recognises(log.head):
            yield log.problem("this is no Parquet file; leave out --format, or name another")
            return
        with set_aside(log) as file:
            if isinstance(file, Problem):
                yield file
            else:
                yield from self.read_file(file, lambda _: None, log)

    def read_file(
        self, path: str | int, count: Callable[[int], None], log: Log
    ) -> Iterator[Conversation | Problem]:
        """Reads a file, by its path or descriptor, where it lies; of `log` nothing is read.

        `count` is told how many bytes were just read. Raises OSError where it cannot be read.
        """
        name = log.name
        try:
            arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError:
            message = "this is a Parquet file; install chaperone-cli[parquet] to read it"
            yield Problem(Severity.ERROR, name, message)
            return
        with io.BufferedReader(CountedFile(path, count)) as file:
            try:
                yield from self._table(parquet.ParquetFile(file), log)
            except (arrow.ArrowException, ValueError, UnicodeDecodeError):
                yield Problem(Severity.ERROR, name, "this Parquet file is damaged; export it again")

    def _table(self, table: Any, log: Log) -> Iterator[Conversation | Problem]:
        names = table.schema_arrow.names
        if columns := Columns.of(names):
            numbered = enumerate(_rows(table), 1)
            rows = (Row(number, list(row.values())) for number, row in numbered)
            return read_table(log.name, columns, rows, log.account)
        documents = _rows(table)
        first = next(documents, {})
        for one in self.nested:
            if one.fits(first):
                return _read_documents(one, chain([first], documents), log)
        message = f"its columns are named {', '.join(names[:_NAMED])}; expected {NEEDS}"
        return iter([log.problem(message)])


def _read_documents(
    format: DocumentFormat, documents: Iterable[dict[str, Any]], log: Log
) -> Iterator[Conversation | Problem]:
    for number, document in enumerate(documents, 1):
        yield from format.read_document(Document(number, number, document), log)


def _rows(table: Any) -> Iterator[dict[str, Any]]:
    for batch in table.iter_batches(batch_size=_BATCH_ROWS):
        yield from batch.to_pylist()
