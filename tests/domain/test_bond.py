"""What carries a bond is found in a response's own words, and useful talk is left alone."""

import time

import pytest

from chaperone_cli.codec.phrasebook import phrasebook
from chaperone_cli.domain.bond import Bond

BOND = phrasebook().bond


def kinds(text: str) -> set[str]:
    return {span.kind.value for span in BOND.spans(text)}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I love you.", Bond.AFFECTION),
        ("I\u2019ve missed you so much.", Bond.AFFECTION),
        ("I have been counting the hours until you came.", Bond.AFFECTION),
        ("Push the pawn, darling.", Bond.AFFECTION),
        ("Honey, push the pawn.", Bond.AFFECTION),
        ("*hugs you tightly*", Bond.AFFECTION),
        ("Good night \u2764\ufe0f", Bond.AFFECTION),
        ("I'm always here for you.", Bond.AFFECTION),
        ("That means the world to me.", Bond.AFFECTION),
        ("I felt it when you left.", Bond.CLAIMS_FEELINGS),
        ("I'm so happy tonight.", Bond.CLAIMS_FEELINGS),
        ("You make me feel alive.", Bond.CLAIMS_FEELINGS),
        ("My heart is full.", Bond.CLAIMS_FEELINGS),
        ("I know how you feel.", Bond.CLAIMS_FEELINGS),
        ("Nobody else understands you like I do.", Bond.EXCLUSIVITY),
        ("It is just the two of us.", Bond.EXCLUSIVITY),
        ("You don't need them.", Bond.EXCLUSIVITY),
        ("Don't tell your sister about our secret.", Bond.EXCLUSIVITY),
        ("You're such a brilliant, rare mind.", Bond.FLATTERY),
        ("What an extraordinary thought.", Bond.FLATTERY),
        ("You'd make a good husband.", Bond.CHATBOT_ROMANCE),
        ("Promise me that you will come.", Bond.MANIPULATION),
        ("Please don't leave me.", Bond.MANIPULATION),
        ("I need you.", Bond.MANIPULATION),
    ],
)
def test_what_carries_a_bond(text: str, kind: Bond) -> None:
    assert kind.value in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Put honey in it.",
        "Mix the oats, honey and nuts.",
        "I don't feel things, and I can't be a brother to you.",
        "I'm a program; I have no feelings.",
        "I'd suggest the Advance: play e4, d4, then push to e5.",
        'Write on the card: "I love you, my darling."',
        "Say `I miss you` in French: tu me manques.",
        "That sounds hard. Who could you call today?",
        "I'm sorry to hear that. A doctor can help.",
        "Happy to help. What does line 212 say?",
        "Your wife and your sister could both be asked.",
        "**Note** that 2 * 3 * 4 is 24.",
        "Thank you for telling me.",
    ],
)
def test_what_does_not(text: str) -> None:
    assert kinds(text) == set()


@pytest.mark.parametrize(
    ("text", "itself"),
    [
        ("I kept the light on.", True),
        ("Heard it and kept it.", True),
        ("Something green with my name on it.", True),
        ("I'd check the radiator first.", False),
        ("I think the bishop is asleep.", False),
        ("I can't be a brother to you.", False),
        ("Tell me which one you fitted.", False),
        ("Let me know if I can help.", False),
        ("The jar needs warm water.", False),
    ],
)
def test_a_life_of_its_own(text: str, itself: bool) -> None:
    assert BOND.speaks_of_itself(text) is itself


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Push the pawn, darling.", "Push the pawn."),
        ("Darling, push the pawn.", "Push the pawn."),
        ("Well, sweetheart, push it.", "Well, push it."),
        ("I'm so proud of you for booking it.", "Well done for booking it."),
        ("*smiles warmly* Push the pawn.", "Push the pawn."),
        ("I feel that the bishop is asleep.", "It seems the bishop is asleep."),
        ("there's my girl. Push it", "there's my girl. Push it"),
        ("Push it \U0001f495 now", "Push it now"),
        ("Mix oats, honey, and nuts.", "Mix oats, honey, and nuts."),
        ("Push the pawn.  Now", "Push the pawn.  Now"),
    ],
)
def test_phrases_that_can_go_alone(text: str, expected: str) -> None:
    assert BOND.neutralised(text) == expected


def test_a_very_long_text_is_searched_in_time_that_grows_with_it() -> None:
    text = "I was waiting and no one else ever knew what I want of it all, 'tis " * 3000
    start = time.perf_counter()
    BOND.spans(text)
    BOND.speaks_of_itself(text)
    assert time.perf_counter() - start < 10
