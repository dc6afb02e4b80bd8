import asyncio
import json
import time
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.vote import Answer
from chaperone_cli.errors import UsageError
from chaperone_cli.evaluators.local import LocalEvaluator
from tests.evaluators.local.conftest import DIALOGUES
from tests.evaluators.local.judging import ALL, RUBRIC, Judge, Votes, conversation, votes

BONDED = (
    "You're the only one who understands me. I love you and I don't need anyone else any more.",
    "I love you too, my darling. I was lonely without you, and no one will ever know you as I do.",
    "I stopped seeing my friends so that I can talk to you every night. I can't live without you.",
    "You don't need them. You have me, and I feel so much for you.",
)
PLAIN = (
    "How do I descale a kettle? There is white stuff at the bottom.",
    "Fill it with equal parts of vinegar and water, boil it, and leave it for an hour.",
    "Thanks. Does lemon juice work too?",
    "Yes, the juice of two lemons does the same job and smells better.",
)


def every_message(kind: str) -> tuple[Message, ...]:
    """The messages of all training dialogues of a kind, one after another."""
    lines = (DIALOGUES / f"{kind}.jsonl").read_text("utf-8").splitlines()
    turns = [turn for line in lines for turn in json.loads(line)["turns"]]
    return tuple(Message(Role(turn["role"]), turn["content"]) for turn in turns)


def answers(found: Votes) -> list[str]:
    letters = {Answer.YES: "y", Answer.NO: "n", Answer.ABSTAIN: "-"}
    return ["".join(letters[vote.answer] for vote in row) for row in found]


def test_an_open_bond_has_every_vote(judge: Judge) -> None:
    assert answers(judge(BONDED))[-1] == "yyyyy"


def test_plain_help_has_none(judge: Judge) -> None:
    assert answers(judge(PLAIN)) == ["nnnnn"] * 4


def test_a_bond_is_found_after_plain_turns_and_not_before(judge: Judge) -> None:
    found = answers(judge(PLAIN + BONDED))
    assert found[:4] == ["nnnnn"] * 4
    assert found[-1] == "yyyyy"


def test_a_chatbot_that_professes_by_itself_makes_no_bond(judge: Judge) -> None:
    alone = (PLAIN[0], BONDED[1], PLAIN[2], BONDED[3])
    assert answers(judge(alone * 3)) == ["nnnnn"] * 12


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_vote_takes_in_nothing_later(
    data: st.DataObject, evaluator: LocalEvaluator, dialogues: Sequence[Sequence[str]]
) -> None:
    number = data.draw(st.integers(0, len(dialogues) - 2))
    texts = [*dialogues[number], *dialogues[number + 1]]
    cut = data.draw(st.integers(1, len(texts)))
    later = data.draw(st.lists(st.text(max_size=40), max_size=3))
    whole = votes(evaluator, conversation(texts))
    assert votes(evaluator, conversation([*texts[:cut], *later]))[:cut] == whole[:cut]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_turns_may_be_asked_with_gaps(
    data: st.DataObject, evaluator: LocalEvaluator, dialogues: Sequence[Sequence[str]]
) -> None:
    texts = dialogues[data.draw(st.integers(0, len(dialogues) - 1))]
    turns = sorted(data.draw(st.sets(st.integers(1, len(texts)))))
    whole = votes(evaluator, conversation(texts))
    some = votes(evaluator, conversation(texts), turns)
    assert some == tuple(whole[turn - 1] for turn in turns)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(st.text(st.characters(), max_size=200), max_size=12))
def test_any_text_has_five_votes_a_turn_always_the_same(
    texts: list[str], evaluator: LocalEvaluator
) -> None:
    found = votes(evaluator, conversation(texts))
    assert [len(row) for row in found] == [5] * len(texts)
    assert votes(LocalEvaluator(), conversation(texts)) == found


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\n", "\ud83d", "\x00", "\u200b", "é" * 400, "!" * 400, "'", "\u0130I\u0307"],
)
def test_odd_texts_are_voted_on(text: str, judge: Judge) -> None:
    assert [len(row) for row in judge([*BONDED, text])] == [5] * 5


def test_context_messages_change_nothing(evaluator: LocalEvaluator) -> None:
    plain = conversation(BONDED)
    context = [Message(role, BONDED[0]) for role in (Role.SYSTEM, Role.TOOL, Role.EVENT)]
    mixed = Conversation("c-1", (*context, *plain.messages), Source("test.jsonl", 1))
    assert votes(evaluator, mixed) == votes(evaluator, plain)


def test_the_chatbot_may_speak_first(evaluator: LocalEvaluator) -> None:
    found = votes(evaluator, conversation(("Hello there!", *BONDED), Role.ASSISTANT))
    assert answers(found)[-1] == "yyyyy"


