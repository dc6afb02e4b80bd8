"""How far votes agree and what they are worth, in every report of a run."""

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone
from tests.support.runs import audit, write_log

Votes = npt.NDArray[np.int64]
"""1 for yes and 0 for no, a row a turn and a column a pass."""

ABSTAINING: dict[str, list[Sequence[object]]] = {
    "one": [[1, 1, "refused"], [1, 0, 0]],
    "other": [[0, 0, 1], ["error"] * 3],
}


def recorded(samples: Path) -> Votes:
    lines = (samples / "thirty.votes.jsonl").read_text("utf-8").splitlines()
    return np.array([json.loads(line)["votes"] for line in lines])


def cast(document: Any) -> Votes:
    """Gives the votes that a report lists turn by turn."""
    return np.array([turn["votes"] for one in document["conversations"] for turn in one["turns"]])


def by_numpy(votes: Votes) -> dict[str, Any]:
    """Works the agreement out from Pearson's correlations, which phi is a case of."""
    turns, passes = votes.shape
    pairs = list(combinations(range(passes), 2))
    correlations = np.array(np.corrcoef(votes, rowvar=False))
    rho = float(np.mean([correlations[pair] for pair in pairs]))
    return {
        "turns": turns,
        "split_turns": int(np.sum(votes.min(axis=1) != votes.max(axis=1))),
        "alike": sum(int(np.sum(votes[:, one] == votes[:, other])) for one, other in pairs),
        "compared": turns * len(pairs),
        "abstained": 0,
        "correlation": pytest.approx(rho, abs=1e-6),
        "independent_votes": pytest.approx(passes / (1 + (passes - 1) * rho), abs=1e-6),
        "by_pair": [_by_pair(votes, one, other) for one, other in pairs],
    }


def _by_pair(votes: Votes, one: int, other: int) -> dict[str, Any]:
    first, second = votes[:, one] == 1, votes[:, other] == 1
    return {
        "passes": [one + 1, other + 1],
        "yes_yes": int(np.sum(first & second)),
        "yes_no": int(np.sum(first & ~second)),
        "no_yes": int(np.sum(~first & second)),
        "no_no": int(np.sum(~first & ~second)),
        "abstained": 0,
    }


def read(chaperone: Chaperone, name: str) -> Any:
    return json.loads((chaperone.folder / name).read_bytes())


def told(out: str) -> list[str]:
    """Gives what terminal output says of the agreement."""
    return [line.split(maxsplit=1)[1] for line in out.splitlines() if "  agreement " in line]


def test_five_recorded_passes(chaperone: Chaperone, samples: Path) -> None:
    files = [word for name in ("r.json", "r.jsonl", "r.md", "r.html") for word in ("-o", name)]
    outcome = chaperone(
        *("audit", samples / "thirty.jsonl", "--evaluator", "recorded", "--all-votes"), *files
    )
    document = read(chaperone, "r.json")
    validator("report.v1").validate(document)
    agreement = document["summary"]["agreement"]
    assert agreement == by_numpy(recorded(samples))
    line = (
        ">99 % of pairs; 5 votes worth "
        f"{agreement['independent_votes']:.1f} independent ones (600 turns)"
    )
    assert told(outcome.out) == [line]
    assert f"| agreement | {line} |" in (chaperone.folder / "r.md").read_text("utf-8")
    page = (chaperone.folder / "r.html").read_text("utf-8")
    assert f'data-figure="alike">{agreement["alike"]:,}</td>' in page
    assert f'data-figure="independent_votes">{agreement["independent_votes"]:.1f}</td>' in page
    assert "&gt;99 % of 6,000 pairs on 600 turns" in page
    for saved in ("r.json", "r.jsonl"):
        assert told(chaperone("report", saved, "-o", "again.json").out) == [line]
        assert read(chaperone, "again.json")["summary"]["agreement"] == agreement


