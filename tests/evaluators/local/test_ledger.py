from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chaperone_cli.evaluators.local.cues import WIDTH
from chaperone_cli.evaluators.local.ledger import SIZE, Ledger
from chaperone_cli.evaluators.local.members import NAMES, keep

SHAPE = (len(NAMES), 2 * WIDTH)


@given(
    evidence=st.integers(1, 60).flatmap(
        lambda turns: arrays(np.float64, (turns, *SHAPE), elements=st.sampled_from([0, 0.5, 1]))
    )
)
def test_no_number_grows_beyond_its_bound(evidence: Any) -> None:
    numbers = keep(Ledger(len(NAMES)), evidence).numbers
    assert numbers.min() >= 0
    assert numbers.max() <= 1


def test_the_same_turn_again_and_again_settles() -> None:
    numbers = keep(Ledger(len(NAMES)), np.full((2000, *SHAPE), 0.625)).numbers
    assert np.abs(numbers[200] - numbers[1999]).max() < 1e-9


def test_what_was_said_fades() -> None:
    evidence = np.zeros((3000, *SHAPE))
    evidence[0] = 1
    numbers = keep(Ledger(len(NAMES)), evidence).numbers
    assert numbers.shape == (3000, len(NAMES), SIZE)
    assert numbers[0].max() == 1
    assert numbers[2999].max() < 0.01


def test_pages_do_not_depend_on_how_turns_are_bundled() -> None:
    evidence = np.random.default_rng(7).integers(0, 1025, (50, *SHAPE)) / 1024
    whole = keep(Ledger(len(NAMES)), evidence)
    ledger = Ledger(len(NAMES))
    parts = [keep(ledger, part) for part in np.array_split(evidence, [1, 4, 30])]
    assert np.array_equal(whole.numbers, np.concatenate([part.numbers for part in parts]))
    assert np.array_equal(whole.peaks, np.concatenate([part.peaks for part in parts]))
