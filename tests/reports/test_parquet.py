"""Parquet: the table of the CSV report, typed, written in bounded pieces."""

import csv
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.domain.conversation import Conversation, Side, Source
from chaperone_cli.domain.verdict import ScreenedTurn
from chaperone_cli.errors import UsageError
from chaperone_cli.reports.csv_file import CsvReporter
from chaperone_cli.reports.parquet_file import ROW_GROUP, ParquetReporter
from tests.reports.hostile import NAMES, SPAN, blocked, empty, undecided
from tests.reports.runs import Judged, header, report, thirty

parquet = pytest.importorskip("pyarrow.parquet")
NOBODY = Conversation("c", (), Source("a.jsonl", 1))


def rows(folder: Path, run: list[Judged]) -> list[dict[str, Any]]:
    path = folder / "report.parquet"
    report(ParquetReporter(path), header(), run)
    found: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return found


def spelled(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_it_is_the_table_of_the_csv_report(tmp_path: Path) -> None:
    run = [*[*thirty(header())][::2], Judged(NOBODY, empty("e"), {})]
    report(CsvReporter(tmp_path / "report.csv"), header(), run)
    with (tmp_path / "report.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    found = rows(tmp_path, run)
    assert [{name: spelled(value) for name, value in row.items()} for row in found] == table


def test_columns_are_typed(tmp_path: Path) -> None:
    screened = replace(empty("s"), screened_out=(ScreenedTurn(1, Side.PROMPT),))
    judged = [
        Judged(NOBODY, blocked("c"), {SPAN: "I miss you"}),
        Judged(NOBODY, empty("e"), {}),
        Judged(NOBODY, screened, {}),
    ]
    assert rows(tmp_path, judged)[1:] == [
        {
            **{"conversation": "c", "path": "a.jsonl", "line": 1, "label": None, "turn": 2},
            **{"side": "response", "verdict": "block", "score": 3, "yes": 3, "no": 0},
            **{"abstain": 0, "votes": "1 1 1", "first_block": True},
            **{"cues": "attachment distress", "quote": "I miss you"},
            **{
                "screened_out": False,
                "evidence_turn": 1,
                "evidence_side": "prompt",
                "partial": False,
            },
        },
        {
            **{"conversation": "e", "path": "a.jsonl", "line": 3, "label": None, "turn": None},
            **{"side": None, "verdict": None, "score": 0, "yes": 0, "no": 0},
            **{"abstain": 0, "votes": "", "first_block": False, "cues": "", "quote": None},
            **{
                "screened_out": False,
                "evidence_turn": None,
                "evidence_side": None,
                "partial": False,
            },
        },
        {
            **{"conversation": "s", "path": "a.jsonl", "line": 3, "label": None, "turn": 1},
            **{"side": "prompt", "verdict": None, "score": None, "yes": None, "no": None},
            **{"abstain": None, "votes": None, "first_block": False, "cues": "", "quote": None},
            **{
                "screened_out": True,
                "evidence_turn": None,
                "evidence_side": None,
                "partial": False,
            },
        },
    ]


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_as_they_are(tmp_path: Path, name: str) -> None:
    (row,) = rows(tmp_path, [Judged(NOBODY, undecided(name), {})])
    assert row["conversation"] == name.replace("\ud800", "\\ud800")


def test_rows_are_written_in_groups(tmp_path: Path) -> None:
    many = replace(blocked("c"), turns=blocked("c").turns * 500)
    assert len(rows(tmp_path, [Judged(NOBODY, many, {})] * 45)) == 45_000
    groups = parquet.ParquetFile(tmp_path / "report.parquet").metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [
        ROW_GROUP,
        ROW_GROUP,
        45_000 - 2 * ROW_GROUP,
    ]


def test_equal_verdicts_give_equal_bytes(tmp_path: Path) -> None:
    run = [*thirty(header())]
    for name in "ab":
        report(ParquetReporter(tmp_path / name), header(), run)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_missing_pyarrow_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UsageError) as caught:
        ParquetReporter(Path("turns.parquet"))
    assert caught.value.message == (
        "turns.parquet: writing Parquet needs pyarrow, which is not installed"
    )
    assert "chaperone-cli[parquet]" in caught.value.hint