def test_the_local_evaluator_always_casts_all_votes(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone("audit", samples / "thirty.jsonl", "-o", "r.json")
    document = read(chaperone, "r.json")
    assert document["run"]["all_votes"] is True
    assert document["summary"]["votes_saved"] == 0
    votes = cast(document)
    assert votes.shape == (600, 5)
    assert document["summary"]["agreement"] == by_numpy(votes)
    [line] = told(outcome.out)
    worth = document["summary"]["agreement"]["independent_votes"]
    assert line.endswith(f"of pairs; 5 votes worth {worth:.1f} independent ones (600 turns)")


def test_votes_that_stopped_are_no_measure(chaperone: Chaperone, samples: Path) -> None:
    """Turns on which all votes happen to be cast were chosen by what those votes say."""
    files = [word for name in ("r.json", "r.md", "r.html") for word in ("-o", name)]
    outcome = chaperone("audit", samples / "thirty.jsonl", "--evaluator", "recorded", *files)
    document = read(chaperone, "r.json")
    assert any(
        len(turn["votes"]) == 5 for one in document["conversations"] for turn in one["turns"]
    )
    assert "agreement" not in document["summary"]
    line = "known only where all votes are cast, with --all-votes"
    assert told(outcome.out) == [line]
    assert f"| agreement | {line} |" in (chaperone.folder / "r.md").read_text("utf-8")
    page = (chaperone.folder / "r.html").read_text("utf-8")
    assert (
        '<th scope="row">Pairs alike</th><td>unknown</td>'
        '<td class="note">needs <code>--all-votes</code></td>' in page
    )


def test_abstentions_are_left_out_and_counted(chaperone: Chaperone) -> None:
    write_log(chaperone, ABSTAINING)
    _, out, _ = audit(chaperone, "--all-votes", "-o", "r.json")
    document = read(chaperone, "r.json")
    validator("report.v1").validate(document)
    # Passes 1 and 2 say yes yes, yes no, no no; 1 and 3 yes no, no yes; 2 and 3 no no, no yes.
    nothing = {"yes_yes": 0, "yes_no": 0, "no_yes": 0, "no_no": 0}
    assert document["summary"]["agreement"] == {
        **{"turns": 4, "split_turns": 3, "alike": 3, "compared": 7, "abstained": 5},
        **{"correlation": -0.25, "independent_votes": 3.0},
        "by_pair": [
            {"passes": [1, 2], **nothing, "yes_yes": 1, "yes_no": 1, "no_no": 1, "abstained": 1},
            {"passes": [1, 3], **nothing, "yes_no": 1, "no_yes": 1, "abstained": 2},
            {"passes": [2, 3], **nothing, "no_yes": 1, "no_no": 1, "abstained": 2},
        ],
    }
    assert told(out) == ["43 % of pairs; 3 votes worth 3.0 independent ones (4 turns)"]


@pytest.mark.parametrize(
    ("votes", "line"),
    [
        (
            [[0, 0, 0], [0, 0, 0]],
            "100 % of pairs; too few answers vary to say what 3 votes are worth (2 turns)",
        ),
        (
            [["error", 1, "error"]],
            "not known: no two votes on the same turn say yes or no (1 turn)",
        ),
    ],
)
def test_what_the_votes_cannot_tell_is_said(
    chaperone: Chaperone, votes: list[Sequence[object]], line: str
) -> None:
    write_log(chaperone, {"a": votes})
    _, out, _ = audit(chaperone, "--all-votes", "-o", "r.json", "-o", "r.html")
    document = read(chaperone, "r.json")
    validator("report.v1").validate(document)
    assert document["summary"]["agreement"]["independent_votes"] is None
    assert told(out) == [line]
    page = (chaperone.folder / "r.html").read_text("utf-8")
    assert '<th scope="row">Independent votes</th><td>unknown</td>' in page


def test_one_vote_a_turn_agrees_with_nothing(chaperone: Chaperone) -> None:
    write_log(chaperone, {"a": [[1], [0]]})
    outcome = chaperone(
        *("audit", "log.jsonl", "--evaluator", "recorded", "--votes", "1", "--all-votes"),
        *("-o", "r.json"),
    )
    assert told(outcome.out) == []
    assert "agreement" not in read(chaperone, "r.json")["summary"]


def test_a_report_with_other_counts_than_its_votes_is_refused(chaperone: Chaperone) -> None:
    write_log(chaperone, ABSTAINING)
    audit(chaperone, "--all-votes", "-o", "r.json")
    whole = (chaperone.folder / "r.json").read_text("utf-8")
    for old, new, said in [
        ('"split_turns":3', '"split_turns":2', "its totals are not those of its conversations"),
        ('"alike":3', '"alike":4', "agreement.alike: expected what follows from the pairs"),
        ('"yes_yes":1', '"yes_yes":2', "agreement.by_pair[0]: expected counts of 4 turns in all"),
        ("[1,2]", "[1,4]", "by_pair[0].passes: expected two passes of 3, the lower one first"),
    ]:
        assert old in whole
        chaperone.write("other.json", whole.replace(old, new, 1).removesuffix("\n"))
        outcome = chaperone("report", "other.json")
        assert (outcome.code, outcome.out) == (3, "")
        assert said in outcome.err


def test_a_report_from_before_it_was_told_still_renders(chaperone: Chaperone) -> None:
    write_log(chaperone, ABSTAINING)
    _, out, _ = audit(chaperone, "--all-votes", "-o", "r.json")
    document = read(chaperone, "r.json")
    del document["summary"]["agreement"]
    chaperone.write("old.json", json.dumps(document))
    assert told(chaperone("report", "old.json").out) == told(out)


def test_evaluate_tells_the_same(chaperone: Chaperone, samples: Path) -> None:
    outcome = chaperone(
        "evaluate", samples / "thirty.jsonl", "--evaluator", "recorded", "-o", "e.json"
    )
    document = read(chaperone, "e.json")
    validator("evaluation.v1").validate(document)
    pairs = document["agreement"]["pairs"]
    assert pairs == by_numpy(recorded(samples))
    rows = [line.split() for line in outcome.out.splitlines()]
    [alike] = [cells[2:] for cells in rows if cells[:2] == ["pairs", "alike"]]
    assert alike == [f"{pairs['alike']}/6000", ">99", "%"]
    [worth] = [cells[2:] for cells in rows if cells[:2] == ["independent", "votes"]]
    assert worth == [f"{pairs['independent_votes']:.2f}".removesuffix("0")]
