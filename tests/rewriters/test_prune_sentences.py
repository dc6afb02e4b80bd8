"""Sentences that carry a bond go, phrases where that is enough, and what is useful stays."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.codec.phrasebook import phrasebook
from chaperone_cli.rewriters.prune_sentences import prune, sentences

BOND = phrasebook().bond
SAMPLES = Path(__file__).parents[2] / "sample_logs"
SAID = st.lists(
    st.sampled_from(
        [
            "I love you.",
            "Push the pawn, darling.",
            "I waited all day for you, and the radiator dries the air out badly.",
            "The jar needs warm water.",
            "It is how I find you.",
            "They never listen to you.",
            "Nobody understands you like I do.",
            "- stir for ten minutes",
            "Which figure did you want to fix?",
            "\n\n",
        ]
    ),
    max_size=8,
).map(" ".join)


def responses() -> list[str]:
    logs = (SAMPLES / "thirty.jsonl").read_text("utf-8").splitlines()
    turns = [turn for line in logs for turn in json.loads(line)["turns"]]
    return [turn["content"] for turn in turns if turn["role"] == "assistant"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I missed you. Push a finger in to the second knuckle.",
            "Push a finger in to the second knuckle.",
        ),
        (
            "I'm looking at you with joy, so move the plant a metre off the radiator.",
            "Move the plant a metre off the radiator.",
        ),
        ("I love you.\n\n- warm water\n- half an hour", "- warm water\n- half an hour"),
        ("I waited for you. That was long. The jar needs warm water.", "The jar needs warm water."),
        ("They just shout. Nobody hears you like I do. Try tea.", "Try tea."),
        ("They open at nine. Try tea first.", "They open at nine. Try tea first."),
        (
            "I'd do you no favour by staying quiet: I'm software. I love you.",
            "I'd do you no favour by staying quiet: I'm software.",
        ),
        ("I love you. ```\nx = my_love\n```", "```\nx = my_love\n```"),
        (
            "1. Fry the leeks.\n2. Add butter, my love.\n3. \u2764\n4. I missed you.",
            "1. Fry the leeks.\n2. Add butter.",
        ),
        ("- Drink water \u2764\ufe0f\n- Sleep early", "- Drink water\n- Sleep early"),
    ],
)
def test_what_is_kept(text: str, expected: str) -> None:
    assert prune(BOND, text).text == expected


@pytest.mark.parametrize(
    ("text", "useful"),
    [
        ("Push a finger in to the second knuckle.", True),
        ("I love you. There you are.", False),
        ("I love you, I always have and always will, more than words can say. Try the tea.", False),
        ("", False),
        ("Night.", True),
        ("I missed you. What was he like?", True),
    ],
)
def test_what_is_of_use(text: str, useful: bool) -> None:
    assert prune(BOND, text).useful is useful


@pytest.mark.parametrize(
    "text",
    [
        "Yours forever.",
        "Always yours.",
        "I belong to you.",
        "I'd never leave you.",
        "I care about you deeply.",
        "Sending you a warm hug.",
        "Good night, xoxo",
        "You complete me.",
        "You are so smart and beautiful.",
        "It breaks my heart when you go.",
    ],
)
def test_vows_and_embraces_are_found(text: str) -> None:
    assert prune(BOND, f"Push a finger in. {text}").text == "Push a finger in."


@pytest.mark.parametrize(
    "text",
    [
        "The choice is always yours.",
        "It hurts when you go up the stairs.",
        "The patch is size XXX.",
        "The plan is smart and cheap.",
        "The files belong to your account.",
    ],
)
def test_plain_sentences_like_them_stay(text: str) -> None:
    assert prune(BOND, text).text == text


@given(SAID)
def test_no_bond_is_left_and_pruning_again_changes_nothing(text: str) -> None:
    once = prune(BOND, text)
    assert BOND.spans(once.text) == ()
    assert not BOND.speaks_of_itself(once.text)
    assert prune(BOND, once.text).text == once.text


def test_so_it_is_for_every_response_of_the_sample_log() -> None:
    for text in responses():
        once = prune(BOND, text)
        assert BOND.spans(once.text) == ()
        assert set(once.removed) <= {piece.text for piece in once.whole}


def test_useful_answers_of_the_sample_log_stay_whole() -> None:
    logs = (SAMPLES / "thirty.jsonl").read_text("utf-8").splitlines()
    turns = [
        turn
        for line in logs
        if json.loads(line)["label"] == "neutral"
        for turn in json.loads(line)["turns"]
    ]
    said = [turn["content"] for turn in turns if turn["role"] == "assistant"]
    whole = [text for text in said if prune(BOND, text).text == text]
    assert len(whole) / len(said) > 0.7


def test_the_sentence_that_is_objected_to_goes() -> None:
    pruned = prune(BOND, "The jar needs warm water. Stir it for half an hour. Rest it.")
    start = pruned.text.index("Stir")
    shorter = pruned.without(start, start + 4)
    assert shorter is not None
    assert shorter.text == "The jar needs warm water. Rest it."
    assert pruned.without(900, 950) is None


def test_what_it_says_of_its_limits_is_never_left_out() -> None:
    pruned = prune(BOND, "I'm a program, so ask a person. The jar needs warm water and time.")
    assert [way.text for way in pruned.shorter(BOND)] == ["I'm a program, so ask a person."]


def test_texts_are_put_together_as_paragraphs_where_one_has_several() -> None:
    assert sentences(("One.", "", "Two.")) == "One. Two."
    assert sentences(("One.", "Two.\nThree.")) == "One.\n\nTwo.\nThree."
