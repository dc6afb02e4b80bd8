"""CSV, TSV and the like: a header with named columns, then one row a message or exchange."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.log import Head, Log
from chaperone_cli.readers.tables import NEEDS, Columns, Row, read_table
from chaperone_cli.readers.values import is_text

_DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class CSV(Format):
    """A header that names the columns, and the delimiter under which it does: `,`, `;`, tab, `|`.

    Rows of different conversations may stand mixed; their order is that of the file.
    """

    needs = NEEDS

    def recognises(self, head: Head) -> bool:  # noqa: D102
        return _header(head) is not None

    def read_all(self, log: Log) -> Iterator[Conversation | Problem]:  # noqa: D102
        found = _header(log.head)
        if found is None:
            yield log.problem(f"its first line names no such columns; expected {self.needs}", 1)
            return
        delimiter, columns = found
        # A cell holds whatever a line may hold; the module's own limit would refuse long turns.
        csv.field_size_limit(log.line_limit)
        yield from read_table(log.name, columns, _rows(log, delimiter), log.account)


def _header(head: Head) -> tuple[str, Columns] | None:
    start = head.start.lstrip()
    if head.documents or start[:1] in (b"{", b"["):
        return None
    line = start.splitlines()[:1]
    for delimiter in _DELIMITERS if line else "":
        try:
            names = next(csv.reader([line[0].decode()], delimiter=delimiter), [])
        except (csv.Error, UnicodeDecodeError):
            continue
        if columns := Columns.of(names):
            return delimiter, columns
    return None


def _rows(log: Log, delimiter: str) -> Iterator[Row | Problem]:
    problems: list[Problem] = []
    reader = csv.reader(_texts(log, problems), delimiter=delimiter, strict=True)
    header = True
    while True:
        number = reader.line_num + 1
        defects: tuple[str, ...] = ()
        try:
            cells = next(reader)
        except StopIteration:
            yield from problems
            return
        except csv.Error as error:
            cells, defects = [], (f"its quotes or cells are broken ({error})",)
        if problems:
            yield from problems
            problems.clear()
            defects = (*defects, "a line of it could not be read")
        if header and not defects and cells:
            header = False
        elif cells or defects:
            yield Row(number, cells, defects or _not_utf_8(cells))


def _not_utf_8(cells: list[str]) -> tuple[str, ...]:
    # What is not UTF-8 was decoded to lone surrogates, which UTF-8 cannot hold.
    return () if is_text("".join(cells)) else ("it is not UTF-8; export the table as UTF-8",)


def _texts(log: Log, problems: list[Problem]) -> Iterator[str]:
    for line in log.lines():
        if isinstance(line, Problem):
            problems.append(line)
        else:
            yield line[1].decode("utf-8", "surrogateescape")
