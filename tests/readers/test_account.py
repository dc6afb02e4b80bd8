"""Every character of text in a log is kept, left out for a named reason, or told of as lost."""

import csv
import re
import zipfile
from collections.abc import Iterator
from io import StringIO
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


def records(path: Path) -> Iterator[object]:
    """The records of a log of which everything is kept: lines of JSON, rows, lines of text."""
    text = path.read_text()
    if path.suffix == ".csv":
        yield from csv.DictReader(StringIO(text))
    elif path.suffix == ".txt":
        yield {"text": re.sub(r"^(\w+:|-+$)", "", text, flags=re.MULTILINE)}
    else:
        for document in map(orjson.loads, text.splitlines()):
            yield document.get("turns", document)  # what else there is says something about them


def told(path: Path, branches: Branches = Branches.LAST) -> tuple[Account, list[Problem]]:
    """What becomes of the text in a file, over all the logs in it."""
    whole, problems = Account(), []
    for log in logs(path, branches):
        found = choose_format(log.head, None)
        assert isinstance(found, Format), found
        items = list(found.read(log))
        account = log.account
        if not account.seen:  # it is counted only where something may be left out
            texts = [
                m.text for item in items if isinstance(item, Conversation) for m in item.messages
            ]
            for record in records(path):
                account.take(record, texts, 1)
        whole.seen += account.seen
        whole.left.update(account.left)
        whole.lost.update(account.lost)
        problems += [item for item in items if isinstance(item, Problem)]
    return whole, problems


SAMPLES = [path for path in sorted(EXPORTS.iterdir()) if path.suffix != ".parquet"]
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
    others = {"rows", "sillytavern", "csv", "text", "parquet"}
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
