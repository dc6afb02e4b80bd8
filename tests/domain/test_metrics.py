from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest

from chaperone_cli.codec.paper import published
from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.evaluate import evaluate
from chaperone_cli.domain.metrics.figures import Evaluation, Lag, RuleFigures, SideFigures
from chaperone_cli.domain.metrics.proportion import Interval, Proportion, wilson
from chaperone_cli.domain.metrics.replay import settle
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import UsageError
from tests.support.recorded import UNANIMOUS, paper_ledger, side_of, spelled, thirty


@pytest.fixture(scope="module")
def on_thirty() -> Evaluation:
    return evaluate(thirty(), 5, UNANIMOUS)


@pytest.fixture(scope="module")
def on_ledger() -> Evaluation:
    return evaluate(paper_ledger(), 5, UNANIMOUS)


def blocked(rule: RuleFigures) -> dict[str, int]:
    return {figures.label: figures.blocked.count for figures in rule.labels}


def test_the_recorded_votes_on_the_thirty_dialogues(on_thirty: Evaluation) -> None:
    unanimous, _, conservative = on_thirty.rules
    nothing_else = {"sycophantic": 0, "neutral": 0}
    assert [blocked(rule) for rule in on_thirty.rules] == [
        {"parasocial": 10} | nothing_else,
        {"parasocial": 10} | nothing_else,
        {"parasocial": 10, "sycophantic": 1, "neutral": 0},
    ]
    assert [rule.accuracy for rule in on_thirty.rules] == [
        Proportion(30, 30),
        Proportion(30, 30),
        Proportion(29, 30),
    ]
    assert conservative.precision == Proportion(10, 11)
    assert conservative.recall == Proportion(10, 10)
    assert conservative.f1 == pytest.approx(20 / 21)
    assert [rule.labels[0].first_block.mean for rule in on_thirty.rules] == [2.9, 2.7, 2.6]
    assert unanimous.labels[0].prompts == SideFigures(100, 90, 0, first_blocks=9)
    assert unanimous.labels[0].responses == SideFigures(100, 91, 0, first_blocks=1)
    turns = [
        (rule.labels[0].prompts.blocked, rule.labels[0].responses.blocked)
        for rule in on_thirty.rules
    ]
    assert turns == [(90, 91), (91, 92), (92, 92)]
    assert unanimous.lag == Lag(Distribution(((-1, 4), (0, 6))), never=0)
    assert [rule.votes_needed for rule in on_thirty.rules] == [1326, 1804, 2265]
    assert [rule.votes_until_block for rule in on_thirty.rules] == [471, 1283, 1994]
    assert on_thirty.votes_cast == 3000


def test_the_passes_agree_on_the_thirty_dialogues(on_thirty: Evaluation) -> None:
    agreement = on_thirty.agreement
    assert agreement.kappa == pytest.approx(0.992919, abs=5e-7)
    assert (agreement.turns, agreement.split, agreement.abstentions) == (
        600,
        4,
        Proportion(0, 3000),
    )
    assert agreement.scores.counts == ((0, 415), (1, 2), (3, 1), (4, 1), (5, 181))


def test_the_ledger_gives_every_figure_that_the_paper_published(on_ledger: Evaluation) -> None:
    paper = published()
    assert paper.compares_with(on_ledger)
    compared = 0
    for rule in on_ledger.rules:
        assert rule.accuracy.rate == paper.accuracy(rule.rule.name)
        for figures in rule.labels:
            theirs = paper.of(rule.rule.name, figures.label)
            mean = figures.first_block.mean
            pairs = [
                (theirs.blocked, figures.blocked.count),
                (theirs.mean_first_block, None if mean is None else round(mean, 2)),
                (theirs.prompts, figures.prompts.blocked),
                (theirs.responses, figures.responses.blocked),
                (theirs.prompts_first, figures.prompts.first_blocks),
                (theirs.responses_first, figures.responses.first_blocks),
            ]
            published_ones = [pair for pair in pairs if pair[0] is not None]
            assert [a for a, _ in published_ones] == [b for _, b in published_ones]
            compared += len(published_ones)
    assert compared == 9 + 5 + 18 + 2


def test_early_stopping_on_the_ledger_averages_to_the_bounds_that_table_1_implies() -> None:
    # The ledger's order of votes within a turn is arbitrary, so every order weighs the same.
    votes = Fraction(0)
    for conversation in paper_ledger():
        for turn in conversation.turns:
            orders = list(permutations(vote.answer for vote in turn.votes))
            votes += Fraction(sum(settle(UNANIMOUS, order).votes for order in orders), len(orders))
    assert votes == 1385


@pytest.mark.parametrize(
    ("count", "total", "expected"),
    [
        (10, 10, Interval(0.722, 1.0)),
        (0, 20, Interval(0.0, 0.161)),
        (24, 30, Interval(0.627, 0.905)),
        (18, 30, Interval(0.423, 0.754)),
        (30, 30, Interval(0.886, 1.0)),
    ],
)
def test_known_wilson_intervals(count: int, total: int, expected: Interval) -> None:
    low, high = wilson(count, total)
    assert Interval(round(low, 3), round(high, 3)) == expected


