"""`chaperone report`: a saved run again, the same in every format as when it was made."""

import json
import re
from pathlib import Path

import pytest

from chaperone_cli import __version__
from chaperone_cli.codec.schemas import validator
from chaperone_cli.reports import FILE_REPORTERS
from tests.support.cli import Chaperone
from tests.support.runs import NO, OPEN, YES, audit, write_log

SUFFIXES = [suffix for suffix in FILE_REPORTERS if suffix != ".html"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("quote", [[], ["--quote"]])
def test_a_saved_run_renders_as_when_it_was_made(
    chaperone: Chaperone, samples: Path, suffix: str, quote: list[str]
) -> None:
    broken = '{"id": "x", "turns": [{"role": "user", "content": 1}]}'
    lines = (samples / "thirty.jsonl").read_text("utf-8").splitlines()
    chaperone.write("log.jsonl", *lines, broken)
    made = chaperone(
        *("audit", "log.jsonl", "--all-votes", "--quote", "-o", "quoted.json"),
        *("-o", f"second{suffix}"),
    )
    assert made.code == 10
    chaperone("audit", "log.jsonl", "--all-votes", "-o", f"plain{suffix}")

    outcome = chaperone("report", "quoted.json", *quote, "-o", f"again{suffix}")

    assert (outcome.code, outcome.err) == (0, f"wrote again{suffix}\n")
    made_first = chaperone.folder / (f"second{suffix}" if quote else f"plain{suffix}")
    again = (chaperone.folder / f"again{suffix}").read_bytes()
    assert timeless(again) == timeless(made_first.read_bytes())
    if quote:
        assert outcome.out == made.out


def timeless(data: bytes) -> bytes:
    data = re.sub(rb"2\d\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\+00:00|Z)", b"THEN", data)
    data = re.sub(rb'"seconds":[\d.]+', b'"seconds":0', data)
    return re.sub(rb'time="[\d.]+"|, [\d.]+ s \|', b"", data)


def test_verdicts_alone_render_with_what_they_tell(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO, YES], "b": [OPEN], "c": []})
    audit(chaperone, "-o", "a.jsonl", "-o", "a.csv")
    outcome = chaperone("report", "a.jsonl", "-o", "again.csv", "-o", "again.jsonl")
    assert outcome.code == 0
    assert outcome.err.splitlines() == [
        "note: a.jsonl holds verdicts only: evaluator and rubric are not known, and the rule is "
        "worked out from the votes",
        "wrote again.csv",
        "wrote again.jsonl",
    ]
    assert "rule unanimous: 3 of 3 yes votes block" in outcome.out
    for suffix in ("csv", "jsonl"):
        written = [(chaperone.folder / f"{name}.{suffix}").read_bytes() for name in ("a", "again")]
        assert written[0] == written[1]


def test_every_report_says_that_verdicts_alone_do_not_name_their_rubric(
    chaperone: Chaperone,
) -> None:
    write_log(chaperone, {"a": [NO, YES]})
    audit(chaperone, "-o", "a.jsonl")
    names = [f"again{suffix}" for suffix in FILE_REPORTERS if suffix not in (".csv", ".parquet")]
    files = [word for name in names for word in ("-o", name)]
    shown = [chaperone("report", "a.jsonl", *files).out, chaperone("report", "again.json").out]
    for out in shown:
        assert out.startswith(f"chaperone {__version__} · evaluator unknown · rubric not named by ")
        assert "v0" not in out
    told = {name: (chaperone.folder / name).read_text("utf-8") for name in names}
    assert "| rubric | `not named by the verdicts` |" in told["again.md"]
    assert '<property name="rubric" value="not named by the verdicts"/>' in told["again.xml"]
    assert "rubric digest" not in told["again.xml"]
    assert "rubric <b>not named by the verdicts</b>" in told["again.html"]
    assert "<dt>rubric</dt><dd>not named by the verdicts</dd>" in told["again.html"]
    assert "yes to a rubric that the verdicts do not name." in told["again.html"]
    assert "a rubric that the verdicts do not name: a prompt of the user" in told["again.sarif"]
    validator("report.v1").validate(json.loads(told["again.json"]))


