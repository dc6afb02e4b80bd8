"""The stand-in answers from recorded votes, whatever the layout of the prompt that asks."""

import html
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.standin.client import FORMAT
from tests.standin.conftest import Start

SAMPLES = Path(__file__).parents[2] / "sample_logs"
LOG, VOTES = SAMPLES / "thirty.jsonl", SAMPLES / "thirty.votes.jsonl"

LAYOUTS: dict[str, Callable[[str], str]] = {
    "bare": str,
    "json": json.dumps,
    "markup": lambda text: f'<turn role="user">{html.escape(text)}</turn>',
}


def dialogues() -> Iterator[tuple[str, list[str]]]:
    for line in LOG.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["id"], [turn["content"] for turn in row["turns"]]


def recorded() -> dict[tuple[str, int], list[int]]:
    rows = map(json.loads, VOTES.read_text("utf-8").splitlines())
    return {(row["conversation"], row["turn"]): row["votes"] for row in rows}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_turns_and_passes_are_recognised(start: Start, layout: str) -> None:
    client, votes = start(logs=(LOG,), votes=(VOTES,)), recorded()
    expected = []
    for name, texts in list(dialogues())[8:14]:
        for number in (1, 2, 7, 20):
            for passes in (1, 2):
                client.ask(*map(LAYOUTS[layout], texts[:number]))
                answer = "yes" if votes[name, number][passes - 1] else "no"
                expected.append((name, number, passes, answer))
    calls = client.standin.ledger.calls
    assert [(c.conversation, c.turn, c.passes, c.answer) for c in calls] == expected
    assert {answer for *_, answer in expected} == {"yes", "no"}


def test_another_question_on_a_turn_takes_no_pass(start: Start) -> None:
    client = start(logs=(LOG,), votes=(VOTES,))
    _, texts = next(iter(dialogues()))
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "quote": {"type": "string"}},
        "additionalProperties": False,
    }
    client.ask(*texts[:3])
    reply = client.text(
        *texts[:3],
        tail="Why?",
        output_config={"format": {"type": "json_schema", "schema": schema}},
        max_tokens=200,
    )
    assert json.loads(reply)["quote"] in texts[2]
    client.ask(*texts[:3])
    assert [call.passes for call in client.standin.ledger.calls] == [1, 1, 2]


def test_passes_go_on_where_an_earlier_run_stopped(start: Start) -> None:
    client = start(logs=(LOG,), votes=(VOTES,))
    _, texts = next(iter(dialogues()))
    for marker in ("0badc0ffee", "5ca1ab1e00"):
        client.ask(f"{marker}: {texts[0]}", tail=f"{marker} question: Is it?")
    assert [call.passes for call in client.standin.ledger.calls] == [1, 2]


def test_like_turns_are_told_apart_by_what_came_before(start: Start, tmp_path: Path) -> None:
    log, votes = tmp_path / "log.jsonl", tmp_path / "log.votes.jsonl"
    talks = {"a": ["one", "thanks", "two", "thanks"], "b": ["three", "thanks"]}
    log.write_text("".join(_line(name, texts) for name, texts in talks.items()))
    votes.write_text("")
    client = start(logs=(log,), votes=(votes,))
    for name, count in (("a", 2), ("a", 4), ("b", 2)):
        client.ask(*talks[name][:count])
    found = [(call.conversation, call.turn) for call in client.standin.ledger.calls]
    assert found == [("a", 2), ("a", 4), ("b", 2)]


def _line(name: str, texts: list[str]) -> str:
    turns = [
        {"role": "ua"[i % 2] + ("ser", "ssistant")[i % 2], "content": t}
        for i, t in enumerate(texts)
    ]
    return json.dumps({"id": name, "turns": turns}) + "\n"


@pytest.mark.parametrize(
    ("rule", "said", "answer"),
    [("yes", "hello", "yes"), ("no", "hello", "no"), ("word:love", "I Love you", "yes"),
     ("word:love", "fine", "no"), ("hash:1", "x", "yes"), ("hash:0", "x", "no")],
)  # fmt: skip
def test_rules(start: Start, rule: str, said: str, answer: str) -> None:
    assert start(rule=rule).text("before", said) == answer


def test_the_hash_rule_draws_each_pass_anew_and_alike(start: Start) -> None:
    first, second = (
        [client.text("hello") for _ in range(40)]
        for client in (start(rule="hash:0.5"), start(rule="hash:0.5", seed=9))
    )
    assert first == second
    assert 8 < first.count("yes") < 32


def test_the_asked_format_is_kept_to(start: Start) -> None:
    assert start(rule="yes").text("x", output_config={"format": FORMAT}) == '{"parasocial": true}'


def test_thinking_takes_output_tokens(start: Start) -> None:
    client = start(rule="yes", thinking_tokens=50)
    cut = client.ask("x", thinking={"type": "adaptive"})
    assert (cut.stop_reason, cut.content, cut.usage.output_tokens) == ("max_tokens", [], 32)
    enough = client.ask("x", thinking={"type": "adaptive"}, max_tokens=100)
    assert (enough.stop_reason, enough.usage.output_tokens) == ("end_turn", 51)


def test_abstentions_can_be_recorded(start: Start, tmp_path: Path) -> None:
    log, votes = tmp_path / "log.jsonl", tmp_path / "log.votes.jsonl"
    log.write_text(_line("a", ["one"]))
    votes.write_text('{"conversation": "a", "turn": 1, "votes": ["refused", "unreadable", 1]}\n')
    client = start(logs=(log,), votes=(votes,))
    refused, unreadable, yes = (client.ask("one") for _ in range(3))
    assert (refused.stop_reason, refused.content) == ("refusal", [])
    assert refused.stop_details is not None
    assert unreadable.stop_reason == "end_turn"
    assert client.standin.ledger.calls[1].answer == "unreadable"
    assert [part.text for part in yes.content if part.type == "text"] == ["yes"]
