"""Saved runs read back as they were written: a conversation at a time, whatever their length.

A run is a `report.v1` document, or a file of one `verdict.v1` document a line.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from chaperone_cli.codec import report, verdict
from chaperone_cli.codec.fields import Node
from chaperone_cli.codec.members import Members
from chaperone_cli.codec.verdict import SavedVerdict
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import RunHeader, Summary, Usage
from chaperone_cli.errors import InputError

_HINT = "name a report that chaperone wrote with -o NAME.json or -o NAME.jsonl"


class SavedRun(ABC):
    """A saved run, which can be iterated as often as needed; it raises InputError for damage."""

    header: RunHeader | None = None
    """None where only verdicts were saved."""
    summary: Summary | None = None
    """Known once the run was iterated to its end; None where only verdicts were saved."""
    usage: Usage | None = None
    """Like `summary`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def __iter__(self) -> Iterator[SavedVerdict | Problem]:
        """Gives the verdicts in their order, then the problems of the input."""

    def verdicts(self) -> Iterator[SavedVerdict]:
        """Gives the verdicts alone."""
        return (item for item in self if isinstance(item, SavedVerdict))


def open_run(path: Path) -> SavedRun:
    """Opens the run saved at `path`, a file or an evidence folder; raises InputError."""
    path = path / "report.json" if path.is_dir() else path
    try:
        with path.open("rb") as file:
            start = file.read(len(b"{\n" + _SCHEMA))
            file.seek(0)
            contract = _contract(file, path)
    except OSError as exc:
        raise InputError(
            f"{path}: the saved run cannot be read: {exc.strerror or exc}", hint=_HINT
        ) from exc
    if contract == verdict.CONTRACT or (not start and path.suffix.lower() == ".jsonl"):
        return VerdictLines(path)
    return ReportLines(path) if start == b"{\n" + _SCHEMA else AnyReport(path)


def _contract(file: BinaryIO, path: Path) -> object:
    """Gives what the first document of `file` calls itself; None for a report that says so late."""
    members = Members(file, path)
    with suppress(InputError):
        for name in members.names():
            if name in _LISTS:
                return None
            value = members.value()
            if name == "schema":
                return value
    return None


class VerdictLines(SavedRun):
    """A file of one verdict a line."""

    def __iter__(self) -> Iterator[SavedVerdict]:
        with self.path.open("rb") as file:
            yield from verdict.decode_lines(file, str(self.path))


class AnyReport(SavedRun):
    """A report in any layout, as a formatter leaves it: with its keys in another order, too."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        found: dict[str, object] = {}
        with self.path.open("rb") as file:
            members = self._members(file)
            for key in members.names():
                if key in _LISTS:
                    for _ in members.items():
                        pass
                else:
                    found[key] = members.value()
                if found.keys() >= {"schema", "run"}:
                    break
        self._header = self._read_header(found)
        self.header = self._header

    def __iter__(self) -> Iterator[SavedVerdict | Problem]:
        passes = self._header.protocol.passes
        found: dict[str, object] = {}
        with self.path.open("rb") as file:
            members = self._members(file)
            for key in members.names():
                if key not in _LISTS:
                    found[key] = members.value()
                    continue
                found[key] = None
                for number, item in enumerate(members.items()):
                    node = Node(item, str(self.path), f"{key}[{number}]")
                    if key == "problems":
                        yield report.decode_problem(node)
                    else:
                        yield report.decode_verdict(node, passes)
        whole = Node(found, str(self.path))
        whole.only(*report.KEYS)
        for key in _LISTS:
            whole.get(key)
        self.summary = report.decode_summary(whole.get("summary"), passes)
        self.usage = report.decode_usage(whole.get("usage"))

    def _members(self, file: BinaryIO) -> Members:
        members = Members(file, self.path)
        if not members.is_object:
            # Says what is wrong: that it is no JSON, or not what it should be.
            Node(members.value(), str(self.path)).contract(report.CONTRACT)
        return members

    def _read_header(self, found: dict[str, object]) -> RunHeader:
        whole = Node(found, str(self.path))
        whole.contract(report.CONTRACT)
        return report.decode_header(whole.get("run"))


_LISTS = ("conversations", "problems")
_SCHEMA = b'"schema": "%b",\n' % report.CONTRACT.encode()


class ReportLines(SavedRun):
    """A report as the JSON reporter lays it out: a line for each conversation and problem."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with path.open("rb") as file:
            self.header = _Lines(file, path).header()

    def __iter__(self) -> Iterator[SavedVerdict | Problem]:
        with self.path.open("rb") as file:
            lines = _Lines(file, self.path)
            self.header = lines.header()
            for node in lines.array("conversations"):
                yield report.decode_verdict(node, self.header.protocol.passes)
            for node in lines.array("problems"):
                yield report.decode_problem(node)
            self.summary = report.decode_summary(
                lines.member("summary"), self.header.protocol.passes
            )
            self.usage = report.decode_usage(lines.member("usage"))
            lines.end()


class _Lines:
    """The lines of a report under reading, each of which must be the one that is expected."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._number = 0

    def header(self) -> RunHeader:
        for expected in (b"{\n", _SCHEMA):
            self._expect(expected)
        return report.decode_header(self.member("run"))

    def member(self, key: str) -> Node:
        line, start = self._next(), f'"{key}": '.encode()
        if not line.startswith(start):
            raise self._damaged(f"the key {key}")
        return self._node(line.removeprefix(start))

    def array(self, key: str) -> Iterator[Node]:
        self._expect(f'"{key}": [\n'.encode())
        while (line := self._next()) != b"],\n":
            yield self._node(line)

    def end(self) -> None:
        self._expect(b"}\n")
        if self._file.read(1):
            raise self._damaged("nothing after the end of the report")

    def _node(self, line: bytes) -> Node:
        data = line.removesuffix(b"\n").removesuffix(b",")
        return Node.parse(data, f"{self._path}:{self._number}")

    def _next(self) -> bytes:
        self._number += 1
        line = self._file.readline()
        if not line:
            raise self._damaged("more lines: the report was cut off")
        return line

    def _expect(self, expected: bytes) -> None:
        if self._next() != expected:
            raise self._damaged(f"the line {expected.decode().strip()}")

    def _damaged(self, expected: str) -> InputError:
        return InputError(
            f"{self._path}:{self._number}: expected {expected}",
            hint="the report was changed or cut off; audit again",
        )
