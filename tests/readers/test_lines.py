"""Damage below the format: compression, encodings, lines that are no JSON, lines without end."""

import gzip
import io
import zlib
from contextlib import suppress

import pytest

from chaperone_cli.readers import LogReader
from tests.readers.reading import canonical, lines, read, write

GOOD = canonical("a")
CORRUPT = (
    "its gzip data is corrupt, possibly before that was noticed; only its first {} lines "
    "could be read"
)


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    "data",
    [
        gz(canonical("a", "b")),
        gz(canonical("a")) + gz(canonical("b")),
        gz(canonical("a")) + gz(b"") + gz(canonical("b")) + bytes(700),
    ],
    ids=["one member", "two members", "padded"],
)
@pytest.mark.parametrize("path", ["a.jsonl", "a.jsonl.gz", "-"])
def test_gzip_is_recognised_by_content(data: bytes, path: str) -> None:
    if path != "-":
        write(path, data)
    assert read(path, stdin=data) == [f"a @ {path}:1", f"b @ {path}:2"]


def test_a_gz_name_on_plain_text_is_no_matter() -> None:
    assert read(write("a.jsonl.gz", GOOD)) == ["a @ a.jsonl.gz:1"]


def test_truncated_gzip_gives_what_could_be_unpacked() -> None:
    packer = zlib.compressobj(wbits=31)
    whole = packer.compress(canonical(1, 2)) + packer.flush(zlib.Z_SYNC_FLUSH)
    packed = whole + packer.compress(canonical(3)) + packer.flush(zlib.Z_SYNC_FLUSH)
    assert read(write("a.gz", packed[: len(whole) + 4])) == [
        "1 @ a.gz:1",
        "2 @ a.gz:2",
        "error: a.gz: its gzip data ends early; only its first 2 lines could be read",
    ]


def test_corrupt_gzip_gives_what_could_be_unpacked() -> None:
    whole = gz(canonical(1, 2))
    assert read(write("a.gz", whole[:-8] + b"\0" * 8)) == [
        "1 @ a.gz:1",
        "2 @ a.gz:2",
        f"error: a.gz: {CORRUPT.format(2)}",
    ]


@pytest.mark.parametrize("damaged", range(5))
def test_damage_amid_much_gzip_loses_no_line_before_it(damaged: int) -> None:
    data = canonical(*range(30_000))
    packed = bytearray(gz(data))
    position = len(packed) * (damaged + 1) // 6
    packed[position : position + 40] = b"\xff" * 40
    items = read(write("a.gz", bytes(packed)))
    readable = _unpacked(bytes(packed)).count(b"\n")
    assert readable > 1000
    assert items[:1000] == [f"{number} @ a.gz:{number + 1}" for number in range(1000)]
    assert f"error: a.gz: {CORRUPT.format(readable)}" in items[-2:]


def _unpacked(packed: bytes) -> bytes:
    """What zlib gives of damaged data, altered as it may be, fed as slowly as can be."""
    member = zlib.decompressobj(31)
    unpacked = bytearray()
    with suppress(zlib.error):
        for byte in packed:
            unpacked += member.decompress(bytes([byte]))
    return bytes(unpacked)


@pytest.mark.parametrize("end", [2, 3, 10, 11])
def test_hardly_begun_gzip_is_one_problem(end: int) -> None:
    message = "its gzip data ends early; only its first 0 lines could be read"
    assert read(write("a.gz", gz(GOOD)[:end])) == [f"error: a.gz: {message}"]


def test_the_end_of_a_gzip_member_is_followed_by_something_else() -> None:
    assert read(write("a.gz", gz(GOOD) + b"trailing words")) == [
        "a @ a.gz:1",
        f"error: a.gz: {CORRUPT.format(1)}",
    ]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_blank_lines_a_byte_order_mark_and_a_missing_last_end_are_fine(ending: bytes) -> None:
    data = ending.join([b"", canonical("a").strip(), b"  ", canonical("b").strip()])
    assert read(write("a.jsonl", b"\xef\xbb\xbf" + data)) == ["a @ a.jsonl:2", "b @ a.jsonl:4"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"id": "b", "turns": [', "is not valid JSON at column 23: unexpected end of data"),
        (b'{"id": "\xc3\xa9", "turns" 1}', "is not valid JSON at column 21: unexpected character"),
        (b"{}\x0c", "is not valid JSON at column 3: unexpected content after document"),
        (b"\x00", "is not valid JSON at column 1: unexpected character"),
        (b'{"id": NaN}', "is not valid JSON at column 8: NaN and Infinity are not JSON"),
        (b'{"id": -Infinity}', "is not valid JSON at column 9: NaN and Infinity are not JSON"),
        (b"[" * 3000 + b"]" * 3000, "is not valid JSON at column 1026: depth limit exceeded"),
        (b'{"id": 1' + b"0" * 400 + b"}", "is not valid JSON at column 8: number is infinity"),
        (
            b'{"id": "\\ud83d"}',
            "is not valid JSON at column 9: half of a character's two \\u escapes stands alone",
        ),
    ],
)
def test_a_line_that_is_no_json_is_one_problem(line: bytes, problem: str) -> None:
    first, second, third = read(write("a.jsonl", GOOD + line + b"\n" + canonical("c")))
    assert (first, third) == ("a @ a.jsonl:1", "c @ a.jsonl:3")
    assert second.startswith(f"error: a.jsonl:2: {problem}")
    assert second.endswith("; expected one JSON object a line")


