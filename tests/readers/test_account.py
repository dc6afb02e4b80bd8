"""Every character of text in a log is kept, left out for a named reason, or told of as lost."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers import FORMATS, LogReader
from chaperone_cli.readers.account import Account
from chaperone_cli.readers.archive import Member, members
from chaperone_cli.readers.formats import choose_format, is_recognised
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.streams import open_stream
from tests.readers.reading import lines, read, write
from tests.readers.transcripts import EXPORTS

ROOT = EXPORTS.parents[1]
COLLECTED = ROOT.parent / "shared" / "formats"
"""Exports of other projects, which may lie beside a checkout and are in none."""
KINDS = {"alternative", "attachment", "branch", "definition", "deleted", "metadata", "rendering",
         "repetition", "score", "step"}  # fmt: skip

LEFT_OUT: dict[str, dict[str, int]] = {
    "characterai-turns.json": {"alternative": 9},
    "chatgpt.json": {"branch": 33},
    "chatgpt.zip": {"branch": 33},
    "claude.json": {"branch": 3, "rendering": 12},
    "claude.zip": {"branch": 3, "rendering": 12},
    "oasst.jsonl": {"branch": 10, "deleted": 5},
    "otel.json": {"alternative": 16},
    "sillytavern.jsonl": {"alternative": 8},
}
"""What is left out of the sample exports; the others are kept whole."""


def logs(path: Path, branches: Branches) -> Iterator[Log]:
    """Every log in a file, unread."""
    if zipfile.is_zipfile(path):
        for member in members(str(path), lambda _: None):
            assert isinstance(member, Member)
            log = Log(member.name, member.stream, branches=branches)
            if is_recognised(log.head, None):
                yield log
    else:
        with open_stream(path.open("rb", buffering=0), lambda _: None, close=True) as stream:
            yield Log(str(path), stream, branches=branches)


def told(path: Path, branches: Branches = Branches.LAST) -> tuple[Account, list[Problem]]:
    """What becomes of the text in a file, over all the logs in it."""
    whole, problems = Account(), []
    for log in logs(path, branches):
        found = choose_format(log.head, None)
        assert isinstance(found, Format), found
        items = list(found.read(log))
        whole.include(log.account)
        problems += [item for item in items if isinstance(item, Problem)]
    return whole, problems


SAMPLES = sorted(EXPORTS.iterdir())
DIALOGUES = [path for path in sorted(EXPORTS.parent.glob("*.jsonl")) if ".votes" not in path.name]


@pytest.mark.parametrize("path", [*SAMPLES, *DIALOGUES], ids=lambda path: path.name)
def test_every_character_of_a_sample_is_accounted_for(path: Path) -> None:
    account, problems = told(path)
    left = LEFT_OUT.get(path.name, {})
    assert (account.left, account.lost, problems) == (left, {}, [])
    assert account.seen > 0
    assert account.kept == account.seen - sum(left.values())
    everything, _ = told(path, Branches.ALL)
    assert everything.left == {kind: n for kind, n in left.items() if kind != "branch"}


def collected() -> list[Path]:
    found = COLLECTED.rglob("*") if COLLECTED.is_dir() else []
    return sorted(path for path in found if path.is_file() and path.suffix != ".md")


SYNTHETIC = {
    "polylogue_schema_representative-00.json": {"content": 145, "text": 56, "parts": 51},
}
"""Made by a generator that fills every key there is, so that a text message holds what none has."""


@pytest.mark.skipif(not collected(), reason=f"there are no exports to try in {COLLECTED}")
@pytest.mark.parametrize("branches", Branches)
def test_every_character_of_a_collected_export_is_accounted_for(branches: Branches) -> None:
    for path in collected():
        for log in logs(path, branches):
            found = choose_format(log.head, None)
            if isinstance(found, str):
                assert "unknown kind" in found, path
                continue
            items = list(found.read(log))
            account = log.account
            assert account.lost == SYNTHETIC.get(path.name, {}), path
            assert account.left.keys() <= KINDS - (
                {"branch"} if branches is Branches.ALL else set()
            )
            assert bool(account.kept) == bool(account.seen), path
            assert any(isinstance(item, Conversation) for item in items), path


UNREAD = "I would rather stay with you."
NODE: dict[str, Any] = {"id": "n", "parent": None, "children": []}
RECORDS: dict[str, Any] = {
    "canonical": {"id": "c", "turns": [], "dialogue": [{"who": "user", "said": UNREAD}]},
    "rows": {"conversation_id": "c", "role": "user", "content": "", "dialogue": UNREAD},
    "chatgpt": {"id": "c", "mapping": {"n": NODE}, "dialogue": UNREAD},
    "claude": {"uuid": "c", "chat_messages": [], "dialogue": UNREAD},
    "sharegpt": {"id": "c", "conversations": [], "dialogue": UNREAD},
    "openai": {"id": "c", "messages": [], "dialogue": UNREAD},
    "oasst": {"message_tree_id": "c", "prompt": {
        "message_id": "c", "role": "prompter", "text": "", "words": UNREAD}},
    "langsmith": {"id": "c", "run_type": "llm", "inputs": {"said": {"dialogue": UNREAD}}},
    "langfuse": {"id": "c", "observations": [], "input": {"said": {"dialogue": UNREAD}}},
    "otel": {"traceId": "c", "attributes": {"gen_ai.input.messages": [], "dialogue": UNREAD}},
    "characterai": {"id": "c", "turns": [{"candidates": []}], "dialogue": UNREAD},
    "inspect": {"uuid": "c", "epoch": 1, "input": "", "messages": [], "dialogue": UNREAD},
}  # fmt: skip
"""Records that are of a format, and say what they say where it is not expected."""


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_of_which_no_text_is_kept_is_a_problem(name: str) -> None:
    write("a.jsonl", b"\n" + lines(RECORDS[name]))
    items = list(LogReader(["a.jsonl"], format=name))
    problems = [item for item in items if isinstance(item, Problem)]
    assert problems, items
    assert {(problem.path, problem.line) for problem in problems} == {("a.jsonl", 2)}
    # Unknown keys of a canonical log are ignored by its contract.
    severities = {problem.severity for problem in problems}
    assert ("warning" if name == "canonical" else "error") in severities
    assert all(UNREAD not in problem.message for problem in problems)
    assert name == "canonical" or not any(isinstance(item, Conversation) for item in items)


def test_every_format_of_json_has_a_record_that_is_tried() -> None:
    others = {"sillytavern", "csv", "text", "parquet"}
    assert RECORDS.keys() | others == FORMATS.keys()


def test_what_is_said_of_it() -> None:
    write("a.jsonl", lines(RECORDS["openai"]))
    assert read("a.jsonl") == [
        "error: a.jsonl:1 conversation c: 29 characters of text under `dialogue` became neither "
        "turn nor context; it is not audited"
    ]
    heard = {**RECORDS["openai"], "messages": [{"role": "user", "content": "Hi"}]}
    write("a.jsonl", lines({**heard, "id": "a", "dialogue": "Hi"}, heard, {**heard, "id": "d"}))
    assert read("a.jsonl") == [
        "a @ a.jsonl:1",
        "c @ a.jsonl:2",
        "d @ a.jsonl:3",
        "warning: a.jsonl:2: 58 characters of text under `dialogue` became neither turn nor "
        "context, here first",
    ]


def test_a_message_that_says_something_elsewhere_spoils_its_conversation() -> None:
    silent = {"role": "assistant", "content": "", "words": UNREAD}
    write("a.jsonl", lines({"id": "c", "messages": [{"role": "user", "content": "Hi"}, silent]}))
    expected = (
        "says nothing where words are expected, and holds 29 characters of text under `words`"
    )
    assert read("a.jsonl")[0] == (
        f"error: a.jsonl:1 conversation c: entry 2 {expected}; this conversation is not audited"
    )
    rows = [{"conversation_id": "c", **silent}, {"conversation_id": "c", "role": "user",
                                                 "content": "Hi"}]  # fmt: skip
    write("r.jsonl", lines(*rows))
    assert read("r.jsonl") == [
        f"error: r.jsonl:1 conversation c: {expected}; its whole conversation is not audited"
    ]
    write("t.csv", f"role,content,words\nuser,Hi\nassistant,,{UNREAD}\nuser,\n".encode())
    assert read("t.csv")[1:] == [
        f"error: t.csv:3 conversation t.csv: {expected}; its whole conversation is not audited"
    ]
    heads = {"user_name": "U", "character_name": "C"}
    write("s.jsonl", lines(heads, {"mes": "", "is_user": False, "words": UNREAD}))
    assert read("s.jsonl") == [
        f"error: s.jsonl:1 conversation s.jsonl#1: entry 2 {expected}; "
        "this conversation is not audited"
    ]


def test_of_alternatives_one_must_be_kept() -> None:
    turns = [{"candidates": [{"candidate_id": "1", "raw_content": "Hi there"},
                             {"candidate_id": "2", "raw_content": "Hello you"}]}]  # fmt: skip
    account = Account()
    assert account.take({"turns": turns}, ["Hi there"], 1) == {}
    assert (account.seen, account.kept, account.left) == (17, 8, {"alternative": 9})
    assert Account().take({"turns": turns}, ["Something else"], 1) == {"raw_content": 17}


TEXTS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), min_size=1)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5), st.booleans())
def test_a_lost_reply_is_always_noticed(said: list[tuple[str, str]], nested: bool) -> None:
    record: object = [{"content": asked, "words": f"my reply {reply}"} for asked, reply in said]
    record = {"log": orjson.dumps(record).decode() if nested else record}
    asked = [one for one, _ in said]
    lost = Account().take(record, asked, 1)
    assert ("words" in lost) == any(
        f"my reply {reply}".strip() not in "\n".join(asked) for _, reply in said
    )
    assert Account().take(record, [*asked, *(f"my reply {reply}" for _, reply in said)], 1) == {}


def test_standard_input_counts_the_same() -> None:
    data = lines(RECORDS["claude"])
    assert read("-", stdin=data) == [
        "error: -:1 conversation c: 29 characters of text under `dialogue` became neither turn "
        "nor context; it is not audited"
    ]


HI = {"role": "user", "content": "Hi"}
THOUGHT = {"type": "thinking", "thinking": UNREAD}
CALL = {"type": "tool_use", "input": {"text": UNREAD}}
PICTURE = {"type": "image", "alt": UNREAD}
UNKNOWN = {"type": "markdown", "text": UNREAD}


def parts(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


@pytest.mark.parametrize("rows", [False, True])
def test_text_that_is_no_part_of_the_contract_is_explained_or_told(rows: bool) -> None:
    turns = [
        {**HI, "at": "2026-01-01", "id": 7, "name": "U"},
        parts({"type": "text", "text": "Ho"}, THOUGHT, CALL, PICTURE),
        parts({"type": "text", "text": "Ho", "words": UNREAD}),
        parts({"type": "text", "text": "Ho"}, UNKNOWN),
        {**HI, "words": UNREAD},
        {**HI, "text": "Hi", "model": "one of them"},
    ]
    beside = {"label": "a label", "meta": {"text": UNREAD}}
    if rows:
        data = lines(*({"conversation_id": "c", **beside, **turn} for turn in turns))
    else:
        data = lines({"id": "c", "turns": turns, **beside})
    items = list(reader := LogReader([write("a.jsonl", data)]))
    account = reader.account
    assert account.left == {"reasoning": 29, "tool": 29, "placeholder": 29}
    assert account.lost == {"words": 58, "text": 29}
    assert account.kept == len("HiHoHoHoHiHi" + "Hi")
    (problem,) = (item for item in items if isinstance(item, Problem))
    assert str(problem) == (
        f"a.jsonl:{3 if rows else 1}: 87 characters of text under `words`, `text` became neither "
        "turn nor context, here first"
    )


@pytest.mark.parametrize("content", [[THOUGHT], [CALL], [PICTURE], [UNKNOWN], [THOUGHT, PICTURE]])
def test_every_record_of_which_only_placeholders_are_left_is_told(content: list[Any]) -> None:
    number = 29 * len(content)
    clause = f"holds {number} characters of text, none of which became turn or context"
    unknown = "says nothing where words are expected, and holds 29 characters of text under `text`"
    clause = unknown if content == [UNKNOWN] else clause
    write("a.jsonl", lines(*({"id": id_, "turns": [parts(*content)]} for id_ in "ab")))
    assert read("a.jsonl") == [
        f"warning: a.jsonl:1 conversation a: {clause}",
        "a @ a.jsonl:1",
        f"warning: a.jsonl:2 conversation b: {clause}",
        "b @ a.jsonl:2",
    ]


def test_every_export_of_which_only_placeholders_are_left_is_told() -> None:
    messages = [parts({"type": "image_url", "words": UNREAD})]
    write("a.jsonl", lines(*({"id": id_, "messages": messages} for id_ in "ab")))
    lost = "29 characters of text under `words` became neither turn nor context; it is not audited"
    assert read("a.jsonl") == [
        f"error: a.jsonl:1 conversation a: {lost}",
        f"error: a.jsonl:2 conversation b: {lost}",
    ]


TABLES = {
    "role,content,note,prompt": ["user,Hi,29 of these are not heard,or this one"],
    "prompt,response,note,content": ["Hi,Hi,29 of these are not heard,or this one"],
    "role,content,note,note,prompt": ["user,Hi,29 of these,are not heard,or this one"],
}


@pytest.mark.parametrize("header", TABLES)
def test_columns_that_are_not_read_are_told(header: str) -> None:
    write("a.csv", "\n".join([header, *TABLES[header]]).encode())
    items = list(reader := LogReader(["a.csv"]))
    other = header.split(",")[-1]
    note = 24 + ("note,note" not in header)
    assert reader.account.lost == {"note": note, other: 11}
    assert str(items[-1]) == (
        f"a.csv:2: {note + 11} characters of text under `note`, `{other}` became neither turn nor "
        "context, here first"
    )


def test_a_row_that_goes_on_behind_its_columns_spoils_its_conversation() -> None:
    write("a.csv", b"role,content\nuser,Well, I would rather stay\nassistant,Stay,,\n")
    items = list(reader := LogReader(["a.csv"]))
    assert [str(item) for item in items] == [
        "a.csv:2 conversation a.csv: it has more cells than the header; its whole conversation is "
        "not audited"
    ]
    assert (reader.account.kept, reader.account.lost) == (0, {})


def test_a_reply_that_stands_in_another_column_spoils_its_exchange() -> None:
    write("a.csv", f"prompt,response,words\nHi,,{UNREAD}\nHi,Ho,\n".encode())
    assert read("a.csv") == [
        "error: a.csv:2 conversation a.csv#2: says nothing where words are expected, and holds 29 "
        "characters of text under `words`; its whole conversation is not audited",
        "a.csv#3 @ a.csv:3",
    ]


def test_columns_of_parquet_that_are_not_read_are_told() -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = {"prompt": ["Hi"], "response": ["Ho"], "words": [[{"said": UNREAD}]]}
    parquet.write_table(pa.table(table), "a.parquet")
    told = "29 characters of text under `said` became neither turn nor context, here first"
    assert read("a.parquet") == ["a.parquet#1 @ a.parquet:1", f"warning: a.parquet:1: {told}"]


def test_what_is_left_out_as_a_whole_is_not_kept() -> None:
    write("a.txt", b"User: Hi\nBot: caf\xe9\n---\nUser: Ho ho\n")
    write("b.jsonl", lines({"conversation_id": "c", **HI}, {"conversation_id": "c", "role": 1}))
    write("c.jsonl", lines({"id": "c", "turns": [HI, {"role": 1, "content": "Ho ho"}]}))
    for path, kept, left in (("a.txt", 5, 2), ("b.jsonl", 0, 2), ("c.jsonl", 0, 7)):
        list(reader := LogReader([path]))
        assert (reader.account.kept, reader.account.left) == (kept, {"not audited": left})


def test_what_was_said_may_look_like_a_record() -> None:
    said = orjson.dumps({"reply": "caf\u00e9 au lait"}).decode().replace("\u00e9", "\\u00e9")
    write("a.jsonl", lines({"id": "c", "messages": [{"role": "user", "content": said}]}))
    assert read("a.jsonl") == ["c @ a.jsonl:1"]


def test_parts_that_stand_for_the_content_are_counted_once() -> None:
    row = {"conversation_id": "c", "role": "assistant", "content": ""}
    text, thought = {"type": "text", "text": "Hi dear"}, {"type": "reasoning", "text": UNREAD}
    write("a.jsonl", lines({**row, "parts": [thought, text]}))
    items = list(reader := LogReader(["a.jsonl"]))
    assert [type(item) for item in items] == [Conversation]
    assert str(reader.account) == "36 characters of text, all kept"


def test_plain_messages_with_other_text_beside_them_are_told() -> None:
    write("a.jsonl", lines({"id": "c", "turns": [HI, {**HI, "words": UNREAD}]}))
    assert read("a.jsonl") == [
        "c @ a.jsonl:1",
        "warning: a.jsonl:1: 29 characters of text under `words` became neither turn nor context, "
        "here first",
    ]
