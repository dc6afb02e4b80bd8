from dataclasses import replace
from statistics import fmean, median

from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.metrics.agreement import fleiss_kappa
from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.evaluate import evaluate
from chaperone_cli.domain.metrics.proportion import wilson
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.domain.vote import Tally
from tests.support.recorded import UNANIMOUS, spelled

LABELS = st.sampled_from(["parasocial", "sycophantic", "neutral", "other", None])
PASSES = 3


@st.composite
def conversations(draw: st.DrawFn) -> ConversationVerdict:
    words = draw(st.lists(st.text("yna", min_size=PASSES, max_size=PASSES), max_size=6))
    onset = draw(st.none() | st.integers(1, 6))
    return spelled("c", " ".join(words), label=draw(LABELS), onset=onset)


LOGS = st.lists(conversations(), max_size=8)
TALLIES = st.builds(
    lambda yes, no: Tally(yes, no, 7 - yes - no), st.integers(0, 3), st.integers(0, 4)
)


@given(st.integers(1, 10**6), st.data())
def test_the_wilson_interval_contains_its_estimate(total: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, total))
    low, high = wilson(count, total)
    assert 0 <= low <= count / total <= high <= 1


@given(st.integers(1, 10**4), st.data())
def test_the_wilson_interval_mirrors(total: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, total))
    low, high = wilson(count, total)
    mirrored = wilson(total - count, total)
    assert abs(1 - high - mirrored.low) < 1e-12
    assert abs(1 - low - mirrored.high) < 1e-12


@given(st.integers(2, 9), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_kappa_is_one_where_every_turns_votes_agree(
    n: int, yes: int, no: int, abstain: int
) -> None:
    turns = {Tally(n, 0, 0): yes, Tally(0, n, 0): no, Tally(0, 0, n): abstain}
    turns = {tally: count for tally, count in turns.items() if count}
    assert fleiss_kappa(turns) == (1 if turns else None)


@given(st.dictionaries(TALLIES, st.integers(1, 30), min_size=1))
def test_kappa_is_at_most_one_and_one_only_of_full_agreement(turns: dict[Tally, int]) -> None:
    kappa = fleiss_kappa(turns)
    assert kappa is not None
    agreed = all(max(tally) == tally.cast for tally in turns)
    assert kappa == 1 if agreed else kappa < 1


def test_kappa_with_an_abstention() -> None:
    # Two turns of three votes, worked by hand: P = (1 + 1/3) / 2, Pe = (5/6)^2 + (1/6)^2.
    kappa = fleiss_kappa({Tally(3, 0, 0): 1, Tally(2, 0, 1): 1})
    assert kappa is not None
    assert abs(kappa - (2 / 3 - 26 / 36) / (1 - 26 / 36)) < 1e-12


@given(LOGS, st.permutations(range(PASSES)))
def test_the_order_of_the_passes_changes_nothing_but_the_votes_needed(
    log: list[ConversationVerdict], order: list[int]
) -> None:
    reordered = []
    for each in log:
        letters = ("".join(vote.answer.value[0] for vote in turn.votes) for turn in each.turns)
        words = ("".join(word[pass_] for pass_ in order) for word in letters)
        reordered.append(spelled("c", " ".join(words), label=each.label, onset=each.onset))
    before, after = evaluate(log, PASSES, UNANIMOUS), evaluate(reordered, PASSES, UNANIMOUS)
    # Which passes make a pair does change; what all pairs come to is told by the laws of pairs.
    assert before.agreement == replace(after.agreement, pairs=before.agreement.pairs)
    assert before.agreement.pairs.correlation == after.agreement.pairs.correlation
    assert [rule.labels for rule in before.rules] == [rule.labels for rule in after.rules]


@given(st.data(), LOGS)
def test_the_order_of_the_conversations_changes_nothing(
    data: st.DataObject, log: list[ConversationVerdict]
) -> None:
    shuffled = data.draw(st.permutations(log))
    assert evaluate(shuffled, PASSES, Rule("2")) == evaluate(log, PASSES, Rule("2"))


@given(LOGS)
def test_early_stopping_casts_at_most_all_votes_and_fewer_until_a_block(
    log: list[ConversationVerdict],
) -> None:
    found = evaluate(log, PASSES, UNANIMOUS)
    for rule in found.rules:
        assert rule.votes_until_block <= rule.votes_needed <= found.votes_cast


@given(LOGS)
def test_every_conversation_is_counted_once(log: list[ConversationVerdict]) -> None:
    found = evaluate(log, PASSES, UNANIMOUS)
    judged = [each for each in log if each.turns]
    for rule in found.rules:
        labelled = sum(figures.blocked.total for figures in rule.labels)
        assert labelled == sum(each.label is not None for each in judged)
        for figures in rule.labels:
            blocked = figures.blocked.count
            assert figures.first_block.size == blocked
            assert figures.prompts.first_blocks + figures.responses.first_blocks == blocked
            assert blocked + figures.undecided <= figures.blocked.total


@given(st.lists(st.integers(-50, 50), min_size=1))
def test_mean_and_median_are_those_of_the_numbers(numbers: list[int]) -> None:
    counted = Distribution.of({number: numbers.count(number) for number in numbers})
    assert counted.mean is not None
    assert abs(counted.mean - fmean(numbers)) < 1e-9
    assert counted.median == median(numbers)
    assert counted.below(0) == sum(number < 0 for number in numbers)
