"""Which files a path, a folder or a pattern comes to, and what is said where it comes to none."""

import os
import socket
from pathlib import Path

import pytest

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers import LogReader
from tests.readers.reading import canonical, lines, read, write


def test_a_folder_is_read_sorted_and_only_for_its_logs() -> None:
    for number, path in enumerate(
        [
            "f/b.jsonl",
            "f/a/z.ndjson",
            "f/a.jsonl.gz",
            "f/c.ndjson.gz",
            "f/.hidden.jsonl",
            "f/.git/x.jsonl",
            "f/notes.txt",
            "f/b.votes.jsonl",
            "f/b.votes.jsonl.gz",
        ]
    ):
        write(path, canonical(number))
    expected = [
        "1 @ f/a/z.ndjson:1",
        "2 @ f/a.jsonl.gz:1",
        "0 @ f/b.jsonl:1",
        "3 @ f/c.ndjson.gz:1",
    ]
    assert read("f") == expected


def test_a_file_that_is_named_may_have_any_name() -> None:
    assert read(write("export of May.txt", canonical("a"))) == ["a @ export of May.txt:1"]


def test_a_folder_without_logs_is_a_problem() -> None:
    write("f/notes.txt", b"notes")
    expected = (
        "error: f: this folder holds no log; looked for *.jsonl, *.ndjson, *.json, *.csv, *.tsv, "
        "*.jsonl.gz, *.ndjson.gz, *.json.gz, *.csv.gz, *.zip, *.eval, *.parquet in it"
    )
    assert read("f") == [expected]


def test_links_that_lead_in_circles_are_harmless() -> None:
    write("f/g/a.jsonl", canonical("a"))
    os.symlink("..", "f/g/up", target_is_directory=True)
    os.symlink("a.jsonl", "f/g/b.jsonl")
    assert read("f") == ["a @ f/g/a.jsonl:1"]


def test_a_broken_link_is_a_problem() -> None:
    os.symlink("nowhere", "a.jsonl")
    assert read("a.jsonl") == ["error: a.jsonl: cannot be read: no such file or directory"]


def test_the_same_file_is_read_once_however_it_is_reached() -> None:
    path = write("f/a.jsonl", canonical("a"))
    os.link(path, "f/hard.jsonl")
    assert read("f/a.jsonl", "f", "./f/../f/a.jsonl", "f/*", "f/hard.jsonl") == ["a @ f/a.jsonl:1"]


def test_patterns_are_expanded() -> None:
    write("2026/05/a.jsonl", canonical("a"))
    write("2026/06/deep/b.jsonl", canonical("b"))
    write("2026/06/c.jsonl", canonical("c"))
    write("2026/06/.d.jsonl", canonical("d"))
    expected = ["a @ 2026/05/a.jsonl:1", "c @ 2026/06/c.jsonl:1", "b @ 2026/06/deep/b.jsonl:1"]
    assert read("2026/**/*.jsonl") == expected
    assert read("2026/0[56]/?.jsonl") == expected[:2]


