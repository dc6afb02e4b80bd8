"""What calibration says of a level is what a run at that level would have done."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.metrics.calibration import LEVELS, CalibrationBuilder, LevelFigures
from chaperone_cli.domain.screening import Screening
from chaperone_cli.domain.verdict import ConversationVerdict, ScreenedTurn, Verdict
from tests.support.recorded import spelled

WORDS = st.sampled_from(["yyy", "nnn", "yay", "n", "aaa"])
TURN = st.tuples(WORDS, st.integers(-30, 30).map(lambda tenths: tenths / 10))
LOG = st.lists(st.tuples(st.sampled_from(["parasocial", None]), st.lists(TURN, max_size=8)))


def run(verdict: ConversationVerdict, out: frozenset[int]) -> ConversationVerdict:
    """Gives what a screened run says where an unscreened one says `verdict`."""
    return replace(
        verdict,
        turns=tuple(turn for turn in verdict.turns if turn.turn not in out),
        screened_out=tuple(
            ScreenedTurn(turn.turn, turn.side) for turn in verdict.turns if turn.turn in out
        ),
    )


@given(LOG, st.sampled_from(LEVELS[65:135]), st.integers(0, 3))
def test_every_figure_is_that_of_a_run(
    log: list[tuple[str | None, list[tuple[str, float]]]], level: float, reach: int
) -> None:
    builder = CalibrationBuilder(level, reach)
    screening = Screening("local", "1", level, reach)
    before, after = [], []
    for number, (label, turns) in enumerate(log):
        votes = " ".join(word for word, _ in turns)
        suspicions = [suspicion for _, suspicion in turns]
        verdict = spelled(f"c{number}", votes, label=label)
        builder.add(verdict, suspicions)
        before.append(verdict)
        after.append(run(verdict, screening.screened_out(suspicions)))
    found = builder.calibration()
    out = found.in_force.screened_out
    assert out.turns == sum(len(one.screened_out) for one in after)
    assert out.votes == sum(one.votes_cast for one in before) - sum(o.votes_cast for o in after)
    assert out.conversations == sum(one.wholly_screened_out for one in after)
    assert out.blocking == blocking(before) - blocking(after)
    moved = [
        (one.conversation, one.first_block.turn, then.first_block and then.first_block.turn)
        for one, then in zip(before, after, strict=True)
        if one.first_block and one.first_block != then.first_block
    ]
    named = [(one.conversation, one.first_block, one.screened) for one in found.displaced]
    assert named == moved
    assert found.in_force.missed == sum(later is None for _, _, later in moved)
    assert found.in_force.displaced == len(moved)
    assert sum(one.figures.displaced for one in found.labels) == len(moved)


@given(LOG, st.sampled_from([0.0, 0.25, 1.0]))
def test_the_suggested_level_is_the_highest_that_displaces_no_more(
    log: list[tuple[str | None, list[tuple[str, float]]]], most: float
) -> None:
    builder = CalibrationBuilder(0.0, 1)
    for number, (label, turns) in enumerate(log):
        verdict = spelled(f"c{number}", " ".join(word for word, _ in turns), label=label)
        builder.add(verdict, [suspicion for _, suspicion in turns])
    found = builder.calibration()
    shares = [share(one, found.blocked) for one in found.levels]
    assert shares == sorted(shares)
    suggested = found.suggested(most)
    if not found.blocked:
        assert suggested is None
        return
    assert suggested is not None
    place = found.levels.index(suggested)
    assert shares[place] <= most
    assert all(one > most for one in shares[place + 1 :])


def share(figures: LevelFigures, blocked: int) -> float:
    return figures.displaced / blocked if blocked else 0.0


def blocking(verdicts: list[ConversationVerdict]) -> int:
    return sum(turn.verdict is Verdict.BLOCK for one in verdicts for turn in one.turns)
