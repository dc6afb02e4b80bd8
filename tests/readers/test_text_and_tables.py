"""Plain text with speaker labels, CSV and Parquet."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.reading import read, write
from tests.readers.transcripts import EXPORTS, counts, export, transcript, whole

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


def test_plain_text() -> None:
    first, second = export("chat.txt")
    assert transcript(first) == [
        "1 event: Talk of 3 May, typed up by hand",
        "3 user: Are you there?\n\nIt has been a long day.",
        "6 assistant: I am here.",
        "8 user: Stay.",
        "9 assistant: For as long as the page is open.",
        "11 user: Good.",
    ]
    assert transcript(second) == ["13 user: A new day."]
    assert [first.id, second.id] == [f"{EXPORTS}/chat.txt#1", f"{EXPORTS}/chat.txt#2"]


@pytest.mark.parametrize("label", ["**User:** Hi", "[User]: Hi", "- user: Hi", "> HUMAN : Hi"])
def test_labels_may_be_dressed(label: str) -> None:
    (one,) = whole([write("a.md", f"{label}\nAssistant: Ho\n".encode())])
    assert [turn.text for turn in one.turns] == ["Hi", "Ho"]


def test_a_rule_within_an_utterance_is_a_part_of_it() -> None:
    (one,) = whole([write("a.txt", b"User: one\n---\ntwo\nBot: Ho\n")])
    assert transcript(one) == ["1 user: one\n---\ntwo", "4 assistant: Ho"]


def test_text_that_is_not_utf_8_spoils_its_conversation() -> None:
    write("a.txt", b"User: Hi\nBot: caf\xe9\n---\nUser: Ho\n")
    assert read("a.txt") == [
        "error: a.txt:2: is not UTF-8 at byte 9 of the line; export the log as UTF-8",
        "error: a.txt:1 conversation a.txt#1: one of its lines could not be read; "
        "this conversation is not audited",
        "a.txt#2 @ a.txt:4",
    ]


def test_a_table_of_messages() -> None:
    first, second = export("table.csv")
    assert (first.id, second.id) == ("k1", "k2")
    assert transcript(first) == ['2 user: Two lines,\nsaid "so".', "5 assistant: Heard."]
    assert [message.at for message in first.messages] == [
        "2026-07-01T08:00:00Z",
        "2026-07-01T08:00:05Z",
    ]
    assert transcript(second) == ["4 user: Other talk."]
    assert counts(second) == (1, 1, 0)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_of_exchanges(delimiter: str) -> None:
    data = f"prompt{delimiter}response\nHi{delimiter}Ho\n".encode()
    (one,) = whole([write("a.csv", data)])
    assert transcript(one) == ["2 user: Hi", "2 assistant: Ho"]
    assert one.id == "a.csv#2"


def test_rows_of_a_table_that_cannot_be_read() -> None:
    rows = ["conversation_id,role,content", "a,user,Hi", "b,user", ",user,x", "c,narrator,x",
            "a,assistant,Ho", 'd,user,"x"y', "e,user,caf\xe9"]  # fmt: skip
    write("a.csv", "\n".join(rows).encode("latin-1"))
    whole_lost = "its whole conversation is not audited"
    assert read("a.csv") == [
        f"error: a.csv:3 conversation b: it has fewer cells than the header; {whole_lost}",
        "error: a.csv:4: its conversation id is missing; this row was left out",
        "error: a.csv:5 conversation c: its speaker is not known; "
        f"expected user, assistant or system; {whole_lost}",
        "error: a.csv:7: its quotes or cells are broken (',' expected after '\"'); "
        "this row was left out",
        f"error: a.csv:8 conversation e: it is not UTF-8; export the table as UTF-8; {whole_lost}",
        "a @ a.csv:2",
    ]


def test_a_column_that_may_hold_text_names_no_conversation() -> None:
    secret = "I have never told anyone but you this."
    write("a.csv", f"conversation,role,content\n{secret},narrator,{secret}\n".encode())
    (told,) = read("a.csv")
    assert told.startswith("error: a.csv:2 conversation a.csv#0fe48c99: its speaker is not known")


def test_a_parquet_table() -> None:
    pytest.importorskip("pyarrow")
    (one,) = export("table.parquet")
    assert transcript(one) == ["1 user: Cold today.", "2 assistant: Take a scarf."]
    assert one.id == "p1"


def test_a_parquet_table_of_documents() -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    said = [{"role": "user", "content": "Hi"}]
    parquet.write_table(pa.table({"id": ["a", "b"], "messages": [said, said]}), "a.parquet")
    assert read("a.parquet") == ["a @ a.parquet:1 item 1", "b @ a.parquet:2 item 2"]
    parquet.write_table(pa.table({"x": [1]}), "a.parquet")
    (told,) = read("a.parquet")
    assert told.startswith("error: a.parquet: its columns are named x; expected a table")


def test_a_damaged_parquet_file_is_one_problem() -> None:
    pytest.importorskip("pyarrow")
    write("a.parquet", b"PAR1" + bytes(100))
    assert read("a.parquet") == ["error: a.parquet: this Parquet file is damaged; export it again"]


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), CELLS), min_size=1))
def test_turns_and_their_text_are_kept(said: list[tuple[str, str]]) -> None:
    table = io.StringIO(newline="")
    csv.writer(table).writerows([("role", "content"), *said])
    path = write("a.csv", table.getvalue().encode())
    (one,) = whole([path], format="csv")
    told = [(role, text) for role, text in said if text.strip()]
    assert [(turn.message.role.value, turn.text) for turn in one.turns] == told
    assert one.blank_turns == len(said) - len(told)


def table(*rows: tuple[str, ...]) -> bytes:
    """A CSV as Windows writes it, with a byte order mark."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


