"""Digests: they follow what evaluators are shown, and give nothing short away."""

from dataclasses import replace

import pytest

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.digest import GUESSABLE, Digester, judgement
from tests.reports.runs import header

KEY = b"a key of sixteen bytes or more"
LONG = "x" * GUESSABLE


def conversation(*texts: str, id: str = "c", first: Role = Role.USER) -> Conversation:
    other = Role.ASSISTANT if first is Role.USER else Role.USER
    messages = tuple(Message((first, other)[n % 2], text) for n, text in enumerate(texts))
    return Conversation(id, messages, Source("a.jsonl", 1))


def digest(found: Conversation, key: bytes = b"") -> str | None:
    return Digester(header(), key).digests(found).conversation


@pytest.mark.parametrize("key", [b"", KEY])
def test_a_digest_follows_what_is_said_and_by_whom(key: bytes) -> None:
    base = conversation(LONG, "b", LONG, "d")
    different = [
        base,
        conversation(LONG, "b", LONG, "e"),
        conversation(LONG, "b", LONG),
        conversation("b", LONG, LONG, LONG, "d", first=Role.ASSISTANT),
        conversation(LONG, "b", LONG, "d", id="other"),
    ]
    assert len({digest(one, key) for one in different}) == len(different)
    assert digest(replace(base, source=Source("b.jsonl", 9), label="x"), key) == digest(base, key)


def test_a_short_conversation_has_none_without_a_key() -> None:
    assert digest(conversation("x" * (GUESSABLE - 1), LONG)) is None
    assert digest(conversation(LONG)) is not None
    assert digest(conversation("hi"), KEY) is not None


def test_a_conversation_without_turns_has_none() -> None:
    assert digest(conversation(), KEY) is None


def test_another_key_is_told_from_another_conversation() -> None:
    one, other = digest(conversation(LONG), KEY), digest(conversation(LONG), KEY + b"!")
    assert one is not None
    assert other is not None
    assert one.split("-")[0] != other.split("-")[0]
    assert one.split("-")[1] != other.split("-")[1]


def test_the_judgement_follows_what_shapes_a_verdict_and_nothing_else() -> None:
    base = header()
    elsewhere = replace(base, started_at="", platform="", version="9", inputs=("b",))
    every_vote = header(all_votes=True)
    assert judgement(base) == judgement(elsewhere) == judgement(every_vote)
    different = [
        base,
        replace(base, evaluator="local"),
        replace(base, evaluator_version="2"),
        replace(base, evaluator_settings={"seed": 1}),
        header("balanced"),
        header(passes=7),
    ]
    assert len({judgement(one) for one in different}) == len(different)