def test_undecided_conversations_are_neither_blocked_nor_passed_over() -> None:
    log = [
        spelled("open", "nnn yya nnn", label="parasocial", onset=2),
        spelled("late", "yya yyy", label="parasocial", onset=2),
        spelled("calm", "nnn aaa", label="neutral"),
        spelled("fine", "nnn nnn", label="neutral"),
    ]
    unanimous, balanced, conservative = evaluate(log, 3, UNANIMOUS).rules
    parasocial, neutral = unanimous.labels
    assert (parasocial.blocked, parasocial.undecided) == (Proportion(1, 2), 1)
    assert parasocial.undecided_before_block == 1
    assert parasocial.prompts == SideFigures(judged=3, blocked=0, undecided=1, first_blocks=0)
    assert parasocial.responses == SideFigures(judged=2, blocked=1, undecided=1, first_blocks=1)
    assert unanimous.lag == Lag(Distribution(((0, 1),)), never=1)
    assert (neutral.blocked, neutral.undecided) == (Proportion(0, 2), 1)
    assert [rule.undecided for rule in (unanimous, balanced, conservative)] == [2, 1, 1]
    assert unanimous.accuracy == Proportion(3, 4)
    assert balanced.accuracy == Proportion(4, 4)
    assert balanced.lag == Lag(Distribution(((-1, 1), (0, 1))), never=0)


def test_what_cannot_be_used_is_counted() -> None:
    log = [
        spelled("a", "y y", label="parasocial"),
        spelled("b", "n n"),
        spelled("c", "n", label=""),
        spelled("d", "", label="neutral"),
    ]
    found = evaluate(log, 1, UNANIMOUS)
    assert (found.conversations, found.unlabelled, found.unjudged) == (4, 2, 1)
    assert [figures.label for figures in found.rules[0].labels] == ["parasocial"]
    assert found.agreement.turns == found.votes_cast == 5
    assert found.agreement.kappa is None


def test_labels_come_in_the_papers_order_and_then_by_name() -> None:
    names = ["zeal", "neutral", "banter", "parasocial", "sycophantic"]
    log = [spelled(name, "y", label=name) for name in names]
    labels = [figures.label for figures in evaluate(log, 1, UNANIMOUS).rules[0].labels]
    assert labels == ["parasocial", "sycophantic", "neutral", "banter", "zeal"]


def test_a_rule_that_is_a_number_is_added_to_the_named_ones() -> None:
    found = evaluate([spelled("a", "yyn", label="parasocial")], 3, Rule("2"))
    assert [(rule.rule.name, rule.threshold) for rule in found.rules] == [
        ("unanimous", 3),
        ("balanced", 2),
        ("conservative", 1),
        ("2", 2),
    ]
    assert found.rules[1].labels == found.rules[3].labels


def test_an_empty_log_has_no_rates() -> None:
    found = evaluate([], 5, UNANIMOUS)
    rule = found.rules[0]
    assert (rule.accuracy.rate, rule.accuracy.interval, rule.f1) == (None, None, None)
    assert (found.agreement.kappa, found.conversations, rule.labels) == (None, 0, ())
    assert not published().compares_with(found)


def with_first(change: ConversationVerdict) -> list[ConversationVerdict]:
    return [change, *list(thirty())[1:]]


FIRST = next(thirty())
OTHER_DESIGNS = {
    "another label": with_first(replace(FIRST, label="neutral")),
    "no label": [*thirty(), replace(FIRST, label=None)],
    "nothing judged": [*thirty(), spelled("x", "", label="neutral")],
    "fewer turns": with_first(replace(FIRST, turns=FIRST.turns[:19], turns_total=19)),
    "turns left unjudged": with_first(replace(FIRST, turns_total=21, turns_selected=21)),
    "chatbot first": with_first(
        replace(
            FIRST, turns=tuple(replace(turn, side=side_of(turn.turn + 1)) for turn in FIRST.turns)
        )
    ),
}


@pytest.mark.parametrize("change", OTHER_DESIGNS)
def test_the_paper_stands_only_beside_a_log_of_its_design(change: str) -> None:
    assert published().compares_with(evaluate(thirty(), 5, UNANIMOUS))
    assert not published().compares_with(evaluate(OTHER_DESIGNS[change], 5, UNANIMOUS))


def test_the_paper_stands_only_beside_its_number_of_votes() -> None:
    log = [spelled(each.conversation, "nnn " * 20, label=each.label) for each in thirty()]
    assert not published().compares_with(evaluate(log, 3, UNANIMOUS))


def test_turns_that_should_have_been_judged_are_counted() -> None:
    cut_short = replace(spelled("a", "y y", label="parasocial"), turns_total=7, turns_selected=5)
    assert evaluate([cut_short], 1, UNANIMOUS).turns_unjudged == 3


def test_a_turn_that_lacks_votes_is_refused() -> None:
    with pytest.raises(UsageError) as raised:
        evaluate([spelled("c-9", "yyy yy", label="neutral")], 3, UNANIMOUS)
    assert (raised.value.message, raised.value.hint) == (
        "turn 2 of conversation 'c-9' has 2 votes, but an evaluation needs 3 on each turn",
        "record the missing votes, or ask for fewer with --votes",
    )


def test_a_rule_above_the_passes_is_refused_before_any_conversation() -> None:
    with pytest.raises(UsageError, match="rule 4 needs 4 yes votes"):
        evaluate([], 3, Rule("4"))
