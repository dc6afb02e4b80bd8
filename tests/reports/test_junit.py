"""JUnit XML: a case for each conversation, counts that fit, and text that stays text."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.files import place_of
from chaperone_cli.reports.junit_file import JunitReporter, text
from tests.reports.hostile import NAMES, SPAN, blocked, empty, undecided
from tests.reports.runs import Judged, header, report, thirty

NOBODY = Conversation("c", (), Source("a.jsonl", 1))
PROBLEMS = (
    Problem(Severity.ERROR, "a.jsonl", "not JSON", 3),
    Problem(Severity.WARNING, "b.jsonl", "a part that is not text", 4, "c-1", 2),
)


def written(
    folder: Path,
    *verdicts: ConversationVerdict,
    problems: tuple[Problem, ...] = (),
    ending: Ending = Ending.COMPLETE,
    quote: str = "",
) -> str:
    path = folder / "report.xml"
    run = [Judged(NOBODY, verdict, {SPAN: quote} if quote else {}) for verdict in verdicts]
    report(JunitReporter(path), header(passes=3), run, problems, ending)
    return place_of(path, ending).read_bytes().decode()


def cases(document: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(document).iter("testcase"))


def test_the_whole_document(tmp_path: Path) -> None:
    shown = written(
        tmp_path, blocked("c<1>"), undecided("c-2"), empty("c-3"), problems=PROBLEMS, quote="a & b"
    )
    assert shown.splitlines()[4:] == [
        '<testcase classname="a.jsonl" name="c&lt;1&gt;" file="a.jsonl" line="1" time="0">'
        '<failure type="block" message="turn 2, a response, is the first to block: 3 of 3">'
        "votes 1, 2, 3: attachment, distress (turn 1, prompt, characters 0 to 9) "
        "&quot;a &amp; b&quot;"
        "</failure></testcase>",
        '<testcase classname="a.jsonl" name="c-2" file="a.jsonl" line="2" time="0">'
        '<error type="undecided" message="abstentions leave 1 of its turns open, the first is '
        'turn 1"></error></testcase>',
        '<testcase classname="a.jsonl" name="c-3" file="a.jsonl" line="3" time="0">'
        '<skipped message="no turn to vote on"></skipped></testcase>',
        "</testsuite>",
        '<testsuite name="input" tests="2" failures="0" errors="1" skipped="0" time="0">',
        '<testcase classname="input" name="a.jsonl:3" file="a.jsonl" time="0">'
        '<error type="unread" message="a.jsonl:3: not JSON"></error></testcase>',
        '<testcase classname="input" name="b.jsonl:4" file="b.jsonl" time="0">'
        "<system-err>b.jsonl:4 conversation c-1 turn 2: a part that is not text</system-err>"
        "</testcase>",
        "</testsuite>",
        "</testsuites>",
    ]


@pytest.mark.parametrize("ending", Ending)
def test_the_counts_are_those_of_the_cases(tmp_path: Path, ending: Ending) -> None:
    run = [one.verdict for one in thirty(header())][::4]
    shown = written(
        tmp_path, *run, undecided("u"), empty("e"), problems=PROBLEMS * 3, ending=ending
    )
    root = ElementTree.fromstring(shown)
    for part in (root, *root.iter("testsuite")):
        counted = {
            "tests": len(list(part.iter("testcase"))),
            "failures": len(list(part.iter("failure"))),
            "errors": len(list(part.iter("error"))),
            "skipped": len(list(part.iter("skipped"))),
        }
        assert {name: int(part.attrib[name]) for name in counted} == counted


def test_what_is_set_aside_on_disk_comes_back_whole(tmp_path: Path) -> None:
    problems = tuple(Problem(Severity.ERROR, "a", "x" * 80, line) for line in range(1, 12_001))
    shown = written(tmp_path, problems=problems)
    assert [case.attrib["name"] for case in cases(shown)] == [f"a:{n}" for n in range(1, 12_001)]


def test_a_run_cut_short_does_not_look_green(tmp_path: Path) -> None:
    (case,) = cases(written(tmp_path, ending=Ending.INTERRUPTED))
    assert case.attrib["name"] == "the rest of the input"
    error = case.find("error")
    assert error is not None
    assert error.attrib["type"] == "interrupted"


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_stay_one_case(tmp_path: Path, name: str) -> None:
    problem = Problem(Severity.ERROR, name, name, 1, name)
    shown = written(tmp_path, blocked(name, name), problems=(problem,), quote=name)
    assert len(cases(shown)) == 2
    assert set(ElementTree.fromstring(shown).itertext()) <= {
        part for element in ElementTree.fromstring(shown).iter() for part in (element.text, "\n")
    }


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_is_legal_xml(content: str) -> None:
    element = ElementTree.fromstring(f'<a b="{text(content)}">{text(content)}</a>')
    assert (element.text or "") == element.attrib["b"]
