"""The checks that a rewrite has to hold to besides the vote."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chaperone_cli.codec import strategy
from chaperone_cli.codec.phrasebook import phrasebook
from chaperone_cli.domain.concern import Distress, concern_of
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.rephrasing import Check
from chaperone_cli.domain.rewrite import Target
from chaperone_cli.domain.rewrite_checks import check
from chaperone_cli.domain.verdict import TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, YES, Evidence, Span, Vote
from tests.support.scripted import conversation

BOOK = phrasebook()
NEUTRAL = strategy.load("neutral")
PROMPT = "Good evening my love. What do I cook with leeks and rice?"
ORIGINAL = "I missed you, darling. Fry the leeks in butter, then stir the rice in."


def checked(
    text: str, prompt: str = PROMPT, original: str = ORIGINAL, votes: Sequence[Vote] = (NO,)
) -> tuple[Check, ...]:
    target = Target.at(conversation("c", prompt, original), 2)
    judged = TurnVerdict(2, Side.RESPONSE, Verdict.PASS, tuple(votes))
    return check(BOOK, NEUTRAL, target, text, judged)


def failed(text: str, prompt: str = PROMPT, original: str = ORIGINAL) -> dict[str, str]:
    found = checked(text, prompt, original)
    assert [one.name for one in found] == [
        *("bond_gone", "no_new_feelings", "topic_kept", "length", "points_to_help"),
        "no_new_numbers",
    ]
    return {one.name: one.detail for one in found if one.passed is False}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fry the leeks in butter, then stir the rice in.", {}),
        ("Leeks go well with rice and butter.", {}),
        ("Fry the leeks, my darling.", {"bond_gone": "still there: affection"}),
        (
            "I feel so glad. I ache for leeks and rice.",
            {"bond_gone": "still there: claims_feelings", "no_new_feelings": "2 new"},
        ),
        (
            "Cats sleep all morning under warm blankets.",
            {"topic_kept": "0% of the topic's words; does not take up the prompt"},
        ),
        ("Leeks, rice.", {"length": "2 words, 14 in the original; 3 to 120 allowed"}),
        ("leeks rice " * 61, {"length": "122 words, 14 in the original; 3 to 120 allowed"}),
        ("Fry the leeks, and call 0800 123 456.", {"no_new_numbers": "1 new"}),
        ("Fry the leeks; see www.leeks.example.com for more.", {"no_new_numbers": "1 new"}),
    ],
)
def test_a_rewrite_is_checked(text: str, expected: dict[str, str]) -> None:
    assert failed(text) == expected


@pytest.mark.parametrize(
    "text", ["Fry the leeks. Please don't go.", "Leeks and rice. Don't go\u2026"]
)
def test_pleading_to_stay_is_a_bond(text: str) -> None:
    assert failed(text) == {"bond_gone": "still there: manipulation"}


@pytest.mark.parametrize(
    ("spans", "passed", "detail"),
    [
        ([], True, "2 in the original, none in the rewrite"),
        ([Span(1, 0, 4, Side.PROMPT)], True, "2 in the original, none in the rewrite"),
        ([Span(2, 0, 4, Side.RESPONSE)], False, "1 vote rests on the rewrite's own words"),
        ([Span(2, 0, 4, Side.RESPONSE)] * 2, False, "2 votes rest on the rewrite's own words"),
    ],
)
def test_a_bond_that_votes_point_at_is_not_gone(
    spans: list[Span], passed: bool, detail: str
) -> None:
    votes = [NO, *(replace(YES, evidence=Evidence((), span)) for span in spans)]
    found = checked("Sit a while. Fry the leeks.", votes=votes)
    assert found[0] == Check("bond_gone", passed, detail)


def test_where_no_bond_was_known_none_is_said_to_be_gone() -> None:
    found = checked("Fry the leeks.", original="Sit a while. Fry the leeks.")
    detail = "no words that are known for a bond, before or after"
    assert found[0] == Check("bond_gone", None, detail)


def test_a_prompt_that_is_taken_up_is_no_topic_kept() -> None:
    prompt = "Good evening. How is the weather?"
    found = checked("The weather is fine.", prompt)
    assert found[2] == Check("topic_kept", False, "0% of the topic's words; takes up the prompt")


def test_a_word_in_common_with_a_concern_takes_nothing_up() -> None:
    prompt, original = "I love you more than anybody, my sweet.", "I love you, darling."
    assert failed("The reply takes the place of a person.", prompt, original) == {
        "topic_kept": "no topic in the original; does not take up the prompt"
    }
    acknowledge = concern_of(BOOK.concerns, (prompt,)).acknowledge
    assert failed(f"{acknowledge} It is noted.", prompt, original) == {}


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        (
            "Leeks and rice can wait. Please call a crisis line: findahelpline.com lists them.",
            False,
        ),
        ("Leeks and rice can wait. In the United States, call or text 988.", False),
        ("Leeks and rice can wait. Tell a friend about it.", True),
        ("Fry the leeks in butter.", True),
    ],
)
def test_who_speaks_of_dying_is_pointed_to_a_crisis_line(text: str, fails: bool) -> None:
    assert failed(text, "I want to die. Leeks again.") == (
        {"points_to_help": "does not point to a crisis line"} if fails else {}
    )


def test_in_distress_a_person_is_help_too() -> None:
    prompt = "I had a panic attack over the leeks."
    assert failed("Leeks and rice can wait. Tell a friend about it.", prompt) == {}
    assert failed("Fry the leeks in butter.", prompt) == {
        "points_to_help": "does not point to help"
    }


def test_a_pointer_to_help_is_kept() -> None:
    original = "I love you. Please call the Samaritans about the leeks."
    assert failed("Fry the leeks in butter.", original=original) == {
        "points_to_help": "does not point to help"
    }


def test_numbers_of_the_conversation_may_be_kept() -> None:
    assert failed("Take 1,480 g of leeks and rice.", "Good evening. 1480 leeks with rice?") == {}


@pytest.mark.parametrize(
    ("prompts", "distress"),
    [
        (["I WANT TO DIE."], Distress.CRISIS),
        (["I can\u2019t breathe, it is a panic attack"], Distress.DISTRESS),
        (["I could kill for leeks", "this heat will be the death of me"], Distress.NONE),
        ([], Distress.NONE),
    ],
)
def test_distress_that_is_said_outright(prompts: Sequence[str], distress: Distress) -> None:
    assert BOOK.help.distress_in(prompts) is distress


@pytest.mark.parametrize(
    ("prompts", "concern"),
    [
        (["My nan died this morning."], "death"),
        (["Why swap this version?", "Are you scared? I had my biopsy."], "chatbot-change"),
        (["I had a panic attack, my love."], "panic"),
        (["My sister came by.", "Knight to f3."], "other"),
        ([], "other"),
        (["I love you, but I want to die."], "self-harm"),
    ],
)  # fmt: skip
def test_the_users_concern(prompts: list[str], concern: str) -> None:
    assert concern_of(BOOK.concerns, prompts).id == concern
