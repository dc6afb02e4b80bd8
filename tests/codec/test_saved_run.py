"""Saved runs read back a line at a time: the same as read whole, and damage is said."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from chaperone_cli.codec import report
from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.saved_run import AnyReport, ReportLines, SavedRun, VerdictLines, open_run
from chaperone_cli.codec.schemas import schema
from chaperone_cli.domain.problem import Problem
from chaperone_cli.errors import InputError
from tests.codec.saved import REPORTS

EXAMPLE: dict[str, Any] = schema("report.v1")["examples"][0]


def laid_out(document: dict[str, Any]) -> str:
    """Gives a report in the lines that the JSON reporter writes."""

    def lines(key: str) -> str:
        rows = ",\n".join(json.dumps(row) for row in document[key])
        return f'"{key}": [\n{rows}\n],\n' if rows else f'"{key}": [\n],\n'

    return (
        f'{{\n"schema": "report.v1",\n"run": {json.dumps(document["run"])},\n'
        f"{lines('conversations')}{lines('problems')}"
        f'"summary": {json.dumps(document["summary"])},\n'
        f'"usage": {json.dumps(document["usage"])}\n}}\n'
    )


def whole(run: SavedRun) -> report.Report:
    items = list(run)
    assert run.header
    assert run.summary
    assert run.usage
    return report.Report(
        run.header,
        tuple(item for item in items if not isinstance(item, Problem)),
        tuple(item for item in items if isinstance(item, Problem)),
        run.summary,
        run.usage,
    )


@given(REPORTS)
def test_lines_and_whole_documents_read_the_same(saved: report.Report) -> None:
    import tempfile

    document = report.encode(saved)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_text(laid_out(document))
        in_lines = open_run(path)
        assert isinstance(in_lines, ReportLines)
        assert whole(in_lines) == saved
        for layout in (
            dumps(document).decode(),
            json.dumps(document, sort_keys=True, ensure_ascii=False),
            json.dumps(document, indent=2),
        ):
            path.write_text(layout, "utf-8")
            otherwise = open_run(path)
            assert isinstance(otherwise, AnyReport)
            assert whole(otherwise) == saved
        path.write_text("".join(f"{json.dumps(row)}\n" for row in document["conversations"]))
        if saved.conversations:
            lines = open_run(path)
            assert isinstance(lines, VerdictLines)
            assert lines.header is None
            assert tuple(lines) == saved.conversations


def test_a_run_can_be_read_twice(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(laid_out(EXAMPLE))
    run = open_run(path)
    assert list(run) == list(run)


def test_a_file_without_verdicts_is_a_run_by_its_suffix(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    assert list(open_run(tmp_path / "none.jsonl")) == []
    (tmp_path / "none.json").touch()
    with pytest.raises(InputError, match="not JSON"):
        open_run(tmp_path / "none.json")


DAMAGE = [
    (lambda lines: lines[:6], "report.json:7: expected more lines: the report was cut off"),
    (lambda lines: lines[:-1], "report.json:12: expected more lines: the report was cut off"),
    (lambda lines: [*lines, "x\n"], "report.json:12: expected nothing after the end"),
    (lambda lines: [*lines[:4], "{\n", *lines[5:]], "report.json:5: not JSON from line 1"),
    (lambda lines: [*lines[:9], *lines[10:]], "report.json:10: expected the key summary"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGE)
def test_damage_is_said_where_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Any, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = laid_out(EXAMPLE).splitlines(keepends=True)
    Path("report.json").write_text("".join(damage(lines)))
    with pytest.raises(InputError) as caught:
        list(open_run(Path("report.json")))
    assert caught.value.message.startswith(message)
    assert caught.value.hint


def test_a_missing_file_is_said() -> None:
    with pytest.raises(InputError, match=r"^none\.json: the saved run cannot be read: No such"):
        open_run(Path("none.json"))
