"""Flat rows: conversations put together again from rows in any order of conversations."""

import subprocess
import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from tests.readers.reading import conversations, lines, read, write


def row(of: object, content: object, role: str = "user", **more: object) -> dict[str, Any]:
    return {"conversation_id": of, "role": role, "content": content, **more}


def test_interleaved_rows_are_grouped_in_order_of_first_appearance() -> None:
    path = write(
        "a.jsonl",
        lines(
            row("b", "one"),
            row(7, "uno"),
            row("b", "two", "assistant", name="Bot", at="2026-01-02", id=3),
            row("b", "", "assistant"),
            row("c", None, "system"),
            row("7", [{"type": "image"}], "assistant"),
            row("b", "three", cues=["ignored"]),
        ),
    )
    said = Message(Role.ASSISTANT, "two", "3", "Bot", "2026-01-02", 3)
    assert conversations(path) == [
        Conversation(
            "b",
            (Message(Role.USER, "one", place=1), said, Message(Role.USER, "three", place=7)),
            Source("a.jsonl", 1),
            blank_turns=1,
        ),
        Conversation(
            "7",
            (Message(Role.USER, "uno", place=2), Message(Role.ASSISTANT, "[image]", place=6)),
            Source("a.jsonl", 2),
            placeholders=1,
        ),
        Conversation("c", (), Source("a.jsonl", 5)),
    ]


def test_facts_come_from_the_first_row_that_has_them() -> None:
    path = write(
        "a.jsonl",
        lines(
            row("b", "one", label=None),
            row("b", "two", label="parasocial", onset=2.0, meta={"app": "x"}),
            row("b", "three", label="neutral", onset=3, meta={"app": "y"}),
        ),
    )
    (conversation,) = conversations(path)
    assert conversation.label == "parasocial"
    assert conversation.onset == 2
    assert conversation.meta == {"app": "x"}


def test_a_defective_row_spoils_its_conversation_and_no_other() -> None:
    path = write(
        "a.jsonl",
        lines(
            row("b", "one"),
            row("c", "one"),
            row("b", "two", "ai", onset="x"),
            row("b", "three"),
            row(None, "four"),
            row("d", 5),
        )
        + b'{"conversation_id": "c", "role"\n',
    )
    roles = "expected user, assistant, system, tool or event"
    lost = "its whole conversation is not audited"
    assert read(path) == [
        "error: a.jsonl:3 conversation b: `role` ai is not known; did you mean assistant? "
        f"{roles}; {lost}",
        "error: a.jsonl:3 conversation b: `onset` is a string; expected a turn's number, from 1, "
        f"or null; {lost}",
        "error: a.jsonl:5: `conversation_id` is null; expected a string that is not empty, "
        "or an integer; this row was left out",
        "error: a.jsonl:6 conversation d: `content` is a number; expected a string, a list of "
        f"parts or null; {lost}",
        "error: a.jsonl:7: is not valid JSON at column 32: unexpected end of data; "
        "expected one JSON object a line",
        "c @ a.jsonl:2",
    ]


@given(st.lists(st.tuples(st.integers(0, 4), st.text("ab", max_size=2)), max_size=40))
def test_grouping_is_what_a_dictionary_would_do(said: list[tuple[int, str]]) -> None:
    expected: dict[str, list[str]] = {}
    for id_, text in said:
        expected.setdefault(str(id_), [])
        expected[str(id_)] += [text] if text else []
    path = write("p.jsonl", lines(*(row(id_, text) for id_, text in said)) or b"\n")
    if said:
        found = conversations(path)
        assert [(c.id, [m.text for m in c.messages]) for c in found] == list(expected.items())


def test_more_conversations_than_are_kept_in_memory_at_once() -> None:
    many = 20_000
    documents = [row(number, f"{part}") for part in range(2) for number in range(many)]
    found = conversations(write("a.jsonl", lines(*documents)))
    assert [(c.id, c.source.line, [m.text for m in c.messages]) for c in found] == [
        (str(number), number + 1, ["0", "1"]) for number in range(many)
    ]


def test_a_full_temporary_folder_ends_the_run_with_advice() -> None:
    path = write("a.jsonl", lines(*(row(number % 50, "x" * 1000) for number in range(8000))))
    program = (
        "import resource, sys\n"
        "from chaperone_cli.errors import InputError\n"
        "from chaperone_cli.readers import LogReader\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "try: list(LogReader(sys.argv[1:]))\n"
        "except InputError as error: print(error.message, error.hint, sep='\\n')\n"
    )
    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    message, hint = run.stdout.splitlines()
    assert message.startswith("the temporary folder cannot hold the log while it is read: ")
    assert hint == (
        "free some disk space, or set SQLITE_TMPDIR to a folder with room for the whole log"
    )