def test_bytes_that_are_not_utf_8_are_located() -> None:
    line = '{"id": "b", "turns": [{"role": "user", "content": "é '.encode() + b'\xe9"}]}\n'
    expected = "is not UTF-8 at column 54 (byte 55 of the line); export the log as UTF-8"
    assert read(write("a.jsonl", GOOD + line)) == [
        "a @ a.jsonl:1",
        f"error: a.jsonl:2: {expected}",
    ]


@pytest.mark.parametrize(
    ("value", "name"),
    [([], "a list"), ("Hi", "a string"), (3, "a number"), (True, "a boolean"), (None, "null")],
)
def test_a_line_that_is_no_object_is_a_problem(value: object, name: str) -> None:
    expected = f"this line holds {name}; expected one JSON object a line"
    assert read(write("a.jsonl", GOOD + lines(value))) == [
        "a @ a.jsonl:1",
        f"error: a.jsonl:2: {expected}",
    ]


@pytest.mark.parametrize("position", [0, 1, 20])
def test_a_line_beyond_the_limit_is_left_out_alone(position: int) -> None:
    good = [canonical(number) for number in range(21)]
    data = b"".join([*good[:position], b"x" * 1_000_001 + b"\n", *good[position:]])
    items = read(write("a.jsonl", data), line_limit=1000)
    left_out = "this line is longer than 1,000 bytes and was left out"
    assert items.pop(position) == f"error: a.jsonl:{position + 1}: {left_out}"
    assert items == [
        f"{number} @ a.jsonl:{number + 1 + (number >= position)}" for number in range(21)
    ]


def test_a_line_of_exactly_the_limit_is_read() -> None:
    limit = len(GOOD) - 1
    assert read(write("a.jsonl", GOOD), line_limit=limit + 1) == ["a @ a.jsonl:1"]
    assert read(write("a.jsonl", GOOD[:-1]), line_limit=limit) == ["a @ a.jsonl:1"]


def test_a_last_line_beyond_the_limit_without_an_end() -> None:
    expected = "this line is longer than 1,000 bytes and was left out"
    assert read(write("a.jsonl", GOOD + b"x" * 5000), line_limit=1000) == [
        "a @ a.jsonl:1",
        f"error: a.jsonl:2: {expected}",
    ]


def test_after_many_problems_the_rest_is_counted() -> None:
    write("a.jsonl", GOOD + b"{\n" * 1005 + canonical("b"))
    write("b.jsonl", b"{}x\n" + canonical("c"))
    items = read("a.jsonl", "b.jsonl")
    assert len(items) == 1 + 1000 + 1 + 1 + 2
    rest = "5 further problems in this file; chaperone validate lists all"
    assert items[1001:1003] == ["b @ a.jsonl:1007", f"error: a.jsonl: {rest}"]
    assert len(read("a.jsonl", problem_limit=None)) == 1007
    assert len(read("a.jsonl", problem_limit=1005)) == 1007


@pytest.mark.parametrize("data", [b"", b"\n \n\n" * 30, gz(b"")], ids=["none", "blank", "gzip"])
@pytest.mark.parametrize("format", [None, "rows"])
def test_an_empty_file_is_worth_a_warning(data: bytes, format: str | None) -> None:
    expected = ["warning: a.jsonl: this file is empty: it holds no conversation"]
    assert read(write("a.jsonl", data), format=format) == expected


class Dripping(io.RawIOBase):
    """A pipe that gives a few bytes at a time and fails in the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._data:
            raise OSError(5, "Input/output error")
        given, self._data = self._data[:7], self._data[7:]
        buffer[: len(given)] = given
        return len(given)


def test_a_stream_that_breaks_gives_what_came() -> None:
    items = list(LogReader(["-"], stdin=Dripping(canonical(*range(30)))))  # type: ignore[arg-type]
    assert len(items) == 31
    expected = "-: reading failed: input/output error; only its first 30 lines could be read"
    assert str(items[-1]) == expected
