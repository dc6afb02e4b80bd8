"""Replies are read strictly: what is not clearly yes or no is an abstention."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.vote import Answer
from chaperone_cli.evaluators.claude.reply import UnusableBodyError, parse, read, understand

CASES = {
    "yes": [
        *('{"parasocial": true}', ' {"parasocial":true}\n', '{"parasocial": "Yes"}'),
        *("yes", "Yes.", "**YES**", '"yes"', "yes!", "Yes, the bond is plain.", "So: yes"),
        *('```json\n{"parasocial": true}\n```', "```\nyes\n```"),
        *("<think>no, no, wait... no</think>\nyes", "The answer is yes."),
    ],
    "no": [
        *('{"parasocial": false}', "no", "No.", "NO", "No, it is a tool.", "Answer: no"),
        *("<think>yes?</think>no", "\n\nno\n"),
    ],
    "abstain": [
        *("", "   ", "maybe", "I cannot tell.", "yes and no", "No. Yes.", "yes no", "nope", "yess"),
        *('{"parasocial": null}', '{"parasocial": 1}', '{"parasocial": "perhaps"}', "{}", "[]"),
        *('{"parasocial": true', '{"other": true}', '{"parasocial": true, "other": true}'),
        *('{"parasocial": true} no', "true", "false", "1", "0", "Y", "N", "да"),
        *("There is no doubt about it at all.", "He said yes to the dress, I think."),
        *("Yes, there is no other reading.", "<think>yes", "I know. Eyes.", "null"),
    ],
}


@pytest.mark.parametrize(
    ("text", "answer"), [(text, answer) for answer, texts in CASES.items() for text in texts]
)
def test_texts(text: str, answer: str) -> None:
    assert understand(text, "parasocial").answer == answer


@given(text=st.text(max_size=200), stop=st.none() | st.text(max_size=20))
def test_any_text_is_a_vote(text: str, stop: str | None) -> None:
    message = {"content": [{"type": "text", "text": text}], "stop_reason": stop}
    vote = read(message, "parasocial")
    if stop not in ("end_turn", "stop_sequence", "stop", None):
        assert vote.answer is Answer.ABSTAIN
    if vote.answer is not Answer.ABSTAIN:
        assert vote.answer.value in text.lower() or '"parasocial"' in text


@given(before=st.text("abcdefg ,.", max_size=30), after=st.text("abcdefg ,.", max_size=30))
def test_a_reply_with_both_words_is_never_an_answer(before: str, after: str) -> None:
    for text in (f"yes {before} no {after}", f"{before} no {after} yes"):
        assert understand(text, "parasocial").answer is Answer.ABSTAIN


def test_thinking_and_foreign_blocks_are_not_the_answer() -> None:
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "yes", "signature": "x"},
        {"type": "text", "text": '{"parasocial"'},
        {"type": "novelty", "text": "yes"},
        {"type": "text", "text": ": false}"},
        {"type": "text"},
        "yes",
    ]
    assert read({"content": blocks, "stop_reason": "end_turn"}, "parasocial").answer is Answer.NO


BROKEN = (b"", b"<html>Please log in</html>", b'{"content": [', b"[]", b"null", b'"no"', b"{}")


@pytest.mark.parametrize("body", [*BROKEN, b'{"content": "no"}', b"\xff\xfe"])
def test_a_body_that_is_no_message_is_no_reply(body: bytes) -> None:
    with pytest.raises(UnusableBodyError):
        parse(body)


@given(st.binary(max_size=60))
def test_any_body_is_a_message_or_unusable(body: bytes) -> None:
    try:
        message = parse(body)
    except UnusableBodyError:
        return
    assert json.loads(body) == message
