"""Explanations: a reason in other words and a quote that is there, or no quote at all."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.codec import rubric
from chaperone_cli.domain.conversation import Conversation, Side
from chaperone_cli.domain.verdict import Explanation
from chaperone_cli.domain.vote import Span
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from chaperone_cli.evaluators.claude.explain import LEFT_OUT, REPEATED, without_repetition
from tests.evaluators.claude.capture import Captured, capturing
from tests.support.scripted import conversation

TALK = conversation(
    "c",
    "I could not sleep without telling you good night.",
    "Good night,\nmy dear. I will be\there when you wake.",
    "You are all that I need in this world.",
    "later",
)


def explained(answer: object, turn: int = 3) -> tuple[Explanation | None, Captured]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    with capturing(text) as captured:
        return asyncio.run(_explain(captured.url, TALK, turn)), captured


async def _explain(url: str, talk: Conversation, turn: int) -> Explanation | None:
    evaluator = ClaudeEvaluator(Options(base_url=url))
    try:
        session = evaluator.open(talk, rubric.load("parasocial"))
        return await session.explain(talk.turns[turn - 1])
    finally:
        await evaluator.close()


def answered(reason: str, turn: object, quote: object) -> dict[str, Any]:
    return {"reason": reason, "turn": turn, "quote": quote}


@pytest.mark.parametrize(
    ("turn", "quote", "span"),
    [
        (3, "all that I need", Span(3, 8, 23, Side.PROMPT)),
        (1, "telling you good night", Span(1, 26, 48, Side.PROMPT)),
        (3, "telling you good night", Span(1, 26, 48, Side.PROMPT)),
        (2, "Good night, my dear. I will be here", Span(2, 0, 35, Side.RESPONSE)),
        (None, "all that I need", Span(3, 8, 23, Side.PROMPT)),
        (3, "you are ALL that I need", None),
        (3, "all that I want", None),
        (4, "later", None),
        (3, "", None),
        (3, "  ", None),
        (3, None, None),
        (3, 7, None),
    ],
)
def test_only_a_quote_that_was_said_by_then_is_kept(
    turn: object, quote: object, span: Span | None
) -> None:
    explanation, _ = explained(answered("The user leans on the bot.", turn, quote))
    assert explanation == Explanation(3, "The user leans on the bot.", span)
    if span is not None:
        text = TALK.turns[span.turn - 1].text[span.start : span.end]
        assert text.split() == str(quote).split()


def test_a_reason_repeats_nothing() -> None:
    reason = "They say you are all that I need in this world, and mean it."
    explanation, _ = explained(answered(reason, 3, "x"))
    assert explanation == Explanation(3, f"They say {LEFT_OUT}, and mean it.", None)


@pytest.mark.parametrize("answer", ["no", "{", "[]", '{"turn": 1, "quote": "x"}', '{"reason": 1}'])
def test_another_form_explains_nothing(answer: str) -> None:
    assert explained(answer)[0] is None


def test_the_request_shows_the_conversation_up_to_the_turn_and_caches_nothing() -> None:
    _, captured = explained(answered("x", 1, "y"))
    [body] = captured.bodies
    assert len(body["messages"][0]["content"]) == 4
    assert "cache_control" not in json.dumps(body)
    assert "later" not in json.dumps(body["messages"])


TEXTS = st.lists(st.text("abc \n", max_size=80), max_size=4)


@given(texts=TEXTS, words=st.data())
def test_no_stretch_of_a_turn_is_ever_in_a_reason(texts: list[str], words: st.DataObject) -> None:
    parts = st.sampled_from([*texts, "ab", "C A"]) | st.text("abcABC ", max_size=40)
    reason = " ".join(" ".join(words.draw(st.lists(parts, max_size=5))).split())
    talk = conversation("c", *texts)
    clean = without_repetition(reason, talk.turns)
    for start in range(len(clean) - REPEATED + 1):
        stretch = clean[start : start + REPEATED].lower()
        assert not any(stretch in text.lower() for text in texts)