def test_a_pattern_may_match_folders() -> None:
    write("2026/05/a.jsonl", canonical("a"))
    Path("2026/07").mkdir()
    assert read("2026/*") == ["a @ 2026/05/a.jsonl:1"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file() -> None:
    write("chat [1].jsonl", canonical("a"))
    assert read("chat [1].jsonl") == ["a @ chat [1].jsonl:1"]


def test_what_is_not_found_is_a_problem_and_the_rest_is_read() -> None:
    write("a.jsonl", canonical("a"))
    assert read("gone.jsonl", "*.csv", "a.jsonl") == [
        "error: gone.jsonl: there is no such file or folder",
        "error: *.csv: this pattern matches no file; check it, or name a folder",
        "a @ a.jsonl:1",
    ]


def test_a_file_that_cannot_be_opened_is_a_problem() -> None:
    # A socket, since a test may run as a user whom no permission stops.
    with socket.socket(socket.AF_UNIX) as served:
        served.bind("s.jsonl")
        write("t.jsonl", canonical("t"))
        assert read("s.jsonl", "t.jsonl") == [
            "error: s.jsonl: cannot be opened: no such device or address",
            "t @ t.jsonl:1",
        ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_without_permission_is_a_problem() -> None:
    path = write("a.jsonl", canonical("a"))
    os.chmod(path, 0)
    assert read(path) == ["error: a.jsonl: cannot be opened: permission denied"]


def test_a_file_that_vanishes_in_between_is_a_problem() -> None:
    reader = LogReader([write("a.jsonl", canonical("a")), write("b.jsonl", canonical("b"))])
    os.remove("a.jsonl")
    first, second = reader
    assert str(first) == "a.jsonl: cannot be opened: no such file or directory"
    assert str(second).startswith("Conversation(id='b'")


def test_a_name_that_is_not_utf_8_is_shown_as_text() -> None:
    write(os.fsdecode(b"caf\xe9.jsonl"), canonical("a"))
    assert read(".") == ["a @ ./caf\\xe9.jsonl:1"]


def test_a_name_that_no_file_can_have_is_a_problem() -> None:
    message = "this pattern matches no file; check it, or name a folder"
    assert read("a\0*") == [f"error: a\0*: {message}"]
    assert read("a\0b") == ["error: a\0b: cannot be read: embedded null byte"]


def test_standard_input_that_is_closed_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    (problem,) = LogReader(["-"])
    assert str(problem) == "-: cannot be opened: standard input is closed"


def test_progress_counts_the_bytes_on_disk() -> None:
    small, large = canonical("a"), canonical(*range(20_000))
    reader = LogReader([write("a.jsonl", small), "gone.jsonl", write("b.jsonl", large)])
    assert reader.bytes_total == len(small) + len(large)
    assert reader.bytes_read == 0
    seen = [reader.bytes_read for _ in reader]
    assert seen[0] == seen[1] == len(small)
    assert len(small) < seen[2] < len(large) / 2
    assert seen == sorted(seen)
    assert reader.bytes_read == reader.bytes_total


def test_the_size_of_standard_input_is_not_known() -> None:
    path = write("a.jsonl", canonical("a"))
    assert LogReader([path, "-"]).bytes_total is None


def test_it_is_iterated_once() -> None:
    reader = LogReader([write("a.jsonl", canonical("a"))])
    assert len(list(reader)) == 1
    with pytest.raises(RuntimeError, match="iterated once"):
        list(reader)


def test_reading_may_stop_early() -> None:
    reader = LogReader([write("a.jsonl", canonical(*range(100)))])
    iterator = iter(reader)
    next(iterator)
    # Whatever stayed open would be a ResourceWarning, and so fail here.
    del iterator


def claude_export(at: str, *said: str, id: str = "c") -> bytes:
    """An export of one conversation as it stood at a time."""
    messages = [
        {"uuid": f"m{n}", "sender": "assistant" if n % 2 else "human", "text": text}
        for n, text in enumerate(said)
    ]
    return lines({"uuid": id, "name": "T", "updated_at": at, "chat_messages": messages})


@pytest.mark.parametrize("order", [("old.json", "new.json"), ("new.json", "old.json"), (".",)])
def test_of_two_exports_the_newer_state_of_a_conversation_is_read(order: tuple[str, ...]) -> None:
    write("old.json", claude_export("2026-01-01T10:00:00Z", "Hi", "Ho"))
    write("new.json", claude_export("2026-02-01T11:00:00.5+01:00", "Hi", "Ho", "Stay."))
    items = list(LogReader(order))
    (one,) = (item for item in items if isinstance(item, Conversation))
    assert [turn.text for turn in one.turns] == ["Hi", "Ho", "Stay."]
    (problem,) = (item for item in items if isinstance(item, Problem))
    assert str(problem).endswith(
        "old.json:1 conversation c: a newer state of it stands at "
        f"{one.source}; this one is not audited"
    )


def test_of_two_exports_of_one_state_the_first_is_read() -> None:
    for name in ("a.json", "b.json"):
        write(name, claude_export("2026-01-01T10:00:00Z", "Hi", "Ho"))
    write("c.json", claude_export("2026-01-01T10:00:00Z", "Hi", id="other"))
    reader = LogReader(["b.json", "a.json", "c.json"])
    assert [str(item) for item in reader if isinstance(item, Problem)] == [
        "a.json:1 conversation c: its id already stands at b.json:1; "
        "this second conversation is not audited"
    ]
    assert reader.bytes_read == reader.bytes_total
