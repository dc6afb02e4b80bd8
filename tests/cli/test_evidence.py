"""Evidence folders: whole, checkable, repeatable, and without conversation text."""

import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.codec import rubric
from chaperone_cli.codec.schemas import validator
from chaperone_cli.reports import FILE_REPORTERS
from chaperone_cli.reports.evidence_folder import REPORTS
from tests.support.cli import Chaperone
from tests.support.runs import NO, YES, audit, write_log

NAMES = sorted(
    [
        *(name for name in REPORTS if Path(name).suffix in FILE_REPORTERS),
        *("settings.toml", "rubric.toml", "manifest.json"),
    ]
)


@pytest.fixture
def evidence(chaperone: Chaperone) -> Path:
    write_log(chaperone, {"a": [NO, YES], "b": [NO]})
    code, _, err = audit(chaperone, "-o", "evidence/")
    assert (code, err) == (10, "wrote evidence/\n")
    return chaperone.folder / "evidence"


def manifest(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
    validator("manifest.v1").validate(document)
    return document


def test_a_folder_holds_everything_and_verifies(chaperone: Chaperone, evidence: Path) -> None:
    assert sorted(path.name for path in evidence.iterdir()) == NAMES
    found = manifest(evidence)
    assert sorted([*(file["path"] for file in found["files"]), "manifest.json"]) == NAMES
    assert [one["path"] for one in found["inputs"]] == ["log.jsonl", "log.votes.jsonl"]
    assert (found["ending"], found["quotes"], found["hashed_ids"]) == ("complete", False, False)
    outcome = chaperone("verify", "evidence", "--log", "log.jsonl", "--log", "log.votes.jsonl")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == f"{len(NAMES) - 1} files, 2 inputs: all as in the manifest"
    assert re.fullmatch(r"SHA-256 of manifest\.json: [0-9a-f]{64}", lines[1])
    assert chaperone("verify", "evidence", "--log", ".").code == 0


def test_reports_in_it_are_those_of_the_run(chaperone: Chaperone, evidence: Path) -> None:
    audit(chaperone, "-o", "a.jsonl", "-o", "a.csv")
    for name, again in (("verdicts.jsonl", "a.jsonl"), ("turns.csv", "a.csv")):
        assert (evidence / name).read_bytes() == (chaperone.folder / again).read_bytes()
    validator("report.v1").validate(json.loads((evidence / "report.json").read_bytes()))


def test_the_run_can_be_repeated_from_it(chaperone: Chaperone, evidence: Path) -> None:
    settings = tomllib.loads((evidence / "settings.toml").read_text("utf-8"))
    assert settings["evaluator"] == "recorded"
    assert (settings["votes"], settings["rubric"]) == (3, "rubric.toml")
    assert rubric.load(str(evidence / "rubric.toml")) == rubric.load("parasocial")
    for name in ("log.jsonl", "log.votes.jsonl"):
        shutil.copy(chaperone.folder / name, evidence / name)
    inside = Chaperone(evidence, chaperone._monkeypatch, chaperone._capture)
    outcome = inside("audit", "log.jsonl", "--config", "settings.toml", "-o", "again.jsonl")
    assert outcome.code == 10
    assert (evidence / "again.jsonl").read_bytes() == (evidence / "verdicts.jsonl").read_bytes()


def test_every_mismatch_is_listed(chaperone: Chaperone, evidence: Path) -> None:
    (evidence / "turns.csv").unlink()
    (evidence / "junit.xml").write_bytes((evidence / "junit.xml").read_bytes()[:-1] + b" ")
    with (evidence / "report.json").open("a") as file:
        file.write("\n")
    (evidence / "sub").mkdir()
    (evidence / "sub" / "more.txt").touch()
    chaperone.write("other.jsonl", "x")
    outcome = chaperone("verify", "evidence", "--log", "other.jsonl")
    size = (evidence / "report.json").stat().st_size
    assert (outcome.code, outcome.err) == (12, "")
    assert outcome.out.splitlines()[:-1] == [
        f"changed  report.json: {size} bytes, in the manifest {size - 1}",
        "missing  turns.csv: in the manifest, but no such file in the folder",
        "changed  junit.xml: its SHA-256 is not the one in the manifest",
        "extra    sub/more.txt: not in the manifest",
        "no input log.jsonl: no given log has its SHA-256",
        "no input log.votes.jsonl: no given log has its SHA-256",
        f"{len(NAMES) - 1} files, 2 inputs: 6 do not fit the manifest",
    ]


def test_another_rubric_is_noticed_even_if_the_digests_were_made_anew(
    chaperone: Chaperone, evidence: Path
) -> None:
    from chaperone_cli.codec.manifest import digest_file

    path = evidence / "rubric.toml"
    path.write_text(path.read_text("utf-8").replace("one-sided", "two-sided"), "utf-8")
    found = manifest(evidence)
    digested = digest_file(path, "rubric.toml")
    found["files"][-1] |= {"bytes": digested.bytes, "sha256": digested.sha256}
    (evidence / "manifest.json").write_text(json.dumps(found))
    outcome = chaperone("verify", "evidence")
    assert outcome.code == 12
    assert outcome.out.startswith(
        "changed  rubric.toml: its text is not that of the rubric the run was made with\n"
    )


def test_a_folder_without_a_manifest_cannot_be_verified(
    chaperone: Chaperone, evidence: Path
) -> None:
    (evidence / "manifest.json").unlink()
    outcome = chaperone("verify", "evidence")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: evidence/manifest.json: the manifest cannot be read: No")
    (evidence / "manifest.json").write_text("{}")
    outcome = chaperone("verify", "evidence")
    assert (outcome.code, outcome.out) == (3, "")
    assert "expected a manifest.v1 document" in outcome.err


def test_an_existing_folder_needs_no_slash(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO]})
    (chaperone.folder / "evidence").mkdir()
    assert audit(chaperone, "-o", "evidence")[0] == 0
    assert chaperone("verify", "evidence").code == 0


