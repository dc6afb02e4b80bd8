"""What training says of verdicts beside those of a language model's passes."""

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

from chaperone_cli.domain.rule import RULES
from training import comparison
from training.dialogues import Dialogue

DOUBT = 0.5


def dialogue(
    label: str, votes: tuple[int, ...], onset: int | None, *more: tuple[float, ...]
) -> Dialogue:
    turns = len(votes)
    sides = tuple(turn % 2 for turn in range(turns))
    return Dialogue(
        "x", "file", label, ("-",) * turns, sides, (frozenset(),) * turns, votes, onset, False, more
    )


BOND = dialogue("parasocial", (0, 1, 1, 1), 4, (0, DOUBT, 1, 1), (0, 0, 1, 1), (0, 0, 0, DOUBT))
NONE = dialogue("neutral", (0, 1), None, (0, DOUBT))
ALONE = dialogue("parasocial", (1, 1), 1)


def test_passes_block_by_the_rule_and_a_pass_in_doubt_is_no_yes() -> None:
    assert [BOND.verdicts(rule) for rule in RULES] == [
        (False, False, False, False),
        (False, False, True, True),
        (False, True, True, True),
    ]
    assert [NONE.verdicts(rule) for rule in RULES] == [
        (False, False),
        (False, True),
        (False, True),
    ]


def test_each_further_pass_is_measured_on_the_dialogues_that_it_read() -> None:
    lag = {
        "lag_mean": 1.0,
        "lag_median": 1.0,
        "lag_at_prompts": 0.0,
        "lag_at_responses": 1.0,
        "lag_behind_onset": -1.0,
    }
    never = dict.fromkeys(lag, 0.0)
    assert comparison.by_passes([BOND, NONE, ALONE]) == [
        # Of six turns, two are told otherwise: 4/6 alike, 4/9 by chance.
        {"caught": 1.0, "others_blocked": 0.0, **lag, "kappa": 0.4},
        {"caught": 1.0, "others_blocked": 0.0, **lag, "kappa": 0.5},
        {"caught": 0.0, "others_blocked": 0.0, **never, "kappa": 0.0},
    ]


def test_labelled_onsets_are_measured_against_the_first_pass_and_against_all() -> None:
    measured = comparison.by_onset([BOND, NONE, ALONE])
    assert {name: measured[name] for name in ("lag_mean", "lag_at_responses", "kappa")} == {
        "lag_mean": 1.0,
        "lag_at_responses": 2.0,
        "kappa": 0.3333,
    }
    # All passes together say yes nowhere, so that there is nothing to be behind of.
    assert measured["passes"] == {
        "lag_mean": 0.0,
        "lag_median": 0.0,
        "lag_at_prompts": 0.0,
        "lag_at_responses": 0.0,
        "kappa": 0.0,
    }
    assert comparison.by_onset([ALONE])["passes"] == {}
