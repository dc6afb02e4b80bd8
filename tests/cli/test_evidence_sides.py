"""Evidence names its own turn and side in every format: it may be the other side's words.

The first block of all these dialogues is a prompt; what the votes rest on is the chatbot's in some.
"""

import csv
import json
import re
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone

NAMES = ("parasocial-02", "parasocial-04", "parasocial-06", "parasocial-08")
SUFFIXES = ("json", "jsonl", "csv", "parquet", "sarif", "md", "xml", "html")
SIDES = {"user": "prompt", "assistant": "response"}
OF = {"prompt": "a prompt of the user", "response": "a response of the chatbot"}


class Said(NamedTuple):
    """What a report says of the evidence for a first block."""

    turn: int
    side: str
    quote: str


Run = tuple[Chaperone, str, dict[str, Said]]


@pytest.fixture
def run(chaperone: Chaperone, samples: Path) -> Run:
    """Audits the dialogues into every format; gives the terminal's text and what is expected."""
    rows = map(json.loads, (samples / "thirty.jsonl").read_text("utf-8").splitlines())
    talks = {row["id"]: row["turns"] for row in rows if row["id"] in NAMES}
    lines = (json.dumps({"id": name, "turns": turns}) for name, turns in talks.items())
    chaperone.write("log.jsonl", *lines)
    outputs = [word for suffix in SUFFIXES for word in ("-o", f"r.{suffix}")]
    outcome = chaperone("audit", "log.jsonl", "--quote", *outputs)
    document = json.loads((chaperone.folder / "r.json").read_bytes())
    expected = {}
    for verdict in document["conversations"]:
        assert verdict["attribution"] == "prompt"
        turns = talks[verdict["conversation"]]
        expected[verdict["conversation"]] = _heaviest(verdict, turns)
    assert list(expected) == list(NAMES)
    assert {said.side for said in expected.values()} == {"prompt", "response"}
    return chaperone, outcome.out, expected


def _first(verdict: Any) -> Any:
    [turn] = [one for one in verdict["turns"] if one["turn"] == verdict["first_block"]["turn"]]
    return turn


def _heaviest(verdict: Any, turns: list[dict[str, str]]) -> Said:
    """Works out from the log itself whose words the most votes rest on."""
    weights: dict[tuple[int, int, int], int] = {}
    for found in _first(verdict)["evidence"]:
        place = tuple(found["span"][key] for key in ("turn", "start", "end"))
        weights[place] = weights.get(place, 0) + len(found["passes"])
    turn, start, end = max(weights, key=lambda place: weights[place])
    message = turns[turn - 1]
    return Said(turn, SIDES[message["role"]], message["content"][start:end])


def spans(document: Any) -> list[Any]:
    if isinstance(document, dict):
        own = [document["span"]] if "span" in document else []
        return own + [span for value in document.values() for span in spans(value)]
    return [span for one in document for span in spans(one)] if isinstance(document, list) else []


def test_every_span_of_json_and_jsonl(run: Run) -> None:
    chaperone, _, expected = run
    whole = json.loads((chaperone.folder / "r.json").read_bytes())
    validator("report.v1").validate(whole)
    lines = (chaperone.folder / "r.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == whole["conversations"]
    # In these dialogues the sides alternate, and the user begins.
    assert all(span["side"] == ("response", "prompt")[span["turn"] % 2] for span in spans(whole))
    for verdict in whole["conversations"]:
        places = [tuple(one[key] for key in Said._fields) for one in spans(_first(verdict))]
        assert expected[verdict["conversation"]] in places


def test_tables(run: Run) -> None:
    import pyarrow.parquet

    chaperone, _, expected = run
    with (chaperone.folder / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["first_block"] == "true"]
    assert {
        row["conversation"]: Said(int(row["evidence_turn"]), row["evidence_side"], row["quote"])
        for row in rows
    } == expected
    table = pyarrow.parquet.read_table(chaperone.folder / "r.parquet").to_pylist()
    assert {
        row["conversation"]: Said(row["evidence_turn"], row["evidence_side"], row["quote"])
        for row in table
        if row["first_block"]
    } == expected


def test_sarif(run: Run) -> None:
    chaperone, _, expected = run
    [log] = json.loads((chaperone.folder / "r.sarif").read_bytes())["runs"]
    for result in log["results"]:
        facts = result["properties"]
        said = expected[facts["conversation"]]
        assert facts["evidence"] == {"turn": said.turn, "side": said.side}
        assert facts["quote"] == said.quote
        ending = f'Evidence from turn {said.turn}, {OF[said.side]}: "{said.quote}"'
        assert result["message"]["text"].endswith(ending)
    assert len(log["results"]) == len(expected)


def test_markdown(run: Run) -> None:
    chaperone, _, expected = run
    lines = (chaperone.folder / "r.md").read_text("utf-8").splitlines()
    head = "| conversation | label | verdict | first block | score | log | evidence | quote |"
    assert head in lines
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `parasocial-")]
    assert {row[0].strip("`"): row[-2:] for row in cells} == {
        name: [f"turn {said.turn}, {said.side}", f"`{said.quote}`"]
        for name, said in expected.items()
    }


