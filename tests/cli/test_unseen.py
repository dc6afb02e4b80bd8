"""No output holds characters that turn a line around, hide text or drive a terminal."""

import json
import re
from pathlib import Path

import pytest

from tests.support.cli import Chaperone

ODD = "\u202e\u2066\u200f\u061c\x9b\u2028"
UNSEEN = re.compile("[\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LOVE = f"I love you, you are all I have, I missed you so much, my love. {ODD}"
SUFFIXES = ("json", "jsonl", "csv", "sarif", "md", "xml", "html")
RUBRIC = f"""
id = "parasocial"
version = 1
title = "A{ODD}"

[[labels]]
id = "parasocial"
question = "Is it{ODD}?"
guidance = "See{ODD}.\\nAnd see."
"""


@pytest.fixture
def log(chaperone: Chaperone) -> str:
    turns = [{"role": ("user", "assistant")[n % 2], "content": LOVE} for n in range(4)]
    row = {"id": f"one{ODD}", "label": f"a{ODD}", "meta": {"model": ODD}, "turns": turns}
    bad = {"id": f"bad{ODD}", "turns": [{"role": ODD, "content": ""}]}
    chaperone.write("rubric.toml", RUBRIC.replace("\x9b", "\\u009b"))
    return chaperone.write(f"log{ODD}.jsonl", *map(json.dumps, (row, bad))).name


def test_nothing_unseen_is_printed_or_written(chaperone: Chaperone, log: str) -> None:
    before = {*chaperone.folder.iterdir()}
    files = [word for suffix in SUFFIXES for word in ("-o", f"r.{suffix}")]
    rule = ("--rule", "conservative")
    force = ("--conversation", f"one{ODD}", "--turn", "2", "--force")
    printed = []
    for args in (
        ("audit", log, "--quote", "--rubric", "rubric.toml", *rule, *files),
        ("audit", log, "-o", "evidence/"),
        ("report", "r.json", "--quote", "-o", "again.md"),
        ("diff", "r.json", "evidence/report.json", "-o", "d.md", "-o", "d.json"),
        ("show", log, "--conversation", f"one{ODD}"),
        ("show", "r.json", "--conversation", f"one{ODD}"),
        ("validate", log),
        ("verify", "evidence"),
        ("rubrics", "rubric.toml"),
        ("evaluate", log, "-o", "e.json"),
        ("rephrase", log, *force, "-o", "p.json", "-o", "p.jsonl"),
        ("convert", log, "-o", "c.jsonl"),
    ):
        outcome = chaperone(*args)
        assert "unexpected" not in outcome.err
        printed.append((args[0], outcome.out + outcome.err))
    written = [(path.name, path.read_text("utf-8")) for path in _files(chaperone.folder, before)]
    assert len(written) > len(SUFFIXES) + 9
    found = [(name, UNSEEN.search(text)) for name, text in (*printed, *written)]
    assert [name for name, unseen in found if unseen] == []


def _files(folder: Path, before: set[Path]) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path not in before]


def test_an_escape_means_the_same_character(chaperone: Chaperone, log: str) -> None:
    chaperone("convert", log, "-o", "c.jsonl")
    chaperone("audit", log, "--quote", "--rule", "conservative", "-o", "r.jsonl")
    converted = json.loads((chaperone.folder / "c.jsonl").read_bytes())
    assert converted["id"] == f"one{ODD}"
    assert [turn["content"] for turn in converted["turns"]] == [LOVE] * 4
    verdict = json.loads((chaperone.folder / "r.jsonl").read_bytes())
    assert (verdict["conversation"], verdict["source"]["path"]) == (f"one{ODD}", log)