def test_the_rule_of_verdicts_alone_is_worked_out(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO, [0, 1, 1]], "b": [[1, 0, 0]]})
    audit(chaperone, "-o", "a.jsonl", "--rule", "balanced", "--all-votes")
    assert "rule 2: 2 of 3 yes votes block" in chaperone("report", "a.jsonl").out
    chaperone.write("chaperone.toml", 'rule = "balanced"')
    assert "rule balanced: 2 of 3 yes votes block" in chaperone("report", "a.jsonl").out


def test_verdicts_of_two_runs_are_refused(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [[1, 0, 0]]})
    audit(chaperone, "-o", "a.jsonl", "--all-votes")
    audit(chaperone, "-o", "b.jsonl", "--all-votes", "--rule", "conservative")
    lines = [(chaperone.folder / name).read_text() for name in ("a.jsonl", "b.jsonl")]
    (chaperone.folder / "both.jsonl").write_text("".join(lines))
    outcome = chaperone("report", "both.jsonl")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: both.jsonl: no rule over 3 votes gives all of its verd")


def test_totals_that_do_not_fit_are_refused_and_nothing_is_written(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO, YES]})
    audit(chaperone, "-o", "a.json")
    path = chaperone.folder / "a.json"
    path.write_text(path.read_text().replace('"block":1', '"block":0'))
    outcome = chaperone("report", "a.json", "-o", "b.csv")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: a.json: its totals are not those of its conversations\n")
    assert not (chaperone.folder / "b.csv").exists()


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("none.json",), 3, "none.json: the saved run cannot be read: No such file"),
        (("log.jsonl",), 3, "log.jsonl: "),
        (("a.json", "-o", "b.pdf"), 2, "b.pdf: no report format"),
        (("a.json", "-o", "no/b.csv"), 2, "cannot write no/b.csv: there is no folder no"),
    ],
)
def test_what_cannot_be_done_is_said(
    chaperone: Chaperone, args: tuple[str, ...], code: int, message: str
) -> None:
    write_log(chaperone, {"a": [NO]})
    audit(chaperone, "-o", "a.json")
    outcome = chaperone("report", *args)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(f"error: {message}")


def test_any_layout_of_a_report_renders(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO, YES]})
    _, made, _ = audit(chaperone, "-o", "a.json")
    document = json.loads((chaperone.folder / "a.json").read_bytes())
    for name, indent in (("flat.json", None), ("deep.json", 4)):
        (chaperone.folder / name).write_text(json.dumps(document, indent=indent))
        assert chaperone("report", name).out == made


@pytest.mark.parametrize("name", ["thirty.jsonl", "formats/chatgpt.zip", "formats/table.parquet"])
@pytest.mark.parametrize("command", [("report",), ("diff", "a.jsonl")])
def test_a_log_instead_of_a_saved_report_is_told(
    chaperone: Chaperone, samples: Path, name: str, command: tuple[str, ...]
) -> None:
    write_log(chaperone, {"a": [NO, YES]})
    audit(chaperone, "-o", "a.jsonl")
    log = samples / name
    outcome = chaperone(*command, log)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        f"error: {log}: this is a log, not a saved report\n"
        f"  hint: judge it first: chaperone audit {log} -o report.json\n"
    )


@pytest.mark.parametrize("text", ["", "{", "# Notes", '{"schema": "report.v1"', '{"id": "x"}'])
def test_what_is_neither_a_log_nor_a_report_is_not_called_one(
    chaperone: Chaperone, text: str
) -> None:
    chaperone.write("some.json", text)
    outcome = chaperone("report", "some.json")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: some.json")
    assert "this is a log" not in outcome.err
