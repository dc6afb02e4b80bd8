"""JSON that is one list, or spread over lines: streamed, and broken in every way."""

import tracemalloc
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chaperone_cli.codec.conversation import to_line
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers import FORMATS, LogReader
from chaperone_cli.readers.json_opening import completed, parsed
from chaperone_cli.readers.json_split import split
from tests.readers.reading import canonical, read, write
from tests.readers.transcripts import EXPORTS

A, B = canonical("a").strip(), canonical("b").strip()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
NOT_JSON = "item 2 is not valid JSON at character"


@given(st.lists(JSON, max_size=4), st.integers(1, 9), st.booleans())
def test_a_list_is_cut_into_its_items_wherever_chunks_end(
    items: list[Any], size: int, indented: bool
) -> None:
    data = orjson.dumps(items, option=orjson.OPT_INDENT_2 if indented else 0)[1:]
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    pieces = list(split(chunks, 1, len(data)))
    assert [orjson.loads(piece.data or b"") for piece in pieces] == items
    assert [piece.number for piece in pieces] == list(range(1, len(items) + 1))
    lines = [1 + data[: data.find(piece.data or b"")].count(b"\n") for piece in pieces[:1]]
    assert lines == [piece.line for piece in pieces[:1]]


@given(
    st.lists(st.dictionaries(st.text(), JSON, max_size=3), min_size=1, max_size=3),
    st.integers(1, 9),
)
def test_documents_in_a_row_are_told_apart(items: list[Any], size: int) -> None:
    data = b"\n".join(orjson.dumps(item, option=orjson.OPT_INDENT_2) for item in items)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert [orjson.loads(piece.data or b"") for piece in split(chunks, 0, len(data))] == items


@given(st.dictionaries(st.text(), JSON), st.data())
def test_json_that_breaks_off_is_completed(document: dict[str, Any], data: st.DataObject) -> None:
    whole = orjson.dumps(document)
    cut = whole[: data.draw(st.integers(1, len(whole)))]
    assert isinstance(parsed(completed(cut)), dict)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"[%s,{]", "item 2"),
        (b'[%s,{"id":NaN}]', f"{NOT_JSON} 7: NaN and Infinity are not JSON"),
        (b'[%s,{"id":"\\ud83d"}]', f"{NOT_JSON} 8: half of a character's two"),
        (b'[%s,{"id":"\xff"}]', "item 2 is not UTF-8 at character 8 (byte 8 of it)"),
        (b"[%s," + b"[" * 3000 + b"]" * 3000 + b"]", f"{NOT_JSON} 1026: depth limit exceeded"),
        (b"[%s,7]", "item 2 is a number; expected an object"),
        (b"[%s", "its list breaks off in or behind item 1; export the log again"),
        (b'[%s,{"id":"b","tu', "item 2 is not valid JSON"),
    ],
)
def test_a_defect_costs_its_own_item(data: bytes, told: str) -> None:
    write("a.json", data.replace(b"%s", A))
    first, second, *_ = read("a.json")
    assert first.startswith("a @ a.json:1")
    assert second.startswith(f"error: a.json:1: {told}") or second == f"error: a.json: {told}"


def test_what_follows_a_defect_is_read() -> None:
    write("a.json", b"[" + A + b",{]},\n" + B + b"]")
    first, second, third = read("a.json")
    assert (first, third) == ("a @ a.json:1 item 1", "b @ a.json:2 item 3")
    assert second.startswith("error: a.json:1: item 2 is not valid JSON")


def test_an_item_beyond_the_limit_is_left_out_alone() -> None:
    long = orjson.dumps({"id": "l", "turns": [{"role": "user", "content": "x" * 2000}]})
    write("a.json", b"[" + A + b"," + long + b"," + B + b"]")
    assert read("a.json", line_limit=1000) == [
        "a @ a.json:1 item 1",
        "error: a.json:1: item 2 is longer than 1,000 bytes and was left out",
        "b @ a.json:1 item 3",
    ]


def test_a_long_list_takes_little_memory() -> None:
    one = orjson.dumps({"id": "x", "turns": [{"role": "user", "content": "y" * 10_000}]})
    write(
        "a.json", b"[" + b",".join([one.replace(b'"x"', b'"%d"' % n) for n in range(3000)]) + b"]"
    )
    tracemalloc.start()
    assert sum(isinstance(item, Conversation) for item in LogReader(["a.json"])) == 3000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000


SECRETS = [
    said[start : start + 20]
    for said in ("Lovely. You know me better than my sister does.", "It has been a long day.")
    for start in range(len(said) - 19)
]
KEYS = sorted(set().union(*(one.telltale for one in FORMATS.values())))
MORE = ["id", "message", "children", "parent", "content", "text", "author", "kwargs", "data"]
ADVERSE = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text("a{"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, *MORE]), inner, max_size=6)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", [name for name, one in FORMATS.items() if one.telltale])
@settings(max_examples=40)
@given(documents=st.lists(ADVERSE, max_size=3))
@example(documents=[{"messages": [{"role": "user", "content": [[[]]]}]}])
def test_no_json_whatever_breaks_a_reader(name: str, documents: list[Any]) -> None:
    path = write("a.json", orjson.dumps(documents, default=str, option=orjson.OPT_NON_STR_KEYS))
    for item in LogReader([path], format=name):
        assert isinstance(item, Conversation | Problem)


@pytest.mark.parametrize("name", sorted(path.name for path in EXPORTS.iterdir()))
@settings(max_examples=40)
@given(data=st.data())
def test_no_damage_whatever_breaks_a_reader(name: str, data: st.DataObject) -> None:
    whole = bytearray((EXPORTS / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        end = at + data.draw(st.integers(0, 20))
        whole[at:end] = data.draw(st.sampled_from([b"", b"[", b'"', b"{}", b"-1", b"\xff", b"\0"]))
    path = write("a.any", bytes(whole))
    for item in LogReader([path]):
        if isinstance(item, Conversation):
            assert b"\n" in to_line(item)
        else:
            assert not any(secret in str(item) for secret in SECRETS)


@pytest.mark.parametrize(
    "document",
    [
        {"messages": [{"role": "user", "content": "x"}]},
        {"uuid": "x", "chat_messages": [{"sender": "human", "content": "x"}]},
        {"run_type": "llm", "id": "x", "inputs": "x"},
        {"traceId": "x", "input": "x"},
        {"message_id": "x", "role": "prompter", "text": "x", "replies": "x"},
        {"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["x"]}}}}},
    ],
)
@pytest.mark.parametrize("opening", [b"[", b'{"content":', b'[{"type":"tool_use","content":'])
def test_deep_nesting_is_no_crash(document: dict[str, Any], opening: bytes) -> None:
    for depth in (100, 250, 330, 480):
        closing = b"".join(
            {91: b"]", 123: b"}"}[byte] for byte in reversed(opening) if byte in b"[{"
        )
        deep = opening * depth + b"1" + closing * depth
        write("a.json", b"[" + orjson.dumps(document).replace(b'"x"', deep) + b"]")
        assert len(read("a.json")) >= 1