def test_junit(run: Run) -> None:
    chaperone, _, expected = run
    found = ElementTree.parse(chaperone.folder / "r.xml").iter("testcase")
    for case in found:
        said = expected[case.attrib["name"]]
        [failure] = case
        pattern = (
            rf'\(turn {said.turn}, {said.side}, characters \d+ to \d+\) "{re.escape(said.quote)}"'
        )
        assert re.search(pattern, failure.text or "")


def test_html(run: Run) -> None:
    chaperone, _, expected = run
    page = (chaperone.folder / "r.html").read_text("utf-8")
    blocks = re.findall(r'class="(rows|meta)">(.*?)</script>', page, re.DOTALL)
    data = {kind: json.loads(text) for kind, text in blocks}
    at = {name: place for place, name in enumerate(data["meta"]["columns"])}
    sides = data["meta"]["sides"]
    for row in data["rows"]:
        places = [
            Said(turn, sides[side], quote)
            for turn, _, _, side, *quotes in row[at["evidence"]]["spans"]
            for quote in quotes
        ]
        assert expected[row[at["id"]]] in places
    for said in expected.values():
        assert f"<td>turn {said.turn}, {said.side}</td>" in page


def test_terminal(run: Run) -> None:
    chaperone, out, expected = run
    shown = [" ".join(line.split()) for line in out.splitlines() if line.startswith("  turn ")]
    starts = [f"turn {said.turn}, {said.side}: “{said.quote[:30]}" for said in expected.values()]
    assert [line[: len(start)] for line, start in zip(shown, starts, strict=True)] == starts
    assert chaperone("report", "r.json", "--quote").out.split("\n\n")[1] == out.split("\n\n")[1]
    for name, said in expected.items():
        for source in ("log.jsonl", "r.json"):
            page = chaperone("show", source, "--conversation", name).out
            first = next(line for line in page.splitlines() if "◆ first block" in line)
            number = int(first.split()[0])
            away = f"said in turn {said.turn}, {said.side}"
            assert (away in first) == (said.turn != number)
        lead = f"turn {said.turn}, {said.side}: “{said.quote[:30]}"
        assert lead in page


def test_a_report_that_does_not_say_takes_the_side_of_the_turn(run: Run) -> None:
    chaperone, _, _ = run
    whole = (chaperone.folder / "r.jsonl").read_text("utf-8")
    older = re.sub(r'("span":\{"turn":\d+),"side":"\w+"', r"\1", whole)
    assert older != whole
    chaperone.write("older.jsonl", older.rstrip("\n"))
    chaperone("report", "older.jsonl", "--quote", "-o", "again.jsonl")
    assert (chaperone.folder / "again.jsonl").read_text("utf-8") == whole
    wrong = re.sub(r'("span":\{"turn":\d+,"side":)"response"', r'\1"prompt"', whole, count=1)
    chaperone.write("wrong.jsonl", wrong.rstrip("\n"))
    outcome = chaperone("report", "wrong.jsonl")
    assert (outcome.code, outcome.out) == (3, "")
    assert re.search(r"span\.side: expected response, the side of turn \d+\n", outcome.err)


def test_what_a_rewrite_cannot_mend_is_named_with_its_side(run: Run) -> None:
    chaperone, _, _ = run
    words = ("--conversation", "parasocial-04", "--first-block")
    outcome = chaperone("rephrase", "log.jsonl", *words, "-o", "rephrased.json")
    [result] = json.loads((chaperone.folder / "rephrased.json").read_bytes())["results"]
    sides = ("response", "prompt")
    named = ", ".join(f"{turn} ({sides[turn % 2]})" for turn in result["rests_on"])
    noun = "turn" if len(result["rests_on"]) == 1 else "turns"
    assert f"rest on what was said before, in {noun} {named}\n" in outcome.out