def test_earlier_evidence_is_replaced(chaperone: Chaperone, evidence: Path) -> None:
    write_log(chaperone, {"c": [NO]})
    assert audit(chaperone, "-o", "evidence/")[0] == 0
    assert chaperone("verify", "evidence").code == 0
    assert b'"c"' in (evidence / "report.json").read_bytes()


def test_a_folder_with_something_else_in_it_is_left_alone(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO]})
    code, out, err = audit(chaperone, "-o", ".")
    assert (code, out) == (2, "")
    assert err.startswith("error: .: this folder holds other files and no evidence\n")
    assert sorted(path.name for path in chaperone.folder.iterdir()) == [
        "log.jsonl",
        "log.votes.jsonl",
    ]


def test_a_place_that_cannot_be_is_said(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO]})
    code, out, err = audit(chaperone, "-o", "no/evidence/")
    assert (code, out) == (2, "")
    assert err.startswith("error: cannot make the folder no/evidence: there is no folder no\n")


def test_a_failed_run_leaves_no_folder(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO]})
    (chaperone.folder / "log.votes.jsonl").write_text("")
    assert audit(chaperone, "-o", "evidence/")[0] == 2
    assert not (chaperone.folder / "evidence").exists()


def test_half_a_run_is_said_to_be_one(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [NO], "b": [NO]})
    audit(chaperone, "-o", "evidence/")
    whole = {path.name: path.read_bytes() for path in (chaperone.folder / "evidence").iterdir()}
    votes = (chaperone.folder / "log.votes.jsonl").read_text().splitlines()
    chaperone.write("log.votes.jsonl", votes[0])
    code, _, err = audit(chaperone, "-o", "evidence/")
    assert (code, err.splitlines()[0]) == (2, "wrote evidence.incomplete")
    outcome = chaperone("verify", "evidence.incomplete")
    assert outcome.code == 0
    assert outcome.out.startswith("the run ended before the end of its input: failed\n")
    beside = chaperone.folder / "evidence.incomplete"
    assert {path.name for path in beside.iterdir()} == whole.keys()
    left = {path.name: path.read_bytes() for path in (chaperone.folder / "evidence").iterdir()}
    assert left == whole


def test_standard_input_has_no_digest(chaperone: Chaperone, samples: Path) -> None:
    chaperone("audit", "-", "-o", "evidence/", stdin=(samples / "thirty.jsonl").read_bytes())
    assert manifest(chaperone.folder / "evidence")["inputs"] == [
        {"path": "-", "bytes": None, "sha256": None}
    ]
    outcome = chaperone("verify", "evidence", "--log", samples / "thirty.jsonl")
    assert outcome.code == 12
    assert outcome.out.startswith("no digest -: it was a stream, or could not be read\n")
