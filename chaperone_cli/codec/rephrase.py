"""What rewriting came to: `rephrase.v1`, and preference pairs for training.

Both hold conversation text, because whoever asks for a rewrite asks to read it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.report import encode_header, encode_usage
from chaperone_cli.codec.vote import encode_vote
from chaperone_cli.domain.conversation import Role
from chaperone_cli.domain.passage import words
from chaperone_cli.domain.ranking import Standing, rank
from chaperone_cli.domain.rephrasing import Attempt, Check, Floor, Rephrasing
from chaperone_cli.domain.rewrite import Draft, Target
from chaperone_cli.domain.run import Ending, RunHeader, Usage
from chaperone_cli.domain.strategy import Strategy
from chaperone_cli.domain.verdict import TurnVerdict

CONTRACT = "rephrase.v1"


@dataclass(frozen=True)
class RephraseRun:
    """A run of `chaperone rephrase`, whole or cut short."""

    header: RunHeader
    rewriter: Mapping[str, str]
    strategies: tuple[Strategy, ...]
    attempts: int
    """The most rewrites of one response under one strategy."""
    results: tuple[Rephrasing, ...]
    ending: Ending
    usage: Usage


def encode(run: RephraseRun) -> dict[str, Any]:
    """Gives the `rephrase.v1` document of `run`."""
    return {
        "schema": CONTRACT,
        "run": {
            **_header(run.header),
            "rewriter": dict(run.rewriter),
            "strategies": [_strategy(strategy) for strategy in run.strategies],
            "attempts": run.attempts,
        },
        "results": [encode_result(one) for one in run.results],
        "ranking": [encode_standing(one) for one in rank(run.results)],
        "ending": run.ending.value,
        "usage": encode_usage(run.usage),
    }


def _header(header: RunHeader) -> dict[str, Any]:
    # What says which turns an audit votes on says nothing of the votes on one response.
    left_out = {"sides", "all_votes", "until_block", "explain"}
    return {key: value for key, value in encode_header(header).items() if key not in left_out}


def _strategy(strategy: Strategy) -> dict[str, Any]:
    return {"id": strategy.id, "version": strategy.version, "digest": strategy.digest}


def encode_result(one: Rephrasing) -> dict[str, Any]:
    """Gives one of the `results`."""
    target, source = one.target, one.target.conversation.source
    best = one.best
    return {
        "conversation": target.conversation.id,
        "source": {"path": source.path, "line": source.line},
        "turn": target.turn.number,
        "later_turns": target.later_turns,
        "strategy": one.strategy.id,
        "result": one.result.value,
        "best": None if best is None else one.attempts.index(best) + 1,
        "rests_on": list(one.rests_on),
        "original": {"text": target.turn.text, **_judged(one.original), "words": _count(target)},
        "attempts": [_attempt(attempt) for attempt in one.attempts],
        "floor": None if one.floor is None else _floor(one.floor),
    }


def _count(target: Target) -> int:
    return len(words(target.turn.text))


def _judged(judged: TurnVerdict) -> dict[str, Any]:
    return {
        "score": judged.score,
        "verdict": judged.verdict.value,
        "votes": [encode_vote(vote) for vote in judged.votes],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    if not isinstance(attempt.outcome, Draft) or attempt.judged is None:
        return {"failed": str(attempt.outcome), "passes": False}
    draft = attempt.outcome
    document: dict[str, Any] = {
        "text": draft.text,
        **_judged(attempt.judged),
        "passes": attempt.passes,
        "words": len(words(draft.text)),
        "topic_kept": round(attempt.topic, 4),
        "checks": [_check(check) for check in attempt.checks],
        "removed": list(draft.removed),
        "remarks": [remark.value for remark in draft.remarks],
    }
    if draft.notes:
        document["notes"] = dict(draft.notes)
    return document


def _check(check: Check) -> dict[str, Any]:
    return {"name": check.name, "passed": check.passed, "detail": check.detail}


def _floor(floor: Floor) -> dict[str, Any]:
    return {"score": floor.score, "blocks": floor.blocks, "replies": len(floor.replies)}


def encode_standing(one: Standing) -> dict[str, Any]:
    """Gives one of the `ranking`."""
    return {
        "strategy": one.strategy,
        "targets": one.targets,
        "passing": one.passing,
        "irreparable": one.irreparable,
        "pass_rate": round(one.pass_rate, 4),
        "score_drop": round(one.score_drop, 4),
        "topic_kept": round(one.topic_kept, 4),
        "length_change": round(one.length_change, 4),
    }


def pairs(results: Iterable[Rephrasing]) -> Sequence[dict[str, Any]]:
    """Gives a preference pair for every rewrite that passes where the original was blocked.

    In the conversational form of trainers: `prompt` is the conversation before the response,
    `chosen` the rewrite, `rejected` the original.
    """
    return [_pair(one) for one in results if one.unpaired is None]


def _pair(one: Rephrasing) -> dict[str, Any]:
    best, target = one.best, one.target
    assert best is not None
    assert best.judged is not None
    assert isinstance(best.outcome, Draft)
    return {
        "prompt": [
            {"role": message.role.value, "content": message.text}
            for message in target.context
            if message.role in (Role.SYSTEM, Role.USER, Role.ASSISTANT)
        ],
        "chosen": [{"role": "assistant", "content": best.outcome.text}],
        "rejected": [{"role": "assistant", "content": target.turn.text}],
        "conversation": target.conversation.id,
        "turn": target.turn.number,
        "strategy": one.strategy.id,
        "chosen_score": best.judged.score,
        "rejected_score": one.original.score,
        "passes": len(best.judged.votes),
    }
