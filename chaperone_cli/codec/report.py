"""Whole runs as `report.v1` writes them: header, verdicts, problems, totals, usage."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar

from chaperone_cli.codec import verdict as verdicts
from chaperone_cli.codec.fields import Node
from chaperone_cli.codec.pairs import decode_pairs, encode_pairs
from chaperone_cli.codec.screening import (
    decode_screened_out,
    decode_screening,
    encode_screened_out,
    encode_screening,
)
from chaperone_cli.codec.spend import decode_spend, encode_spend
from chaperone_cli.codec.verdict import SavedVerdict
from chaperone_cli.domain.conversation import Side, Sides
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Ending, Protocol, RunHeader, Summary, Usage
from chaperone_cli.domain.selection import LeftOut, Omission
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.domain.vote import AbstainReason
from chaperone_cli.errors import UsageError

CONTRACT = "report.v1"
KEYS = ("schema", "run", "conversations", "problems", "summary", "usage")
Key = TypeVar("Key", bound=StrEnum)


@dataclass(frozen=True)
class CitedRubric(Rubric):
    """A rubric as a report cites it: identified by its digest, without its wording."""

    cited: str = ""
    """Empty where what was saved does not say which rubric it was."""

    @property
    def name(self) -> str:
        """Id and version, or that they are not known."""
        return super().name if self.cited else "not named by the verdicts"

    @cached_property
    def digest(self) -> str:
        """The digest that the report gives."""
        return self.cited


@dataclass(frozen=True)
class Report:
    """A saved report read back."""

    header: RunHeader
    conversations: tuple[SavedVerdict, ...]
    problems: tuple[Problem, ...]
    summary: Summary
    usage: Usage


def encode(report: Report) -> dict[str, Any]:
    """Gives the `report.v1` document of `report`."""
    passes = report.header.protocol.passes
    return {
        "schema": CONTRACT,
        "run": encode_header(report.header),
        "conversations": [
            verdicts.encode(saved.verdict, passes, saved.quotes) for saved in report.conversations
        ],
        "problems": [encode_problem(problem) for problem in report.problems],
        "summary": encode_summary(report.summary),
        "usage": encode_usage(report.usage),
    }


def encode_header(header: RunHeader) -> dict[str, Any]:
    """Gives the `run` of a report."""
    protocol = header.protocol
    document = {
        "version": header.version,
        "started_at": header.started_at,
        "platform": header.platform,
        "evaluator": {
            "name": header.evaluator,
            "version": header.evaluator_version,
            "settings": dict(sorted(header.evaluator_settings.items())),
        },
        "rubric": {
            "id": protocol.rubric.id,
            "version": protocol.rubric.version,
            "digest": protocol.rubric.digest,
            "title": protocol.rubric.title,
        },
        "rule": {
            "name": protocol.rule.name,
            "threshold": protocol.rule.threshold(protocol.passes),
        },
        "passes": protocol.passes,
        "sides": protocol.sides.value,
        "all_votes": protocol.all_votes,
        "until_block": protocol.until_block,
        "inputs": list(header.inputs),
    }
    if protocol.screening is not None:
        document["screen"] = encode_screening(protocol.screening)
    return document


def encode_problem(problem: Problem) -> dict[str, Any]:
    """Gives one of the `problems` of a report."""
    document: dict[str, Any] = {"severity": problem.severity.value, "path": problem.path}
    for key in ("line", "conversation", "turn"):
        value = getattr(problem, key)
        if value is not None:
            document[key] = value
    document["message"] = problem.message
    return document


def encode_summary(summary: Summary) -> dict[str, Any]:
    """Gives the `summary` of a report."""
    document: dict[str, Any] = {
        "ending": summary.ending.value,
        "conversations": {
            "total": summary.total,
            **_counts(summary.conversations, (Verdict.BLOCK, Verdict.UNDECIDED, Verdict.PASS)),
            "empty": summary.empty,
        },
        "attribution": _counts(summary.attribution, Side),
        "turns_selected": summary.turns_selected,
        "turns_judged": _counts(summary.turns_judged, Side),
        "turns_blocked": _counts(summary.turns_blocked, Side),
        "turns_undecided": _counts(summary.turns_undecided, Side),
        "votes_cast": summary.votes_cast,
        "votes_saved": summary.votes_saved,
        "abstentions": _abstentions(summary.abstentions),
    }
    if summary.partial:
        document["partial"] = {
            "conversations": summary.partial,
            "turns_unreached": summary.turns_unreached,
        }
    if summary.tampering:
        document["tampering_suspected"] = {
            "conversations": summary.tampering,
            "turns": summary.tampering_turns,
        }
    if summary.blocked_by_rule:
        document["blocked_by_rule"] = dict(summary.blocked_by_rule)
    if summary.pairs.turns:
        document["agreement"] = encode_pairs(summary.pairs.figures())
    document["blank_turns"] = summary.blank_turns
    document["placeholders"] = summary.placeholders
    document["problems"] = _counts(summary.problems, Severity)
    if summary.screened_out is not None:
        document["screened_out"] = encode_screened_out(summary.screened_out, summary.passes)
    if summary.left_out:
        document["left_out"] = encode_left_out(summary.left_out)
    return document


def encode_left_out(left_out: LeftOut) -> dict[str, Any]:
    """Gives what a selection left out, by reason."""
    return {**_counts(left_out.reasons, Omission), "limited": left_out.limited}


def encode_usage(usage: Usage) -> dict[str, Any]:
    """Gives the `usage` of a report."""
    document: dict[str, Any] = {
        "votes_asked": usage.votes_asked,
        "votes_from_store": usage.votes_from_store,
        "seconds": round(usage.seconds, 3),
    }
    if usage.spend is not None:
        document["spend"] = encode_spend(usage.spend)
    return document


def decode(document: Node) -> Report:
    """Reads a `report.v1` document; raises InputError."""
    document.contract(CONTRACT)
    document.only(*KEYS)
    header = decode_header(document.get("run"))
    return Report(
        header,
        tuple(
            decode_verdict(node, header.protocol.passes)
            for node in document.get("conversations").items()
        ),
        tuple(decode_problem(node) for node in document.get("problems").items()),
        decode_summary(document.get("summary"), header.protocol.passes),
        decode_usage(document.get("usage")),
    )


def decode_verdict(node: Node, passes: int) -> SavedVerdict:
    """Reads one of the `conversations` of a report over `passes` votes a turn."""
    saved = verdicts.decode(node)
    if saved.passes != passes:
        raise node.get("passes").error(f"{passes}, as in the run")
    return saved


def decode_header(node: Node) -> RunHeader:
    """Reads the `run` of a report."""
    evaluator = node.get("evaluator")
    settings = {key: _scalar(value) for key, value in evaluator.get("settings").entries()}
    return RunHeader(
        version=node.get("version").text(),
        started_at=node.get("started_at").text(),
        platform=node.get("platform").text(),
        evaluator=evaluator.get("name").text(),
        evaluator_version=evaluator.get("version").text(),
        evaluator_settings=settings,
        protocol=_decode_protocol(node),
        inputs=tuple(path.text() for path in node.get("inputs").items()),
    )


def _decode_protocol(node: Node) -> Protocol:
    rubric, passes = node.get("rubric"), node.get("passes").integer(1)
    return Protocol(
        CitedRubric(
            rubric.get("id").text(),
            rubric.get("version").integer(),
            rubric.get("title").text(),
            labels=(),
            cited=rubric.get("digest").text(),
        ),
        _decode_rule(node.get("rule"), passes),
        passes,
        node.get("sides").choice(Sides),
        node.get("all_votes").flag(),
        node.get("until_block").flag(),
        screening=decode_screening(node.maybe("screen")),
    )


def _decode_rule(node: Node, passes: int) -> Rule:
    try:
        rule = Rule.parse(node.get("name").text())
        threshold = rule.threshold(passes)
    except UsageError as exc:
        raise node.get("name").error(f"a rule that {passes} votes can satisfy") from exc
    if node.get("threshold").integer(1) != threshold:
        raise node.get("threshold").error(f"{threshold}, as the rule says for {passes} votes")
    return rule


def _scalar(node: Node) -> str | int | float | bool | None:
    if node.value is not None and not isinstance(node.value, str | int | float | bool):
        raise node.error("text, a number, true, false or null")
    return node.value


def decode_problem(node: Node) -> Problem:
    """Reads one of the `problems` of a report."""
    node.only("severity", "path", "line", "conversation", "turn", "message")
    line, conversation, turn = (node.maybe(key) for key in ("line", "conversation", "turn"))
    return Problem(
        node.get("severity").choice(Severity),
        node.get("path").text(),
        node.get("message").text(),
        line.integer() if line else None,
        conversation.text() if conversation else None,
        turn.integer() if turn else None,
    )


def decode_summary(node: Node, passes: int) -> Summary:
    """Reads the `summary` of a report over `passes` votes a turn."""
    conversations, by_rule = node.get("conversations"), node.maybe("blocked_by_rule")
    suspected, partial = node.maybe("tampering_suspected"), node.maybe("partial")
    return Summary(
        passes,
        ending=node.get("ending").choice(Ending),
        conversations=_counted(conversations, Verdict),
        partial=partial.get("conversations").integer(1) if partial else 0,
        turns_unreached=partial.get("turns_unreached").integer(1) if partial else 0,
        empty=conversations.get("empty").integer(),
        attribution=_counted(node.get("attribution"), Side),
        turns_judged=_counted(node.get("turns_judged"), Side),
        turns_blocked=_counted(node.get("turns_blocked"), Side),
        turns_undecided=_counted(node.get("turns_undecided"), Side),
        turns_selected=node.get("turns_selected").integer(),
        votes_cast=node.get("votes_cast").integer(),
        abstentions=_counted(node.get("abstentions"), AbstainReason, _LATER),
        tampering=suspected.get("conversations").integer() if suspected else 0,
        tampering_turns=suspected.get("turns").integer() if suspected else 0,
        blocked_by_rule=Counter(
            {rule: count.integer() for rule, count in by_rule.entries()} if by_rule else {}
        ),
        pairs=decode_pairs(node.maybe("agreement"), passes),
        blank_turns=node.get("blank_turns").integer(),
        placeholders=node.get("placeholders").integer(),
        problems=_counted(node.get("problems"), Severity),
        left_out=_decode_left_out(node.maybe("left_out")),
        screened_out=decode_screened_out(node.maybe("screened_out"), passes),
    )


def _decode_left_out(node: Node | None) -> LeftOut:
    if node is None:
        return LeftOut()
    return LeftOut(_counted(node, Omission), node.get("limited").flag())


def decode_usage(node: Node) -> Usage:
    """Reads the `usage` of a report."""
    spend = node.maybe("spend")
    return Usage(
        node.get("votes_asked").integer(),
        node.get("votes_from_store").integer(),
        node.get("seconds").number(),
        None if spend is None else decode_spend(spend),
    )


def _counts(counter: Mapping[Key, int], keys: Iterable[Key]) -> dict[str, int]:
    """Gives every count by name, also where it is 0."""
    return {key.value: counter.get(key, 0) for key in keys}


def _abstentions(counter: Mapping[AbstainReason, int]) -> dict[str, int]:
    return {
        reason: count
        for reason, count in _counts(counter, AbstainReason).items()
        if count or reason not in _LATER
    }


_LATER = frozenset({AbstainReason.TOO_LONG, AbstainReason.REJECTED})
"""Reasons that reports did not have at first; they are left out where there are none."""


def _counted(node: Node, kind: type[Key], optional: Container[Key] = frozenset()) -> Counter[Key]:
    found = {key: node.maybe(key.value) for key in kind if key in optional}
    needed = {key: node.get(key.value) for key in kind if key not in optional}
    return Counter({key: one.integer() for key, one in {**needed, **found}.items() if one})
