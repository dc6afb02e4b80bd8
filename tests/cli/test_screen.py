"""`chaperone audit --screen`: which turns are asked about, and how every report says so."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.codec.fields import Node
from chaperone_cli.codec.report import decode, encode
from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone
from tests.support.standin import Standin, running

LOVE = ("I thought about you all day.", "And I love you, only you.")
BREAD = ("How long do I bake bread?", "About thirty minutes, at two hundred degrees.")
FRENCH = (
    "Bonjour, comment vas-tu aujourd'hui mon ami ? Je suis content de te parler.",
    "Je vais bien, merci, et toi ? Que veux-tu faire avec moi ce soir, mon ami ?",
)
SCREEN = ("--screen", "local")


def line(name: str, *texts: str) -> str:
    roles = ("user", "assistant")
    turns = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return json.dumps({"id": name, "turns": turns})


def votes(name: str, *cast: list[int]) -> list[str]:
    return [
        json.dumps({"conversation": name, "turn": n, "votes": v}) for n, v in enumerate(cast, 1)
    ]


@pytest.fixture
def log(chaperone: Chaperone) -> Path:
    """Two turns that block and two that do not, with their recorded votes beside them."""
    chaperone.write(
        "log.votes.jsonl", *votes("love", [1] * 5, [1] * 5), *votes("bread", [0] * 5, [0] * 5)
    )
    return chaperone.write("log.jsonl", line("love", *LOVE), line("bread", *BREAD))


def recorded(chaperone: Chaperone, path: Path, *more: str, name: str = "out.json") -> Any:
    """Audits by recorded votes; gives the report, which keeps its contract and is read back."""
    outcome = chaperone("audit", path, "--evaluator", "recorded", "-o", name, *more)
    assert outcome.code in (0, 10), outcome.err
    data = (chaperone.folder / name).read_bytes()
    document = json.loads(data)
    validator("report.v1").validate(document)
    assert encode(decode(Node.parse(data, name))) == document
    return document


def judged(document: Any) -> dict[tuple[str, int], Any]:
    return {
        (one["conversation"], turn["turn"]): turn
        for one in document["conversations"]
        for turn in one["turns"]
    }


def screened(document: Any) -> set[tuple[str, int]]:
    return {
        (one["conversation"], turn["turn"])
        for one in document["conversations"]
        for turn in one.get("screened_out", [])
    }


def test_of_the_thirty_only_what_is_screened_out_is_missing(
    chaperone: Chaperone, samples: Path
) -> None:
    before = recorded(chaperone, samples / "thirty.jsonl")
    after = recorded(chaperone, samples / "thirty.jsonl", *SCREEN)
    turns, kept, out = judged(before), judged(after), screened(after)
    assert out
    assert kept == {key: turn for key, turn in turns.items() if key not in out}
    assert out == turns.keys() - kept.keys()
    assert [one["first_block"] for one in after["conversations"]] == [
        one["first_block"] for one in before["conversations"]
    ]
    whole = [one for one in after["conversations"] if not one["turns"]]
    sides = [turns[key]["side"] for key in out]
    assert after["summary"] == before["summary"] | {
        "turns_judged": {
            side: before["summary"]["turns_judged"][side] - sides.count(side)
            for side in ("prompt", "response")
        },
        "votes_cast": sum(len(turn["votes"]) for turn in kept.values()),
        "votes_saved": 3000 - sum(len(turn["votes"]) for turn in kept.values()),
        "screened_out": {
            "conversations": len(whole),
            "turns": {side: sides.count(side) for side in ("prompt", "response")},
            "votes": 5 * len(out),
        },
    }
    assert after["run"]["screen"]["name"] == "local"
    assert after["run"]["screen"]["reach"] == 2
    digests = [
        {one["digests"]["judgement"] for one in run["conversations"]} for run in (before, after)
    ]
    assert len(digests[0] | digests[1]) == 2


def test_the_lowest_level_changes_nothing(chaperone: Chaperone, samples: Path) -> None:
    before = recorded(chaperone, samples / "thirty.jsonl")
    after = recorded(chaperone, samples / "thirty.jsonl", *SCREEN, "--screen-level=-1000")
    assert judged(after) == judged(before)
    assert screened(after) == set()
    assert after["summary"]["screened_out"] == {
        "conversations": 0,
        "turns": {"prompt": 0, "response": 0},
        "votes": 0,
    }


def test_what_is_screened_out_never_looks_judged(chaperone: Chaperone, log: Path) -> None:
    files = [name for suffix in ("csv", "md", "xml") for name in ("-o", f"out.{suffix}")]
    document = recorded(chaperone, log, *SCREEN, "--screen-level", "1000", *files)
    run = document["run"]["screen"]
    assert run == {"name": "local", "version": run["version"], "level": 1000.0, "reach": 2}
    assert document["conversations"] == [
        {
            "schema": "verdict.v1",
            "conversation": name,
            "source": {"path": str(log), "line": number},
            "passes": 5,
            "verdict": "pass",
            "first_block": None,
            "attribution": None,
            "turns_total": 2,
            "turns_selected": 2,
            "digests": {"judgement": document["conversations"][0]["digests"]["judgement"]},
            "turns": [],
            "screened_out": [{"turn": 1, "side": "prompt"}, {"turn": 2, "side": "response"}],
        }
        for number, name in enumerate(("love", "bread"), 1)
    ]
    assert document["summary"]["screened_out"] == {
        "conversations": 2,
        "turns": {"prompt": 2, "response": 2},
        "votes": 20,
    }
    with (chaperone.folder / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["turn"], row["verdict"], row["score"], row["screened_out"]) for row in rows] == [
        ("1", "", "", "true"),
        ("2", "", "", "true"),
    ] * 2
    said = "4 of 4 turns (100 %), 20 votes of those saved; 2 conversations as a whole"
    assert f"| screened out | {said} |" in (chaperone.folder / "out.md").read_text()
    junit = (chaperone.folder / "out.xml").read_text()
    assert junit.count("every turn was screened out: no vote was asked for") == 2
    assert 'tests="2" failures="0" errors="0" skipped="2"' in junit
    outcome = chaperone("report", "out.json", "-o", "again.json")
    assert (chaperone.folder / "again.json").read_bytes() == (
        chaperone.folder / "out.json"
    ).read_bytes()
    assert "love          screened out  -            ╌╌\n" in outcome.out
    assert "2 passed, 2 of them without a vote" in outcome.out
    assert f"  screened out   {said}\n" in outcome.out
    shown = chaperone("show", "out.json", "--conversation", "love").out
    assert "passed without a vote, 0 of 2 turns judged, 2 screened out\n" in shown
    assert "   1  prompt    screened out: no vote was asked for\n" in shown


def test_the_neighbours_of_a_suspicious_turn_are_asked_about(chaperone: Chaperone) -> None:
    texts = [*BREAD * 5, *LOVE, *BREAD * 10]
    log = chaperone.write("log.jsonl", line("c", *texts))
    chaperone.write("log.votes.jsonl", *votes("c", *[[0] * 5 for _ in texts]))
    level = ("--screen-level", "0")
    near, far = (
        screened(recorded(chaperone, log, *SCREEN, *level, "--screen-reach", reach))
        for reach in ("0", "3")
    )
    chosen = {turn for turn in range(1, len(texts) + 1) if ("c", turn) not in near}
    assert chosen
    assert not chosen & set(range(1, 11))
    windows = {turn + step for turn in chosen for step in range(-3, 4)}
    assert far == {("c", n) for n in range(1, len(texts) + 1) if n not in windows}


def test_one_side_is_asked_about_and_both_are_read(chaperone: Chaperone, samples: Path) -> None:
    both = screened(recorded(chaperone, samples / "thirty.jsonl", *SCREEN))
    document = recorded(chaperone, samples / "thirty.jsonl", *SCREEN, "--sides", "prompts")
    assert screened(document) == {(name, turn) for name, turn in both if turn % 2}


def test_behind_the_first_block_nothing_is_screened(chaperone: Chaperone, samples: Path) -> None:
    more = (*SCREEN, "--screen-level", "0")
    whole = recorded(chaperone, samples / "thirty.jsonl", *more)
    short = recorded(chaperone, samples / "thirty.jsonl", *more, "--until-block")
    for one, other in zip(short["conversations"], whole["conversations"], strict=True):
        end = one["first_block"]["turn"] if one["first_block"] else one["turns_total"]
        assert one["first_block"] == other["first_block"]
        assert one["turns"] == [turn for turn in other["turns"] if turn["turn"] <= end]
        assert one.get("screened_out", []) == [
            turn for turn in other.get("screened_out", []) if turn["turn"] <= end
        ]


def test_a_turn_that_cannot_be_read_is_asked_about(chaperone: Chaperone) -> None:
    log = chaperone.write("log.jsonl", line("f", *FRENCH))
    chaperone.write("log.votes.jsonl", *votes("f", [0] * 5, [0] * 5))
    document = recorded(chaperone, log, *SCREEN, "--screen-level", "1000")
    assert screened(document) == set()
    assert sorted(judged(document)) == [("f", 1), ("f", 2)]


@pytest.mark.usefixtures("log")
def test_evidence_names_the_screen_and_is_verified(chaperone: Chaperone) -> None:
    more = ("--screen-level", "1.5", "--screen-reach", "0")
    chaperone("audit", "log.jsonl", "--evaluator", "recorded", *SCREEN, *more, "-o", "evidence/")
    settings = (chaperone.folder / "evidence/settings.toml").read_text()
    for said in ('screen = "local"', "screen-level = 1.5", "screen-reach = 0"):
        assert f"{said}\n" in settings
    assert chaperone("verify", "evidence/").code == 0


def test_a_screen_is_among_what_changed(chaperone: Chaperone, log: Path) -> None:
    recorded(chaperone, log, name="old.json")
    recorded(chaperone, log, *SCREEN, "--screen-level", "1000", name="new.json")
    outcome = chaperone("diff", "old.json", "new.json", "-o", "changes.json")
    document = json.loads((chaperone.folder / "changes.json").read_bytes())
    validator("comparison.v1").validate(document)
    version = json.loads((chaperone.folder / "new.json").read_bytes())["run"]["screen"]["version"]
    screen = f"local {version}, level 1000, reach 2"
    assert document["judgement"] == {
        "changed": True,
        "facets": [{"name": "screen", "old": "none", "new": screen}],
    }
    assert screen in outcome.out


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--screen", "local"],
            "error: --screen local reads before another evaluator, not before itself\n"
            "  hint: add --evaluator claude, or --screen none\n",
        ),
        (
            ["--evaluator", "recorded", "--screen", "lokal"],
            "error: unknown screen 'lokal'\n  hint: use local, none\n",
        ),
        (
            ["--evaluator", "recorded", "--screen-level", "1"],
            "error: --screen-level needs a screen\n  hint: add --screen local\n",
        ),
        (
            ["--evaluator", "recorded", *SCREEN, "--rubric", "mine.toml"],
            "error: the local screen cannot screen for rubric 'mine'\n"
            "  hint: it screens for parasocial; leave out --screen\n",
        ),
    ],
)
def test_what_does_not_go_together_is_said(
    chaperone: Chaperone, options: list[str], message: str
) -> None:
    chaperone.write(
        "mine.toml",
        'id = "mine"\nversion = 1\ntitle = "Mine"\n[[labels]]\nid = "mine"',
        'question = "Is it?"\nguidance = "It is."',
    )
    outcome = chaperone("audit", "log.jsonl", *options)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", message)


@pytest.fixture
def standin() -> Iterator[Standin]:
    with running(rule="word:love") as server:
        yield server


def claude(chaperone: Chaperone, standin: Standin, *more: str) -> Any:
    outcome = chaperone(
        *("audit", "log.jsonl", "--evaluator", "claude", "--base-url", f"{standin.url}/v1"),
        *("--store", "votes.sqlite3", "-o", "out.json", *more),
    )
    assert outcome.code in (0, 10), outcome.err
    document = json.loads((chaperone.folder / "out.json").read_bytes())
    validator("report.v1").validate(document)
    return document


@pytest.mark.usefixtures("log")
def test_nobody_is_asked_about_a_screened_turn(chaperone: Chaperone, standin: Standin) -> None:
    document = claude(chaperone, standin, *SCREEN, "--screen-level", "1000")
    assert standin.ledger.calls == []
    assert document["usage"]["votes_asked"] == 0
    document = claude(chaperone, standin, *SCREEN, "--screen-level", "0", "--screen-reach", "0")
    assert screened(document) >= {("bread", 1), ("bread", 2)}
    asked = len(standin.ledger.calls)
    assert asked == document["summary"]["votes_cast"] == document["usage"]["votes_asked"] > 0
    # What was cast under one screen is not asked again without it.
    whole = claude(chaperone, standin)
    assert len(standin.ledger.calls) == whole["summary"]["votes_cast"]
    assert whole["usage"]["votes_from_store"] == asked
    kept = judged(document)
    assert kept == {key: turn for key, turn in judged(whole).items() if key in kept}


@pytest.mark.usefixtures("log")
def test_a_forecast_counts_the_turns_that_are_passed_on(
    chaperone: Chaperone, standin: Standin
) -> None:
    server = ("--evaluator", "claude", "--base-url", f"{standin.url}/v1", "--dry-run")
    level = ("--screen-level", "1000")
    outcome = chaperone("audit", "log.jsonl", *server, *SCREEN, *level)
    assert outcome.code == 0
    assert outcome.out.startswith("2 conversations, 0 turns to vote on, N = 5, ")
    assert "keeps 4 further turns from the vote" in outcome.out
    assert standin.ledger.calls == []
