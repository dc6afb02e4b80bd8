"""Formats and other kinds of file, recognised by how they begin."""

from pathlib import Path

import orjson
import pytest

from chaperone_cli.errors import UsageError
from chaperone_cli.readers import FORMATS, LogReader
from tests.readers.reading import canonical, lines, read, write

SAMPLES = Path(__file__).parents[2] / "sample_logs" / "formats"

EXPECTED = "expected a chat log or an export"
LOOKED = f"looked for {', '.join(FORMATS)}"
VOTES = {"conversation": "a", "turn": 1, "votes": [1, 0, 1, 1, 1]}
ROW = {"conversation_id": "a", "role": "user", "content": "Hello"}
DOCUMENT = orjson.loads(canonical("a"))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (lines(VOTES, VOTES), "a file of recorded votes, which --recorded-votes takes"),
        (
            lines({"schema": "verdict.v1", "conversation": "a", "turns": []}),
            "a verdict.v1 file of chaperone, not the log that it is about",
        ),
        (
            orjson.dumps({"schema": "report.v1", "verdicts": []}, option=orjson.OPT_INDENT_2),
            "a report.v1 file of chaperone, not the log that it is about",
        ),
        (b"\x28\xb5\x2f\xfd\x04", "compressed with zstd; unpack it, or compress it with gzip"),
        (b"SQLite format 3\0\x10", "an SQLite database"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\r", "a binary file"),
        (canonical("a").decode().encode("utf-16"), "UTF-16 text; export it as UTF-8"),
        (canonical("a").decode().encode("utf-16-le"), "UTF-16 text; export it as UTF-8"),
        (canonical("a").decode().encode("utf-16-be"), "UTF-16 text; export it as UTF-8"),
    ],
)
@pytest.mark.parametrize("format", [None, "canonical", "rows"])
def test_a_file_that_is_no_log_is_one_problem(data: bytes, kind: str, format: str | None) -> None:
    expected = [f"error: a.jsonl: this seems to be {kind}; {EXPECTED}"]
    assert read(write("a.jsonl", data), format=format) == expected


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (lines([DOCUMENT, {**DOCUMENT, "id": "b"}]), ["1 item 1", "1 item 2"]),
        (orjson.dumps([DOCUMENT], option=orjson.OPT_INDENT_2), ["2 item 1"]),
        (
            b"[" + canonical("a").strip() + b",\n" + canonical("b") + b"]\n",
            ["1 item 1", "2 item 2"],
        ),
        (b"[\n" + lines(ROW).strip() + b",\n" + lines(ROW) + b"]\n", ["2"]),
        (orjson.dumps(DOCUMENT, option=orjson.OPT_INDENT_2), ["1"]),
        (orjson.dumps({"data": [DOCUMENT]}, option=orjson.OPT_INDENT_2), ["3 item 1"]),
    ],
)
def test_json_may_lie_in_a_log_in_any_way(data: bytes, places: list[str]) -> None:
    ids = ["a", "b"]
    expected = [f"{id_} @ a.json:{place}" for id_, place in zip(ids, places, strict=False)]
    assert read(write("a.json", data)) == expected


@pytest.mark.parametrize("data", [b"Dear diary,\nhello\n", b"id,turns\n1,2\n", b"[section]\n"])
def test_text_that_is_no_log_is_one_problem(data: bytes) -> None:
    expected = f"error: a.txt: this is text of an unknown kind; {LOOKED}"
    assert read(write("a.txt", data)) == [expected]


def test_objects_of_another_kind_are_one_problem_that_names_what_comes_closest() -> None:
    write("a.jsonl", lines(*[{"messages": [{"speaker": "me", "content": "Hi"}]}] * 2))
    needs = "objects with `messages`, a list of `role` and `content`, and here lacks `role`"
    expected = f"error: a.jsonl: this is JSON of an unknown kind; {LOOKED}; closest is openai, "
    assert read("a.jsonl") == [f"{expected}which needs {needs}"]


def test_a_log_that_is_of_two_formats_is_one_problem_until_one_is_named() -> None:
    both = {"id": "a", "turns": [], "chat_messages": [{"sender": "human", "text": "Hi"}]}
    write("a.jsonl", lines(both))
    expected = "error: a.jsonl: this could be canonical or claude; say which with --format"
    assert read("a.jsonl") == [expected]
    assert read("a.jsonl", format="claude") == ["a @ a.jsonl:1"]


def test_each_file_is_recognised_by_itself_whatever_its_name() -> None:
    write("rows.csv", lines(ROW))
    write("b.gz", canonical("b"))
    assert read("rows.csv", "b.gz") == ["a @ rows.csv:1", "b @ b.gz:1"]


def test_a_defective_beginning_does_not_hide_the_format() -> None:
    write("b.jsonl", b"oops\n" + lines({"header": 1}, ROW))
    assert read("b.jsonl") == [
        "error: b.jsonl:1: is not valid JSON at column 1: unexpected character, expected a JSON "
        "value; expected one JSON object a line",
        "error: b.jsonl:2: `conversation_id` is missing; expected a string that is not empty, "
        "or an integer; this row was left out",
        "error: b.jsonl:2: `role` is missing; expected user, assistant, system, tool or event; "
        "this row was left out",
        "error: b.jsonl:2: `content` is missing; expected a string, a list of parts or null; "
        "this row was left out",
        "a @ b.jsonl:3",
    ]


def test_a_verdict_key_does_not_hide_a_conversation() -> None:
    write("a.jsonl", lines({"schema": "verdict.v1", **DOCUMENT}))
    assert read("a.jsonl") == ["a @ a.jsonl:1"]


def test_a_named_format_reports_each_line_that_is_not_of_it() -> None:
    write("a.jsonl", lines(ROW))
    assert read("a.jsonl", format="canonical") == [
        "error: a.jsonl:1: `id` is missing; expected a string that is not empty, or an integer; "
        "this conversation is not audited",
        "error: a.jsonl:1: `turns` is missing; expected a list of messages; "
        "this conversation is not audited",
    ]


def test_the_formats_are_readable() -> None:
    assert list(FORMATS) == [
        "canonical",
        "rows",
        "chatgpt",
        "claude",
        "sharegpt",
        "openai",
        "oasst",
        "langsmith",
        "langfuse",
        "otel",
        "characterai",
        "sillytavern",
        "inspect",
        "csv",
        "text",
        "parquet",
    ]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError) as raised:
        LogReader([], format="xml")
    assert raised.value.message == "unknown format 'xml'"
    assert raised.value.hint == f"use {', '.join(FORMATS)}"


def test_parquet_is_a_format_like_any_other() -> None:
    table = str(SAMPLES / "table.parquet")
    assert read(table, format="parquet") == read(table) != []
    write("a.jsonl", lines(ROW))
    assert read("a.jsonl", format="parquet") == [
        "error: a.jsonl: this is no Parquet file; leave out --format, or name another"
    ]
    assert read(table, format="csv") == [
        f"error: {table}: this seems to be a Parquet file; leave out --format, or give --format "
        "parquet; expected a chat log or an export"
    ]
