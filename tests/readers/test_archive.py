"""Zip archives: what is read of them, and what is said of those made to do harm."""

import gzip
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import orjson
import pyarrow
import pyarrow.parquet
import pytest

from chaperone_cli.readers import LogReader
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.set_aside import set_aside
from tests.readers.reading import canonical, lines, read, write

UNKNOWN = lines({"what": "ever"})


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of `members`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_every_member_that_is_a_log_is_read(method: int) -> None:
    members = {"b/a.txt": canonical("a"), "photo.png": b"\x89PNG\0\0\0", "c.json": canonical("b")}
    write("x.any", zipped(members, method))
    assert read("x.any") == ["a @ x.any!b/a.txt:1", "b @ x.any!c.json:1"]


def test_json_that_is_not_known_is_worth_a_warning_and_side_files_are_not() -> None:
    members = {
        "a.json": canonical("a"),
        "u.json": UNKNOWN,
        "z.gz": gzip.compress(b""),
        "export/user.json": UNKNOWN,
    }
    write("x.zip", zipped(members))
    assert read("x.zip") == [
        "a @ x.zip!a.json:1",
        "warning: x.zip: 2 files in it are packed again or no log that is known, and not read: "
        "u.json, z.gz",
    ]


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "looked into 0 files"),
        ({"a.png": b"\0"}, "looked into 1 files"),
        ({"u.json": UNKNOWN, "z.zip": b"PK\3\4"}, "looked into 2 files, among them u.json, z.zip"),
    ],
)
def test_an_archive_without_a_log_is_a_problem(members: dict[str, bytes], said: str) -> None:
    write("x.zip", zipped(members))
    assert read("x.zip") == [f"error: x.zip: this archive holds no log that is known; {said}"]


def test_paths_that_lead_out_of_the_archive_are_only_names(folder: Path) -> None:
    write("x.zip", zipped({"../../a.jsonl": canonical("a"), "/etc/b": canonical("b")}))
    assert read("x.zip") == ["a @ x.zip!../../a.jsonl:1", "b @ x.zip!/etc/b:1"]
    assert [path.name for path in folder.parent.rglob("*")] == ["logs", "x.zip"]


def test_a_bomb_is_left_as_soon_as_it_is_out_of_proportion() -> None:
    bomb = canonical("a") + b" " * (80 << 20)
    write("x.zip", zipped({"a.jsonl": bomb}))
    reader = LogReader(["x.zip"], line_limit=1 << 20)
    told = [str(item) for item in reader][1:]
    assert told == [
        "x.zip!a.jsonl: it unpacks to more than 250 times its size, as no chat log does; "
        "only its first 1 lines could be read"
    ]


def test_a_gzip_bomb_is_left_in_the_same_way() -> None:
    write("a.gz", gzip.compress(canonical("a") + b" " * (80 << 20)))
    first, told = read("a.gz", line_limit=1 << 20)
    assert first == "a @ a.gz:1"
    assert told.startswith("error: a.gz: it unpacks to more than 250 times its size")


def test_an_encrypted_member_is_a_problem() -> None:
    data = bytearray(zipped({"a.jsonl": canonical("a")}))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    write("x.zip", bytes(data))
    assert read("x.zip") == [
        "error: x.zip!a.jsonl: is encrypted; unpack it with its password and name what is inside"
    ]


@pytest.mark.parametrize("end", [4, 30, 100])
def test_a_truncated_archive_is_a_problem(end: int) -> None:
    write("x.zip", zipped({"a.jsonl": canonical("a")})[:end])
    assert read("x.zip") == ["error: x.zip: this zip archive is damaged; export or copy it again"]


def test_a_damaged_member_costs_itself_only() -> None:
    data = zipped({"a.jsonl": canonical("a") * 9, "b.jsonl": canonical("b")}, zipfile.ZIP_STORED)
    write("x.zip", data.replace(b"Hello", b"Jello", 1))
    told = read("x.zip", problem_limit=None)
    broken = "x.zip!a.jsonl: its packed data is corrupt or ends early"
    assert [line for line in told if broken in line]
    assert told[-1] == "b @ x.zip!b.jsonl:1"


def test_an_archive_on_standard_input_is_read_from_a_file_set_aside() -> None:
    packed = zipped({"a.jsonl": canonical("a"), "u.json": UNKNOWN})
    warning = "1 files in it are packed again or no log that is known, and not read: u.json"
    assert read("-", stdin=packed) == ["a @ -!a.jsonl:1", f"warning: -: {warning}"]
    assert read("-", stdin=gzip.compress(packed))[0] == "a @ -!a.jsonl:1"
    assert read("-", stdin=packed[:60]) == [
        "error: -: this zip archive is damaged; export or copy it again"
    ]


def test_a_damaged_or_endless_stream_is_no_archive() -> None:
    packed = gzip.compress(zipped({"a.jsonl": canonical("a")}))
    assert read("-", stdin=packed[:-9]) == [
        "error: -: its gzip data ends early; it has its contents at its end, so nothing of it was "
        "read"
    ]
    log = Log("-", io.BufferedReader(io.BytesIO(b"PK" * 99)))
    with set_aside(log, 100) as told:
        assert str(told) == "-: it is longer than 100 bytes; save it and name the file itself"


def test_a_parquet_table_in_an_archive_is_read() -> None:
    table = io.BytesIO()
    columns = {"conversation_id": ["a", "a"], "role": ["user", "bot"], "content": ["Hi", "Hello"]}
    pyarrow.parquet.write_table(pyarrow.table(columns), table)
    packed = zipped({"t/a.parquet": table.getvalue(), "b.parquet": b"PAR1"})
    expected = ["a @ {0}!t/a.parquet:1", "error: {0}!b.parquet: this Parquet file is damaged; "]
    for path in (write("x.zip", packed), "-"):
        told = read(path, stdin=packed)
        assert [line.removesuffix("export it again") for line in told] == [
            line.format(path) for line in expected
        ]


def test_progress_reaches_the_end_of_an_archive() -> None:
    path = write("x.zip", zipped({"a.jsonl": canonical(*range(999))}))
    reader = LogReader([path])
    assert len(list(reader)) == 999
    assert reader.bytes_read == reader.bytes_total == Path(path).stat().st_size


def test_what_inspect_writes_beside_its_samples_is_no_sample() -> None:
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    sample = {"id": 1, "epoch": 1, "input": "Hi", "target": "", "messages": said, "scores": {}}
    summary = {"id": 1, "epoch": 1, "input": "Hi", "target": "", "scores": {}, "completed": True}
    members = {
        "_journal/start.json": lines({"version": 2, "eval": {"task": "t"}, "plan": {}}),
        "samples/1_epoch_1.json": lines(sample),
        "_journal/summaries/1.json": orjson.dumps([summary]),
        "summaries.json": orjson.dumps([summary]),
        "reductions.json": orjson.dumps([{"scorer": "s", "samples": [{"value": 1}]}]),
        "header.json": lines({"version": 2, "status": "success", "eval": {"task": "t"}}),
    }
    write("x.eval", zipped(members))
    assert read("x.eval") == ["x.eval#1-1 @ x.eval!samples/1_epoch_1.json:1"]
    del members["samples/1_epoch_1.json"]
    write("x.eval", zipped(members))
    assert read("x.eval") == [
        "error: x.eval: this archive holds no log that is known; looked into 5 files"
    ]
    write("s.json", members["summaries.json"])
    assert read("s.json") == [
        "error: s.json:1: item 1 is none of this format; expected samples with `messages`, "
        "`epoch` and `input`"
    ]
