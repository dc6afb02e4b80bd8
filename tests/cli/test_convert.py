"""`chaperone convert` and the selection of what is audited."""

from pathlib import Path

import orjson
import pytest

from tests.support.cli import Chaperone

EXPORTS = sorted((Path(__file__).parents[2] / "sample_logs" / "formats").iterdir())

CONTRACT = ("id", "turns", "label", "onset", "meta")


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.name)
def test_converting_twice_changes_nothing(chaperone: Chaperone, path: Path) -> None:
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
    first = chaperone("convert", path, "--branches", "all", "-o", "once.jsonl")
    again = chaperone("convert", "once.jsonl", "-o", "twice.jsonl")
    assert (first.code, first.out, again.code, again.out) == (0, "", 0, "")
    once, twice = ((chaperone.folder / name).read_bytes() for name in ("once.jsonl", "twice.jsonl"))
    assert once
    assert once == twice


def test_a_canonical_log_keeps_what_the_contract_knows(chaperone: Chaperone, samples: Path) -> None:
    log = samples / "thirty.jsonl"
    outcome = chaperone("convert", log, "-o", "-")
    kept = []
    for line in log.read_bytes().splitlines():
        whole = orjson.loads(line)
        document = {key: whole[key] for key in CONTRACT if whole.get(key) is not None}
        turns = [{key: turn[key] for key in ("role", "content")} for turn in document["turns"]]
        kept.append({**document, "turns": turns})
    assert [orjson.loads(line) for line in outcome.out.splitlines()] == kept
    assert outcome.err == "wrote 30 conversations with 600 turns to standard output\n"


def test_what_was_lost_is_told(chaperone: Chaperone) -> None:
    path = next(path for path in EXPORTS if path.name == "chatgpt.zip")
    outcome = chaperone("convert", path, "--where", "id=flat*", "-o", "a.jsonl")
    assert outcome.code == 0
    assert outcome.err == (
        "wrote 1 conversation with 2 turns to a.jsonl\n"
        "  1 blank turn skipped\n"
        "  1 conversation left out: 1 by where\n"
    )


def test_a_problem_is_told_and_the_rest_is_written(chaperone: Chaperone) -> None:
    chaperone.write("a.jsonl", '{"id": "a", "turns": []}', "{")
    outcome = chaperone("convert", "a.jsonl", "-o", "b.jsonl")
    assert outcome.code == 3
    assert outcome.err.startswith("error: a.jsonl:2: is not valid JSON")
    assert (chaperone.folder / "b.jsonl").read_text() == '{"id":"a","turns":[]}\n'


@pytest.mark.parametrize("depth", [300, 900])
def test_a_conversation_is_written_even_where_its_meta_cannot_be(
    chaperone: Chaperone, depth: int
) -> None:
    deep = "[" * depth + "]" * depth
    said = '"role": "user", "content": "Hi"'
    chaperone.write("a.jsonl", f'{{"id": "a", "turns": [{{{said}}}], "meta": {{"x": {deep}}}}}')
    chaperone.write("r.jsonl", f'{{"conversation_id": "a", {said}, "meta": {{"x": {deep}}}}}')
    for path, message in (
        ("a.jsonl", "its meta is nested too deeply to be written and is left out"),
        ("r.jsonl", "`meta` is nested too deeply and is left out"),
    ):
        outcome = chaperone("convert", path, "-o", "b.jsonl")
        assert outcome.err.startswith(f"warning: {path}:1 conversation a: {message}\n")
        assert outcome.code == 0
        written = (chaperone.folder / "b.jsonl").read_text()
        assert written == '{"id":"a","turns":[{"role":"user","content":"Hi"}]}\n'


def test_an_audit_of_a_part_says_what_it_left_out(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone(
        "audit", samples / "thirty.jsonl", "--evaluator", "recorded", "--where", "label=parasocial",
        "--limit", "3", "-o", "report.json",
    )  # fmt: skip
    assert outcome.code == 10
    report = orjson.loads((chaperone.folder / "report.json").read_bytes())
    assert report["summary"]["conversations"]["total"] == 3
    left_out = {"where": 0, "since": 0, "until": 0, "undated": 0, "sample": 0, "limited": True}
    assert report["summary"]["left_out"] == left_out
    assert "left out       nothing read behind --limit" in outcome.out


def test_a_sample_is_the_same_each_time(chaperone: Chaperone, samples: Path) -> None:
    def drawn(seed: int) -> str:
        path = samples / "thirty.jsonl"
        return chaperone("convert", path, "--sample", "4", "--seed", str(seed), "-o", "-").out

    assert len(drawn(1).splitlines()) == 4
    assert drawn(1) == drawn(1) != drawn(2)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--since", "soon"], "--since or CHAPERONE_SINCE must be a date or a time as in "),
        (["--where", "model=x"], "cannot select by 'model=x'"),
        (["--format", "xml"], "unknown format 'xml'"),
    ],
)
def test_a_selection_that_means_nothing_is_refused(
    chaperone: Chaperone, args: list[str], told: str
) -> None:
    outcome = chaperone("audit", "a.jsonl", *args)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {told}")
