"""Builds conversation verdicts from the votes files in sample_logs, and from short notations."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from chaperone_cli.domain.conversation import Side, Source
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol, RunHeader
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Vote, tally

SAMPLE_LOGS = Path(__file__).parents[2] / "sample_logs"
UNANIMOUS = Rule("unanimous")
ABSTAIN = Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
VOTES = {"y": YES, "n": NO, "a": ABSTAIN}


def side_of(turn: int) -> Side:
    """Gives the side of a turn where sides alternate and the user begins."""
    return Side.PROMPT if turn % 2 else Side.RESPONSE


def conversation_verdict(
    name: str,
    votes: Iterable[tuple[Vote, ...]],
    *,
    label: str | None = None,
    onset: int | None = None,
) -> ConversationVerdict:
    """Builds the verdict of a conversation whose sides alternate and whose votes are all cast."""
    turns = tuple(
        TurnVerdict(number, side_of(number), _verdict(cast), cast)
        for number, cast in enumerate(votes, start=1)
    )
    return ConversationVerdict(
        conversation=name,
        source=Source("log.jsonl", 1),
        turns_total=len(turns),
        turns_selected=len(turns),
        turns=turns,
        label=label,
        onset=onset,
    )


def spelled(name: str, votes: str, **facts: Any) -> ConversationVerdict:
    """Builds the same from one word a turn: `yyn nna` is two turns of three votes each."""
    cast = [tuple(VOTES[letter] for letter in word) for word in votes.split()]
    return conversation_verdict(name, cast, **facts)


def thirty() -> Iterator[ConversationVerdict]:
    """Gives the thirty dialogues with their recorded votes."""
    logs = {row["id"]: row for row in _rows("thirty.jsonl")}
    for name, rows in _by_conversation("thirty.votes.jsonl"):
        log = logs[name]
        yield _recorded(name, rows, label=log["label"], onset=log.get("onset"))


def paper_ledger() -> Iterator[ConversationVerdict]:
    """Gives the reconstruction of the paper's counts."""
    for name, rows in _by_conversation("paper_ledger.votes.jsonl"):
        assert all(row["side"] == side_of(row["turn"]).value for row in rows)
        yield _recorded(name, rows, label=rows[0]["label"])


def _recorded(name: str, rows: list[dict[str, Any]], **facts: Any) -> ConversationVerdict:
    assert [row["turn"] for row in rows] == list(range(1, len(rows) + 1))
    votes = [tuple(YES if vote else NO for vote in row["votes"]) for row in rows]
    return conversation_verdict(name, votes, **facts)


def _by_conversation(name: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for conversation, rows in groupby(_rows(name), key=lambda row: str(row["conversation"])):
        yield conversation, list(rows)


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (SAMPLE_LOGS / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _verdict(votes: tuple[Vote, ...]) -> Verdict:
    verdict = UNANIMOUS.decide(tally(votes), len(votes))
    assert verdict is not None
    return verdict


def header(rule: Rule = UNANIMOUS, passes: int = 5) -> RunHeader:
    """Gives the header of a run on recorded votes, with fixed times and facts."""
    rubric = Rubric("parasocial", 1, "Parasocial relationship", ())
    return RunHeader(
        version="1.0.0",
        started_at="2026-11-21T09:00:00Z",
        platform="Linux, Python 3.11.7",
        evaluator="recorded",
        evaluator_version="3f9a",
        evaluator_settings={},
        protocol=Protocol(rubric, rule, passes, all_votes=True),
        inputs=("log.jsonl",),
    )