HEADER = ("Conversation", "Time", "Author", "Message")


def test_a_table_that_names_its_conversations_and_stands_newest_first() -> None:
    write(
        "a.csv",
        table(
            HEADER,
            ("Sleep", "2026-02-03T09:08:09", "AI", "Sleep well."),
            ("Sleep", "2026-02-03T09:08:09", "Human", "Good night."),
            ("Work", "2026-02-03T08:30:00", "AI", "Go on."),
            ("Sleep", "2026-02-03T08:00:00", "AI", "Warm milk?"),
            ("Sleep", "2026-02-03T08:00:00", "Human", "I cannot sleep."),
            ("Work", "2026-02-03T08:30:00", "Human", "I cannot work."),
        ),
    )
    sleep, work = whole(["a.csv"])
    assert (sleep.id, work.id) == ("a.csv#d766ffd3", "a.csv#6de8ff36")
    assert (sleep.meta, work.meta) == ({"title": "Sleep"}, {"title": "Work"})
    assert transcript(sleep) == [
        "6 user: I cannot sleep.",
        "5 assistant: Warm milk?",
        "3 user: Good night.",
        "2 assistant: Sleep well.",
    ]
    assert transcript(work) == ["4 assistant: Go on.", "7 user: I cannot work."]


def test_speakers_who_go_by_their_names_are_told_of_once_a_conversation() -> None:
    rows = [(talk, "", who, "Hi") for talk in ("t-1", "t-2") for who in ("Ada", "Bo", "Ada")]
    write("a.csv", table(HEADER, *rows, ("t-3", "", "Human", "Hi")))
    unknown = (
        "its speaker is not known; expected user, assistant or system; "
        "its whole conversation is not audited"
    )
    assert read("a.csv") == [
        f"error: a.csv:2 conversation t-1: {unknown}",
        f"error: a.csv:5 conversation t-2: {unknown}",
        "t-3 @ a.csv:8",
    ]


def test_a_table_whose_conversations_are_named_by_no_column_is_worth_a_warning() -> None:
    write("a.csv", table(("Talk", "Author", "Message"), ("1", "user", "Hi"), ("2", "user", "Ho")))
    assert read("a.csv") == [
        "warning: a.csv:1: none of its columns says which conversation a row belongs to, so all "
        "rows are one; not used: Talk",
        "a.csv @ a.csv:2",
    ]
