from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from chaperone_cli.domain.rule import RULES, Rule
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Tally, Vote
from chaperone_cli.errors import UsageError

MOST_PASSES = 7
ANSWERS = tuple(Answer)


def every_rule(passes: int) -> list[Rule]:
    spelled = ["unanimous", "tolerant", "balanced", "conservative"]
    return [Rule.parse(text) for text in spelled + [str(k) for k in range(1, passes + 1)]]


def expected_threshold(rule: Rule, passes: int) -> int:
    named = {"unanimous": passes, "balanced": -(-passes // 2), "conservative": 1}
    return named[rule.name] if rule.name in named else int(rule.name)


def after(sequence: tuple[Answer, ...]) -> Tally:
    return Tally(*(sequence.count(answer) for answer in (Answer.YES, Answer.NO, Answer.ABSTAIN)))


def of_all(tally: Tally, k: int) -> Verdict:
    """What all N votes amount to, by definition."""
    if tally.yes >= k:
        return Verdict.BLOCK
    return Verdict.UNDECIDED if tally.yes + tally.abstain >= k else Verdict.PASS


@cache
def reachable(tally: Tally, k: int, passes: int) -> frozenset[Verdict]:
    """Every verdict that some sequence of the outstanding votes still leads to."""
    if tally.cast == passes:
        return frozenset({of_all(tally, k)})
    futures = (reachable(tally.plus(answer), k, passes) for answer in ANSWERS)
    return frozenset[Verdict]().union(*futures)


@cache
def fewest(tally: Tally, k: int, passes: int) -> int:
    """The votes after which the verdict can be settled at the earliest."""
    if len(reachable(tally, k, passes)) == 1:
        return 0
    return 1 + min(fewest(tally.plus(answer), k, passes) for answer in ANSWERS)


def votes_one_at_a_time(sequence: tuple[Answer, ...], k: int) -> int:
    """The votes cast up to the first moment at which the rest no longer matters."""
    tally = Tally()
    for answer in sequence:
        if len(reachable(tally, k, len(sequence))) == 1:
            break
        tally = tally.plus(answer)
    return tally.cast


def drive(rule: Rule, sequence: tuple[Answer, ...]) -> tuple[Verdict, int]:
    """Asks in waves, as the engine does, and gives the verdict and the votes cast."""
    passes, tally = len(sequence), Tally()
    while (verdict := rule.decide(tally, passes)) is None:
        wave = rule.wave(tally, passes)
        assert wave >= 1
        for answer in sequence[tally.cast : tally.cast + wave]:
            tally = tally.plus(answer)
    assert rule.wave(tally, passes) == 0
    return verdict, tally.cast


def sequences(passes: int) -> Iterator[tuple[Answer, ...]]:
    return product(ANSWERS, repeat=passes)


@pytest.mark.parametrize("passes", range(1, MOST_PASSES + 1))
def test_early_stopping_is_exact_and_casts_no_vote_too_many(passes: int) -> None:
    for rule in every_rule(passes):
        k = expected_threshold(rule, passes)
        for sequence in sequences(passes):
            expected = of_all(after(sequence), k), votes_one_at_a_time(sequence, k)
            assert drive(rule, sequence) == expected, (rule, sequence)


@pytest.mark.parametrize("passes", range(1, MOST_PASSES + 1))
def test_a_wave_is_as_large_as_it_can_be_without_waste(passes: int) -> None:
    for rule in every_rule(passes):
        k = expected_threshold(rule, passes)
        for tally in (Tally(*kinds) for kinds in product(range(passes + 1), repeat=3)):
            if tally.cast <= passes:
                assert rule.wave(tally, passes) == fewest(tally, k, passes), (rule, tally)


@pytest.mark.parametrize("passes", range(1, MOST_PASSES + 1))
def test_a_block_under_one_rule_is_a_block_under_every_more_sensitive_one(passes: int) -> None:
    for sequence in sequences(passes):
        blocks = [rule.decide(after(sequence), passes) is Verdict.BLOCK for rule in RULES]
        assert blocks == sorted(blocks), sequence


@pytest.mark.parametrize("passes", range(1, MOST_PASSES + 1))
def test_votes_that_are_all_cast_are_never_left_open(passes: int) -> None:
    for rule in every_rule(passes):
        k = expected_threshold(rule, passes)
        for sequence in sequences(passes):
            assert rule.decide(after(sequence), passes) is of_all(after(sequence), k)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("unanimous", "unanimous"),
        ("tolerant", "unanimous"),
        (" Balanced ", "balanced"),
        ("CONSERVATIVE", "conservative"),
        ("3", "3"),
        ("007", "7"),
    ],
)
def test_parse_reads_names_aliases_and_numbers(text: str, name: str) -> None:
    assert Rule.parse(text) == Rule(name)


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "²", "٣", "majority", "balanced!"])
def test_parse_says_what_it_would_accept(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        Rule.parse(text)
    assert (raised.value.message, raised.value.hint) == (
        f"unknown rule {text!r}",
        "use unanimous, balanced, conservative, tolerant, or a number of yes votes from 1",
    )


def test_parse_shortens_what_it_does_not_know() -> None:
    with pytest.raises(UsageError) as raised:
        Rule.parse("x" * 500)
    assert raised.value.message == f"unknown rule {'x' * 40!r}"


def test_a_number_above_the_passes_is_refused() -> None:
    with pytest.raises(UsageError) as raised:
        Rule("6").threshold(5)
    assert (raised.value.message, raised.value.hint) == (
        "rule 6 needs 6 yes votes, but each turn gets only 5",
        "lower --rule to at most 5, or raise --votes",
    )


@pytest.mark.parametrize(
    ("passes", "thresholds"),
    [(1, [1, 1, 1]), (2, [2, 1, 1]), (3, [3, 2, 1]), (4, [4, 2, 1]), (5, [5, 3, 1])],
)
def test_thresholds_of_the_named_rules(passes: int, thresholds: list[int]) -> None:
    assert [rule.threshold(passes) for rule in RULES] == thresholds


VOTES = {Answer.YES: YES, Answer.NO: NO, Answer.ABSTAIN: Vote(Answer.ABSTAIN, AbstainReason.ERROR)}
