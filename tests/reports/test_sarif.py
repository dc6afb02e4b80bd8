"""SARIF: valid, a result for each block, and fingerprints that follow findings, not places."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from chaperone_cli.codec.report import encode_summary
from chaperone_cli.domain.conversation import Conversation, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.run import Ending
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.reports.files import place_of
from chaperone_cli.reports.sarif_file import SarifReporter, message, uri
from tests.reports.hostile import NAMES, SPAN, blocked, empty, undecided
from tests.reports.runs import Judged, header, report, thirty

SCHEMA = Draft202012Validator(
    json.loads((Path(__file__).parent / "assets" / "sarif.schema.json").read_bytes())
)
NOBODY = Conversation("c", (), Source("a.jsonl", 1))


def log(
    folder: Path,
    verdicts: Iterable[ConversationVerdict],
    *problems: Problem,
    quote: str = "",
    ending: Ending = Ending.COMPLETE,
) -> dict[str, Any]:
    path = folder / "report.sarif"
    run = [Judged(NOBODY, verdict, {SPAN: quote} if quote else {}) for verdict in verdicts]
    report(SarifReporter(path), header(passes=3), run, problems, ending)
    document: dict[str, Any] = json.loads(place_of(path, ending).read_bytes())
    SCHEMA.validate(document)
    found: dict[str, Any] = document["runs"][0]
    return found


def test_a_result_says_what_blocked_where(tmp_path: Path) -> None:
    run = log(tmp_path, [blocked("c-1", "logs/a b.jsonl", 7), undecided("c-2"), empty("c-3")])
    assert run["results"] == [
        {
            "ruleId": "parasocial/response",
            "ruleIndex": 1,
            "level": "error",
            "message": {
                "text": "Conversation c-1, turn 2: a response of the chatbot is the first turn to "
                "block; 3 of 3 votes are yes. Evidence from turn 1, a prompt of the user."
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "logs/a%20b.jsonl"},
                        "region": {"startLine": 7},
                    },
                    "logicalLocations": [{"name": "turn 2", "fullyQualifiedName": "c-1#2"}],
                }
            ],
            "partialFingerprints": run["results"][0]["partialFingerprints"],
            "properties": {
                "conversation": "c-1",
                "turn": 2,
                "side": "response",
                "score": 3,
                "of": 3,
                "cues": ["attachment", "distress"],
                "evidence": {"turn": 1, "side": "prompt"},
            },
        }
    ]
    (open_,) = run["invocations"][0]["toolExecutionNotifications"]
    assert open_["message"]["text"] == "Conversation c-2 stayed undecided."
    assert open_["descriptor"] == {"id": "undecided", "index": 0}


@pytest.mark.parametrize("blocks", [True, False])
def test_every_rule_is_declared_in_every_run(tmp_path: Path, blocks: bool) -> None:
    driver = log(tmp_path, [blocked("c")] if blocks else [])["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["parasocial/prompt", "parasocial/response"]
    assert [rule["id"] for rule in driver["notifications"]] == ["undecided", "unread", "loss"]
    assert driver["version"] == "1.2.3"


def test_results_and_rules_refer_to_each_other(tmp_path: Path) -> None:
    run = log(tmp_path, [one.verdict for one in thirty(header(passes=5))])
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == 10
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_problems_and_a_cut_are_told_by_the_invocation(tmp_path: Path) -> None:
    problems = (
        Problem(Severity.ERROR, "a.jsonl", "not JSON", 3),
        Problem(Severity.WARNING, "b.jsonl", "a part that is not text", 4, "c-1", 2),
        Problem(Severity.ERROR, "-", "cannot be read"),
    )
    run = log(tmp_path, [], *problems, ending=Ending.INTERRUPTED)
    (went,) = run["invocations"]
    told = went["toolExecutionNotifications"]
    assert went["executionSuccessful"] is False
    assert went["exitCodeDescription"] == "interrupted before the end of the input"
    assert [(one["level"], one["descriptor"]["id"], one["message"]["text"]) for one in told] == [
        ("error", "unread", "a.jsonl:3: not JSON"),
        ("warning", "loss", "b.jsonl:4 conversation c-1 turn 2: a part that is not text"),
        ("error", "unread", "-: cannot be read"),
    ]


def test_totals_are_those_of_the_json_report(tmp_path: Path) -> None:
    run = log(tmp_path, [blocked("a"), undecided("b"), empty("c")])
    path = tmp_path / "again.sarif"
    judged = [Judged(NOBODY, one, {}) for one in (blocked("a"), undecided("b"), empty("c"))]
    summary = report(SarifReporter(path), header(passes=3), judged)
    assert run["properties"]["summary"] == encode_summary(summary)


def test_a_quote_is_there_only_if_it_was_asked_for(tmp_path: Path) -> None:
    (bare,) = log(tmp_path, [blocked("c")])["results"]
    assert bare["message"]["text"].endswith(" Evidence from turn 1, a prompt of the user.")
    assert "quote" not in bare["properties"]
    (result,) = log(tmp_path, [blocked("c")], quote="I miss you")["results"]
    assert result["message"]["text"].endswith(' a prompt of the user: "I miss you"')
    assert result["properties"]["quote"] == "I miss you"


class TestFingerprints:
    def of(self, folder: Path, *verdicts: ConversationVerdict) -> dict[str, dict[str, str]]:
        return {
            result["properties"]["conversation"]: result["partialFingerprints"]
            for result in log(folder, verdicts)["results"]
        }

    def test_a_reordered_or_renamed_log_finds_nothing_new(self, tmp_path: Path) -> None:
        before = self.of(tmp_path, blocked("a", line=1), blocked("b", line=2))
        after = self.of(tmp_path, blocked("b", "other.jsonl", 1), blocked("a", line=9))
        assert before == after
        assert before["a"] != before["b"]

    def test_another_first_block_of_a_conversation_is_the_same_finding(
        self, tmp_path: Path
    ) -> None:
        late = blocked("a")
        early = replace(late, turns=(replace(late.turns[1], turn=1),))
        assert self.of(tmp_path, late) == self.of(tmp_path, early)


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_make_no_links_and_stay_valid(tmp_path: Path, name: str) -> None:
    found = log(tmp_path, [blocked(name, name or "-"), undecided(name)])
    text = found["results"][0]["message"]["text"]
    assert "\n" not in text
    assert "\x1b" not in text
    assert found["results"][0]["properties"]["turn"] == 2


@given(st.text())
def test_a_message_has_no_bare_brackets_or_braces(text: str) -> None:
    shown = message(text)["text"]
    bare = shown.replace("\\[", "").replace("\\]", "").replace("{{", "").replace("}}", "")
    assert not set("[]{}") & set(bare)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("logs/a.jsonl", "logs/a.jsonl"),
        ("/var/logs/a b.jsonl", "file:///var/logs/a%20b.jsonl"),
        ("a#b?c%d.jsonl", "a%23b%3Fc%25d.jsonl"),
        ("c:x.jsonl", "c%3Ax.jsonl"),
        ("../a.jsonl", "../a.jsonl"),
        ("-", "-"),
        ("é.jsonl", "%C3%A9.jsonl"),
    ],
)
def test_paths_are_uris(path: str, expected: str) -> None:
    assert uri(path) == expected
