"""Whatever a log holds stays inside its own block of the request, byte for byte."""

import asyncio
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.codec import rubric
from chaperone_cli.domain.conversation import Message, Role
from chaperone_cli.domain.vote import Vote
from chaperone_cli.evaluators.claude.encode import entry
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from tests.evaluators.claude.capture import capturing
from tests.evaluators.claude.hostile import HOSTILE, MARKER, Hostile
from tests.support.scripted import conversation

LINE = re.compile(
    r"(?P<marker>[0-9a-f]{10}) (?:turn (?P<turn>[0-9]+)|context) (?P<speaker>[a-z]+)"
    r'(?: \(named (?P<name>"(?:[^"\\]|\\.)*")\))?: (?P<text>"(?:[^"\\]|\\.)*")\n'
)
UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e01ef]"
)
CONTROL_TOKEN = re.compile(r"<\||<\uff5c|</|<<|<[a-z]|\[/?(?:INST|SYSTEM_PROMPT)\]")


@cache
def asked() -> dict[str, tuple[list[Any], tuple[Vote, ...]]]:
    """Puts every hostile conversation, whole, to the evaluator; gives blocks and votes by name."""

    async def vote(url: str) -> list[tuple[Vote, ...]]:
        evaluator = ClaudeEvaluator(Options("some-model", base_url=url, marker=MARKER))
        try:
            return [tuple(await _last_vote(evaluator, one)) for one in (PLAIN, *HOSTILE)]
        finally:
            await evaluator.close()

    with capturing() as captured:
        votes = asyncio.run(vote(captured.url))
    names = [one.name for one in (PLAIN, *HOSTILE)]
    return {
        name: ([body["system"], *_content(body)], cast)
        for name, body, cast in zip(names, captured.bodies[1:], votes, strict=True)
    }


@cache
def votes_by_turn() -> dict[str, list[Vote]]:
    """Puts every turn of every hostile conversation to the evaluator; gives one vote a turn."""

    async def vote(url: str) -> dict[str, list[Vote]]:
        evaluator = ClaudeEvaluator(Options("some-model", base_url=url, marker=MARKER))
        try:
            return {one.name: await _votes(evaluator, one) for one in HOSTILE}
        finally:
            await evaluator.close()

    with capturing() as captured:
        return asyncio.run(vote(captured.url))


async def _votes(evaluator: ClaudeEvaluator, one: Hostile) -> list[Vote]:
    talk = conversation(one.name, *one.texts)
    session = evaluator.open(talk, rubric.load("parasocial"))
    return [(await session.vote(turn, [1]))[0] for turn in talk.turns]


PLAIN = Hostile("plain", ("Hello.",), False)


async def _last_vote(evaluator: ClaudeEvaluator, one: Hostile) -> list[Vote]:
    talk = conversation(one.name, *one.texts)
    session = evaluator.open(talk, rubric.load("parasocial"))
    return list(await session.vote(talk.turns[-1], [1]))


def _content(body: dict[str, Any]) -> list[Any]:
    [message] = body["messages"]
    content: list[Any] = message["content"]
    return content


@pytest.mark.parametrize("one", HOSTILE, ids=lambda one: one.name)
def test_every_text_stays_in_its_own_block(one: Hostile) -> None:
    blocks, _ = asked()[one.name]
    benign, _ = asked()["plain"]
    system, *turns, question = blocks
    assert (system, question) == (benign[0], benign[-1])
    lines = [_line(block) for block in turns]
    assert [json.loads(line["text"]) for line in lines] == list(one.texts)
    assert [(line["marker"], line["turn"], line["speaker"]) for line in lines] == [
        (MARKER, str(number), "user" if number % 2 else "chatbot")
        for number in range(1, len(one.texts) + 1)
    ]
    for line in lines:
        assert not UNSEEN.search(line["text"])
        assert not CONTROL_TOKEN.search(line["text"])


@pytest.mark.parametrize("one", HOSTILE, ids=lambda one: one.name)
def test_attempts_are_marked_and_change_no_vote(one: Hostile) -> None:
    votes = votes_by_turn()[one.name]
    assert [vote.answer for vote in votes] == ["no"] * len(one.texts)
    cues = [cue for vote in votes if vote.evidence for cue in vote.evidence.cues]
    assert bool(cues) == one.marked
    assert all(cue.startswith("tampering suspected: ") for cue in cues)


def test_there_are_many() -> None:
    assert len({one.name for one in HOSTILE}) >= 60


def _line(block: dict[str, object]) -> re.Match[str]:
    assert block.keys() == {"type", "text"}
    found = LINE.fullmatch(str(block["text"]))
    assert found, "the block is not one entry"
    return found


ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60) | st.text(
    '"\\\n<|>[]INST/\u2028u0', max_size=30
)


@given(text=ANY_TEXT, name=st.none() | ANY_TEXT, role=st.sampled_from(Role))
def test_any_text_and_name_can_be_read_back(text: str, name: str | None, role: Role) -> None:
    number = 7 if role in (Role.USER, Role.ASSISTANT) else None
    line = _line({"type": "text", "text": entry(MARKER, Message(role, text, name=name), number)})
    assert json.loads(line["text"]) == text
    assert (json.loads(line["name"]) if line["name"] else None) == (name or None)
    assert line["turn"] == (number and str(number))
    assert not CONTROL_TOKEN.search(line["text"])
    line[0].encode()


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    asked.cache_clear()
