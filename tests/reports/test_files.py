"""Report files: whole or not there, the same bytes for the same verdicts, and no text unasked."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli import reports
from chaperone_cli.codec import report as codec
from chaperone_cli.codec.fields import Node
from chaperone_cli.codec.schemas import validator
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending, Usage
from chaperone_cli.errors import OutputError, UsageError
from tests.reports.runs import Judged, header, report, thirty

PROBLEMS = [
    Problem(Severity.ERROR, "a.jsonl", "not JSON", 3),
    Problem(Severity.WARNING, "b.jsonl", "a part that is not text", 4, "c-1", 2),
]
SUFFIXES = list(reports.FILE_REPORTERS)
GOLDEN = [".json", ".jsonl", ".csv", ".sarif", ".xml", ".md"]


@cache
def judged(*, all_votes: bool = False) -> list[Judged]:
    return list(thirty(header(all_votes=all_votes)))


def unquoted(run: list[Judged]) -> list[Judged]:
    return [one._replace(quotes={}) for one in run]


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


@pytest.mark.parametrize("all_votes", [False, True])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_json_report_is_valid_and_complete(tmp_path: Path, all_votes: bool, quoted: bool) -> None:
    run = judged(all_votes=all_votes)[::3]
    run = run if quoted else unquoted(run)
    head = header(all_votes=all_votes)
    path = tmp_path / "report.json"

    summary = report(reports.for_path(path), head, run, PROBLEMS)

    validator("report.v1").validate(read(path))
    again = codec.decode(Node.parse(path.read_bytes(), "report.json"))
    assert [saved.verdict for saved in again.conversations] == [one.verdict for one in run]
    assert again.problems == tuple(PROBLEMS)
    assert again.summary == summary
    assert codec.encode(again)["run"] == codec.encode_header(head)
    assert again.usage == Usage(summary.votes_cast, 0, 0.412)
    assert any(saved.quotes for saved in again.conversations) == quoted


def test_a_json_report_has_a_line_for_each_conversation_and_problem(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    report(reports.for_path(path), header(), judged()[:2], PROBLEMS)
    starts = [line[:34] for line in path.read_text("utf-8").splitlines()]
    assert starts == [
        "{",
        '"schema": "report.v1",',
        '"run": {"version":"1.2.3","started',
        '"conversations": [',
        '{"schema":"verdict.v1","conversati',
        '{"schema":"verdict.v1","conversati',
        "],",
        '"problems": [',
        '{"severity":"error","path":"a.json',
        '{"severity":"warning","path":"b.js',
        "],",
        '"summary": {"ending":"complete","c',
        '"usage": {"votes_asked":200,"votes',
        "}",
    ]


def test_many_problems_go_to_the_disk_and_come_back(tmp_path: Path) -> None:
    problems = [Problem(Severity.ERROR, "a.jsonl", "x" * 80, line) for line in range(1, 12_001)]
    path = tmp_path / "report.json"
    report(reports.for_path(path), header(), (), problems)
    assert [problem["line"] for problem in read(path)["problems"]] == list(range(1, 12_001))


def text_in(path: Path) -> str:
    if path.suffix != ".parquet":
        return path.read_text("utf-8")
    parquet = pytest.importorskip("pyarrow.parquet")
    return str(parquet.read_table(path).to_pylist())


@pytest.mark.parametrize("suffix", GOLDEN)
def test_an_empty_run_has_a_report(tmp_path: Path, suffix: str, golden: Any) -> None:
    path = tmp_path / f"report{suffix}"
    report(reports.for_path(path), header(), ())
    golden(f"empty{suffix}", path.read_bytes().decode())


def test_verdict_lines_are_valid_and_name_nothing_of_the_run(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    report(reports.for_path(first), header(), judged(), PROBLEMS)
    elsewhere = replace(header(), started_at="2031-01-01T00:00:00Z", platform="elsewhere")
    report(reports.for_path(second), elsewhere, judged())
    assert first.read_bytes() == second.read_bytes()
    rows = [json.loads(line) for line in first.read_bytes().splitlines()]
    assert len(rows) == 30
    for row in rows:
        validator("verdict.v1").validate(row)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_report_holds_text_unless_quotes_were_asked_for(tmp_path: Path, suffix: str) -> None:
    run = unquoted(judged()[::3])
    path = tmp_path / f"report{suffix}"
    report(reports.for_path(path), header(), run, PROBLEMS)
    written = text_in(path)
    assert not [
        turn.text[start : start + 20]
        for one in run
        for turn in one.conversation.turns
        for start in range(len(turn.text) - 19)
        if turn.text[start : start + 20] in written
    ]


@pytest.mark.parametrize("ending", [Ending.INTERRUPTED, Ending.FAILED, Ending.OUT_OF_BUDGET])
def test_a_run_cut_short_has_a_whole_report_that_says_so(tmp_path: Path, ending: Ending) -> None:
    whole = tmp_path / "report.json"
    whole.write_text("of last night")
    path = tmp_path / "report.incomplete.json"
    report(reports.for_path(whole), header(), judged()[:3], PROBLEMS, ending)
    assert whole.read_text() == "of last night"
    validator("report.v1").validate(read(path))
    assert read(path)["summary"]["ending"] == ending.value
    assert len(read(path)["conversations"]) == 3


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_earlier_report_stays_until_the_new_one_is_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"report{suffix}"
    path.write_text("before")
    reporter = reports.for_path(path)
    reporter.open(header())
    for one in judged():
        reporter.add(one.verdict, one.quotes)
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2

    reporter.abandon()

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_abandoning_what_was_never_opened_is_harmless(tmp_path: Path, suffix: str) -> None:
    reports.for_path(tmp_path / f"report{suffix}").abandon()
    assert list(tmp_path.iterdir()) == []


def test_a_report_behind_a_link_stays_behind_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "report.jsonl"
    link.symlink_to(tmp_path / "real" / "kept.jsonl")
    report(reports.for_path(link), header(), judged()[:1])
    assert link.is_symlink()
    assert len((tmp_path / "real" / "kept.jsonl").read_bytes().splitlines()) == 1


def test_a_report_is_as_readable_as_any_new_file(tmp_path: Path) -> None:
    report(reports.for_path(tmp_path / "report.csv"), header(), ())
    (tmp_path / "other").touch()
    assert (tmp_path / "report.csv").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("name", ["report.txt", "report", "report.json.gz", ".json"])
def test_an_unknown_suffix_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        reports.for_path(name)
    assert caught.value.message.startswith(f"{name}: no report format for a name ")
    assert caught.value.hint == f"let the name end in {', '.join(reports.FILE_REPORTERS)}"


def test_a_suffix_may_be_in_capitals(tmp_path: Path) -> None:
    report(reports.for_path(tmp_path / "REPORT.JSONL"), header(), ())
    assert (tmp_path / "REPORT.JSONL").read_bytes() == b""


def test_a_missing_folder_is_said_before_anything_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "none" / "report.json"
    with pytest.raises(UsageError) as caught:
        reports.for_path(path).open(header())
    assert caught.value.message == f"cannot write {path}: there is no folder {path.parent}"


def test_a_folder_in_the_place_of_a_report_is_said(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.mkdir()
    with pytest.raises(UsageError) as caught:
        reports.for_path(path).open(header())
    assert caught.value.message == f"cannot write {path}: it is a folder"


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a folder none can write")
def test_a_folder_that_cannot_be_written_is_said() -> None:
    with pytest.raises(UsageError) as caught:
        reports.for_path("/proc/self/report.json").open(header())
    assert caught.value.message.startswith("cannot write /proc/self/report.json: ")
    assert caught.value.hint


@contextmanager
def full_disk() -> Iterator[None]:
    """Lets no file grow beyond some bytes, as a full disk would.

    NOTE: not a fixture, because the limit would then hold for the test runner's own output too.
    """
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_for_problems_is_said(tmp_path: Path) -> None:
    problems = [Problem(Severity.ERROR, "a.jsonl", "x" * 80, line) for line in range(1, 12_001)]
    with full_disk(), pytest.raises(OutputError) as caught:
        report(reports.for_path(tmp_path / "report.json"), header(), (), problems)
    assert caught.value.message == (
        f"cannot keep the problems of the input for {tmp_path / 'report.json'}: File too large"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("conversations", [3, 30])
def test_a_full_disk_ends_the_report_and_leaves_nothing(
    tmp_path: Path, suffix: str, conversations: int
) -> None:
    path = tmp_path / f"report{suffix}"
    path.write_text("before")
    with full_disk(), pytest.raises(OutputError) as caught:
        report(reports.for_path(path), header(), judged()[:conversations])
    assert caught.value.message == f"cannot write {path}: File too large"
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
