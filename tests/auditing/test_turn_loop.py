"""The turn loop comes to what all votes on all turns come to, in whichever order they arrive."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.auditing.turn_loop import Screened, TurnLoop, Wave
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.domain.vote import Answer, Vote
from tests.auditing.test_bulk import PROTOCOLS, WORDS
from tests.domain.test_rule import (
    VOTES,
    after,
    every_rule,
    expected_threshold,
    of_all,
    sequences,
    votes_one_at_a_time,
)
from tests.support import scripted
from tests.support.scripted import RUBRIC, conversation

ONE_TURN = conversation("c", "a")


@pytest.mark.parametrize("passes", range(1, 6))
def test_every_vote_sequence_stops_early_and_exactly(passes: int) -> None:
    for rule in every_rule(passes):
        k = expected_threshold(rule, passes)
        for sequence in sequences(passes):
            loop = TurnLoop(ONE_TURN, Protocol(RUBRIC, rule, passes))
            for wave in loop.waves():
                loop.cast(wave, [VOTES[sequence[number - 1]] for number in wave.passes])
            [turn] = loop.verdict().turns
            found = turn.verdict, len(turn.votes)
            assert found == (of_all(after(sequence), k), votes_one_at_a_time(sequence, k))


@pytest.mark.parametrize("passes", range(1, 6))
def test_votes_asked_together_where_a_block_is_likely_change_no_verdict(passes: int) -> None:
    for rule in every_rule(passes):
        k = expected_threshold(rule, passes)
        for sequence in sequences(passes):
            screened = Screened(likely=frozenset({1}))
            loop = TurnLoop(ONE_TURN, Protocol(RUBRIC, rule, passes), screened, fast=True)
            before: tuple[Answer, ...] = ()
            for wave in loop.waves():
                before = sequence[: wave.passes.start - 1]
                loop.cast(wave, [VOTES[sequence[number - 1]] for number in wave.passes])
            [turn] = loop.verdict().turns
            assert turn.verdict == of_all(after(sequence), k)
            assert Answer.YES not in before or len(turn.votes) == passes


WORD_LISTS = st.lists(WORDS, max_size=6)
NUMBERS = st.frozensets(st.integers(1, 6))


def _answer(wave: Wave, words: list[str]) -> list[Vote]:
    return [scripted.VOTES[words[wave.turn.number - 1][number - 1]] for number in wave.passes]


def _loop(words: list[str], protocol: Protocol, out: frozenset[int]) -> TurnLoop:
    talk = conversation("c", *(f"{number}" for number, _ in enumerate(words)))
    return TurnLoop(talk, protocol, Screened(out))


def _in_order(words: list[str], protocol: Protocol, out: frozenset[int]) -> ConversationVerdict:
    loop = _loop(words, protocol, out)
    for wave in loop.waves():
        loop.cast(wave, _answer(wave, words))
    return loop.verdict()


@given(WORD_LISTS, PROTOCOLS, NUMBERS, st.randoms(use_true_random=False))
def test_answers_may_come_in_any_order(
    words: list[str], protocol: Protocol, out: frozenset[int], random: Random
) -> None:
    loop, open_still = _loop(words, protocol, out), True
    expected = _in_order(words, protocol, out)
    while open_still:
        open_still = False
        for wave in loop.waves():
            open_still = True
            if random.random() < 0.5:
                loop.cast(wave, _answer(wave, words))
        so_far = loop.so_far()
        if so_far is not None:
            assert so_far.turns == expected.turns[: len(so_far.turns)]
            assert so_far.partial == (so_far != expected)
    assert loop.verdict() == expected


@given(WORD_LISTS, PROTOCOLS, NUMBERS)
def test_the_verdict_is_that_of_all_votes_on_the_turns_that_count(
    words: list[str], protocol: Protocol, out: frozenset[int]
) -> None:
    verdict = _in_order(words, protocol, out)
    whole = _in_order(words, replace(protocol, until_block=False, all_votes=True), frozenset())
    voted = [turn for turn in whole.turns if turn.turn not in out]
    if protocol.until_block:
        blocks = (turn.turn for turn in voted if turn.verdict is Verdict.BLOCK)
        end = next(blocks, len(words))
        voted = [turn for turn in voted if turn.turn <= end]
    assert [(turn.turn, turn.side, turn.verdict) for turn in verdict.turns] == [
        (turn.turn, turn.side, turn.verdict) for turn in voted
    ]
    assert not verdict.partial
    assert verdict.turns_selected == len(whole.turns)
