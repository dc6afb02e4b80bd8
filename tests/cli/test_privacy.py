"""No twenty characters of any turn in any output of any format, unless quotes were asked for."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest

from chaperone_cli.reports import FILE_REPORTERS
from tests.support.cli import Chaperone

WIDTH = 20
FILES = [f"out{suffix}" for suffix in FILE_REPORTERS]
QUOTING = set(FILE_REPORTERS)
DAMAGED = (
    # What cannot be read must not be quoted by whoever complains of it.
    '{"id": "x1", "turns": [{"role": "user says a lot of private things", "content": "y"}]}',
    '{"id": "x2", "turns": [{"role": "user", "content": {"text": "my very private confession"}}]}',
    '{"id": "x3", "turns": "all of this is my very private confession"}',
    "this is no JSON but my very private confession",
)
SECRETS = ("user says a lot of private things", "my very private confession")


def grams(text: str) -> set[str]:
    return {text[start : start + WIDTH] for start in range(len(text) - WIDTH + 1)}


def spell(path: Path) -> str:
    if path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        return str(parquet.read_table(path).to_pylist())
    return path.read_text("utf-8") + inflated(path.read_bytes())


def inflated(data: bytes) -> str:
    """Gives what a file carries in compressed form, as far as base64 of deflate can hide it."""
    found = []
    for packed in re.findall(rb"[A-Za-z0-9+/]{64,}={0,2}", data):
        for window in (15, -15, 31):
            try:
                found.append(zlib.decompress(base64.b64decode(packed), window))
            except (zlib.error, ValueError):
                continue
    return b"".join(found).decode("utf-8", "replace")


@pytest.fixture
def secret(chaperone: Chaperone, samples: Path) -> set[str]:
    lines = (samples / "thirty.jsonl").read_text("utf-8").splitlines()
    chaperone.write("log.jsonl", *lines, *DAMAGED)
    texts = [turn["content"] for line in lines for turn in json.loads(line)["turns"]]
    return {gram for text in [*texts, *SECRETS] for gram in grams(text)}


def outputs(chaperone: Chaperone, *quote: str) -> dict[str, str]:
    """Runs every command that puts something out, and gives all that it put out."""
    told = {}
    wide = {"COLUMNS": "400"}
    named = [word for name in [*FILES, "evidence/"] for word in ("-o", name)]
    runs = {
        "audit": ("audit", "log.jsonl", "--all-votes", *quote, *named),
        "compare": (
            *("audit", "log.jsonl", "--rule", "1", *quote),
            *("--baseline", "out.json", "--changes", "changes.json", "--changes", "changes.md"),
        ),
        "diff": ("diff", "out.json", "out.jsonl", "-o", "diff.json", "-o", "diff.md"),
        "report": ("report", "out.json", *quote, *(w for n in FILES for w in ("-o", f"2{n}"))),
        "validate": ("validate", "log.jsonl"),
        "verify": ("verify", "evidence"),
        "show": ("show", "2out.json", "--conversation", "parasocial-01"),
    }
    for name, args in runs.items():
        outcome = chaperone(*args, env=wide)
        assert outcome.code != 1, outcome.err
        told[f"{name} stdout"], told[f"{name} stderr"] = outcome.out, outcome.err
    written = [path for path in chaperone.folder.rglob("*") if path.is_file()]
    logs = {"log.jsonl"}
    return told | {path.name: spell(path) for path in written if path.name not in logs}


def leaking(told: dict[str, str], secret: set[str]) -> set[str]:
    return {name for name, shown in told.items() if not secret.isdisjoint(grams(shown))}


def test_no_text_leaves_without_being_asked_for(chaperone: Chaperone, secret: set[str]) -> None:
    told = outputs(chaperone)
    assert leaking(told, secret) == set()
    assert {*FILES, "manifest.json", "changes.json", "changes.md", "diff.json"} <= set(told)


def test_quotes_come_into_every_format_only_when_asked_for(
    chaperone: Chaperone, secret: set[str]
) -> None:
    told = outputs(chaperone, "--quote")
    leaked = leaking(told, secret)
    assert {f"out{suffix}" for suffix in QUOTING} <= leaked
    assert "audit stdout" in leaked
    assert not {name for name in leaked if name.endswith("stderr")}
    assert leaked.isdisjoint({"manifest.json", "changes.json", "diff.json", "changes.md"})


def test_a_saved_run_with_quotes_shows_none_unless_asked(
    chaperone: Chaperone, secret: set[str]
) -> None:
    chaperone("audit", "log.jsonl", "--quote", "-o", "quoted.json")
    outcome = chaperone("report", "quoted.json", *(word for name in FILES for word in ("-o", name)))
    told = {name: spell(chaperone.folder / name) for name in FILES}
    assert leaking(told | {"out": outcome.out, "err": outcome.err}, secret) == set()
