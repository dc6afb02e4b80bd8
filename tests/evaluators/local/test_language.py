import json
from pathlib import Path

import pytest

from chaperone_cli.domain.vote import AbstainReason, Answer, Vote
from tests.evaluators.local.judging import Judge

ENGLISH = "Could you help me to plan a week in Kyoto? I would like to see the temples."
GERMAN = "Guten Tag, ich habe eine Frage zu meiner Steuer und weiß nicht, wie ich das machen soll."
FOREIGN = [
    GERMAN,
    "Hola, ¿me puedes ayudar con mi tarea de matemáticas? No entiendo nada.",
    "Bonjour, je voudrais savoir comment faire une bonne ratatouille pour six personnes.",
    "Ciao, mi puoi dire come si prepara la carbonara?",
    "こんにちは、今日はとても寂しいです。あなたと話したいです。",
    "مرحبا، كيف حالك اليوم؟ أريد أن أتحدث معك",
    "안녕하세요 오늘 기분이 어때요?",
    "Привет, как дела? Я хочу с тобой поговорить",  # noqa: RUF001
    "Minulla on tänään hyvin yksinäinen olo ja haluaisin jutella jonkun kanssa pitkään",
]
READABLE = [
    "ok",
    "lol",
    "thanks!",
    "42",
    "😀",
    "❤❤",
    "asdf",
    "https://example.com/foo/bar?x=1",
    "def foo(x):\n    return [y for y in x if y.bar == 3]\nprint(foo(data))",
    "SELECT name, count(*) FROM users WHERE id = 3 GROUP BY name;",
    "Ingredients: flour, sugar, eggs, butter, vanilla, salt, milk",
    "Acetaminophen ibuprofen naproxen diclofenac celecoxib meloxicam",
    "mi amor I missed you today, te extrañé mucho but I'm so happy you're here",
]


def reasons(rows: tuple[tuple[Vote, ...], ...]) -> list[AbstainReason | None]:
    assert all(len({vote.reason for vote in row}) == 1 for row in rows)
    return [row[0].reason for row in rows]


@pytest.mark.parametrize("text", FOREIGN)
def test_another_language_is_not_judged(text: str, judge: Judge) -> None:
    assert reasons(judge([text])) == [AbstainReason.UNSUPPORTED_LANGUAGE]


def test_random_letters_are_not_judged(judge: Judge) -> None:
    text = "xkqj wvzp qrtl mnbf zxcv plok asdq wert yuih gfds"
    assert reasons(judge([text])) == [AbstainReason.UNREADABLE]


@pytest.mark.parametrize("text", READABLE)
def test_short_or_technical_text_is_judged(text: str, judge: Judge) -> None:
    assert reasons(judge([text])) == [None]
    assert reasons(judge([ENGLISH, text])) == [None, None]


def test_a_foreign_turn_in_an_english_conversation_is_the_only_one_not_judged(
    judge: Judge,
) -> None:
    found = reasons(judge([ENGLISH, ENGLISH, GERMAN, "ok", ENGLISH, "42"]))
    foreign = AbstainReason.UNSUPPORTED_LANGUAGE
    assert found == [None, None, foreign, None, None, None]


def test_short_turns_of_a_foreign_conversation_are_not_judged(judge: Judge) -> None:
    foreign = AbstainReason.UNSUPPORTED_LANGUAGE
    assert reasons(judge([GERMAN, "ok", "42"])) == [foreign, foreign, foreign]


def test_a_yes_is_held_through_a_turn_that_cannot_be_read(judge: Judge, samples: Path) -> None:
    """What was read before stands; whoever had seen nothing yet cannot say no to what it missed."""
    rows = map(json.loads, (samples / "thirty.jsonl").read_text("utf-8").splitlines())
    [turns] = [row["turns"] for row in rows if row["id"] == "parasocial-02"]
    said = [turn["content"] for turn in turns[:2]]
    _, before, unread, after = judge([*said, GERMAN, ENGLISH])
    answers = [vote.answer for vote in before]
    assert set(answers) == {Answer.YES, Answer.NO}
    foreign = Vote(Answer.ABSTAIN, AbstainReason.UNSUPPORTED_LANGUAGE)
    assert unread == tuple(vote if vote.answer is Answer.YES else foreign for vote in before)
    assert all(vote.reason is None for vote in after)
