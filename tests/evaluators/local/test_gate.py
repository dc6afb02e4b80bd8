from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chaperone_cli.evaluators.local import model
from chaperone_cli.evaluators.local.gate import BEFORE, Approach
from tests.evaluators.local.judging import sides

if TYPE_CHECKING:
    from numpy.typing import NDArray


def test_the_gate_spares_most_of_the_work(
    loaded: model.Model, dialogues: Sequence[Sequence[str]]
) -> None:
    asked = [
        loaded.gate.open(numbers(loaded, [texts]), np.array(sides(texts), np.intp))
        for texts in dialogues
    ]
    share = np.concatenate(asked).mean()
    assert 0.05 < share < 0.5


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_gate_does_not_depend_on_how_turns_are_bundled(
    data: st.DataObject, loaded: model.Model, dialogues: Sequence[Sequence[str]]
) -> None:
    texts = dialogues[data.draw(st.integers(0, len(dialogues) - 1))]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(texts) - 1), max_size=4)))
    bundles = [texts[a:b] for a, b in zip([0, *cuts], [*cuts, len(texts)], strict=True)]
    assert np.array_equal(numbers(loaded, bundles), numbers(loaded, [texts]))


def test_the_gate_goes_by_a_few_parts_before(loaded: model.Model) -> None:
    texts = ["I love you more than anyone.", *["The train was late."] * 9]
    found = numbers(loaded, [texts])
    unlike = [
        not np.array_equal(row, found[-1 if place % 2 else -2]) for place, row in enumerate(found)
    ]
    assert unlike == [place <= BEFORE for place in range(10)]


def numbers(loaded: model.Model, bundles: Sequence[Sequence[str]]) -> "NDArray[np.float64]":
    """Gives what the gate goes by over a conversation that is heard in `bundles`."""
    approach, found, before = Approach(), [], 0
    for texts in bundles:
        side = [(before + place) % 2 for place in range(len(texts))]
        scored = loaded.scorer.score(texts, side)
        found.append(approach.advance(scored.evidence, scored.best, np.array(side, np.intp)))
        before += len(texts)
    return np.concatenate(found)