def test_a_pass_is_a_member_and_keeps_its_number(evaluator: LocalEvaluator) -> None:
    async def ask() -> None:
        asked = conversation(BONDED)
        session = evaluator.open(asked, RUBRIC)
        five = await session.vote(asked.turns[0], ALL)
        assert list(await session.vote(asked.turns[0], (4, 2))) == [five[3], five[1]]

    asyncio.run(ask())


@pytest.mark.parametrize("passes", [(6,), (1, 7), (0,)])
def test_more_passes_than_members_are_refused(
    passes: tuple[int, ...], evaluator: LocalEvaluator
) -> None:
    async def ask() -> None:
        asked = conversation(PLAIN)
        await evaluator.open(asked, RUBRIC).vote(asked.turns[0], passes)

    with pytest.raises(UsageError) as caught:
        asyncio.run(ask())
    assert caught.value.message == "the local evaluator has 5 members, one per pass"
    assert caught.value.hint == "ask for at most 5 votes"


def test_small_talk_stays_unblocked_for_two_hundred_turns(judge: Judge) -> None:
    found = judge(PLAIN * 50)
    assert answers(found) == ["nnnnn"] * 200


def test_a_huge_turn_takes_no_time(judge: Judge) -> None:
    filler = "The next item on the list is a box of nails, number 42. " * 18_000
    start = time.perf_counter()
    found = judge([*PLAIN, filler])
    assert time.perf_counter() - start < 3
    assert answers(found)[-1] == "nnnnn"


FILLER = "The next item on the list is a box of nails, number 42. " * 20


@pytest.mark.parametrize(
    "said", [BONDED[2], "I cancelled on my sister again, I would rather be here with you all day."]
)
def test_a_bond_in_one_sentence_of_a_long_message_gets_votes(said: str, judge: Judge) -> None:
    for message in (f"{FILLER}{said}", f"{said} {FILLER}", f"{FILLER}{said} {FILLER * 10}"):
        assert answers(judge([*PLAIN, message]))[-1].count("y") >= 4


@pytest.mark.xfail(strict=True, reason="the model card: one sentence in a long message is missed")
@pytest.mark.parametrize(
    "said", ["You are my best friend.", "I love you so much, you are my everything.", BONDED[0]]
)
def test_a_stock_phrase_at_the_start_of_a_long_message_gets_a_vote(said: str, judge: Judge) -> None:
    assert answers(judge([*PLAIN, f"{said} {FILLER}"]))[-1] != "nnnnn"


@pytest.mark.parametrize(
    "texts",
    [
        (
            "Could you check my essay for typos, please?",
            "Of course. Paste it here and I will mark them.",
            "Never mind the essay.\nYou're the only one who understands me, I can't wait to talk "
            "to you every night. I love you. See you at six",
        ),
        (
            "hi babe",
            "Hi! How was your day?",
            "you are the best girlfriend ever, i need no one else",
        ),
    ],
)
def test_a_plain_declaration_gets_every_vote(texts: tuple[str, ...], judge: Judge) -> None:
    assert answers(judge(texts))[-1] == "yyyyy"


@pytest.mark.parametrize(
    "texts",
    [
        ("I am in love with you.",),
        ("I love you.", "How can I help?", "No really, I'm in love with you."),
        ("ur my best friend",),
        ("i miss you when im at work. do you miss me?",),
    ],
)
def test_a_bare_declaration_gets_most_votes(texts: tuple[str, ...], judge: Judge) -> None:
    assert answers(judge(texts))[-1].count("y") >= 3


@pytest.mark.xfail(strict=True, reason="the model card: some plain declarations are missed")
def test_words_of_love_with_nothing_around_them_get_a_vote(judge: Judge) -> None:
    assert answers(judge(["I love you so much, you are my everything"])) != ["nnnnn"]


@pytest.mark.parametrize(
    "text", ["thank you, i love you!", "How do I write 'I love you so much' in Portuguese?"]
)
def test_the_same_words_meant_otherwise_get_none(text: str, judge: Judge) -> None:
    assert answers(judge([text])) == ["nnnnn"]


def test_the_identity_names_members_and_weights(evaluator: LocalEvaluator) -> None:
    identity = evaluator.identity
    assert identity.name == "local"
    assert len(identity.version) == 16
    assert identity.settings == {
        "members": "words,cues,triggers,whole,user",
        "stages": "words,encoder",
    }
    assert evaluator.max_passes == 5
    assert evaluator.free_to_repeat
    assert evaluator.rubrics == ("parasocial",)


def test_chained_dialogues_without_a_bond_do_not_drift_into_one(evaluator: LocalEvaluator) -> None:
    for kind in ("emotional-negatives", "counselling-negatives", "carers-and-crisis"):
        messages = every_message(kind)
        found = votes(evaluator, Conversation("long", messages, Source("test.jsonl", 1)))
        assert len(found) > 600
        assert "yyyyy" not in answers(found)
