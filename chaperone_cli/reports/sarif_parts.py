"""The objects of a SARIF 2.1.0 log (OASIS, 2020, errata 01 of 2023) that chaperone writes."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.run import Ending, RunHeader, Summary
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict
from chaperone_cli.reports import flagged
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.sanitise import plain
from chaperone_cli.reports.sarif_rules import NOTIFICATIONS, OF, SAID, message, rule_id

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_PROBLEMS = {Severity.ERROR: "unread", Severity.WARNING: "loss"}


def result(
    rubric: Rubric, passes: int, verdict: ConversationVerdict, first: TurnVerdict, quotes: Quotes
) -> dict[str, Any]:
    """Gives the result for the first blocking turn of a conversation."""
    score = f"{first.score} of {passes} votes are yes"
    said = (
        f"Conversation {plain(verdict.conversation)}, turn {first.turn}: {SAID[first.side]}; "
        f"{score}."
    )
    facts = _facts(verdict, first, passes, quotes)
    said += f" {facts['reason']}" if "reason" in facts else ""
    if (span := flagged.evidence(verdict)) is not None:
        whose = f", {OF[span.side]}" if span.side else ""
        said += f" Evidence from turn {span.turn}{whose}"
        said += f': "{facts["quote"]}"' if "quote" in facts else "."
    return {
        "ruleId": rule_id(rubric, first.side),
        "ruleIndex": list(Side).index(first.side),
        "level": "error",
        "message": message(said),
        "locations": [location(verdict.source.path, verdict.source.line, verdict, first.turn)],
        "partialFingerprints": fingerprints(rubric, verdict.conversation),
        "properties": facts,
    }


def _facts(
    verdict: ConversationVerdict, first: TurnVerdict, passes: int, quotes: Quotes
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "conversation": verdict.conversation,
        "turn": first.turn,
        "side": first.side.value,
        "score": first.score,
        "of": passes,
        "cues": flagged.cues(verdict),
    }
    span = flagged.evidence(verdict)
    said = {
        "label": verdict.label,
        "reason": plain(flagged.reason(verdict)),
        "quote": plain(flagged.quote(span, quotes)),
    }
    if span is not None:
        side = {"side": span.side.value} if span.side else {}
        facts["evidence"] = {"turn": span.turn, **side}
    return facts | {name: text for name, text in said.items() if text}


def fingerprints(rubric: Rubric, conversation: str) -> dict[str, str]:
    """Gives what makes the finding the same one tomorrow: its rubric and its conversation.

    Neither its line nor its turn takes part: a log that is reordered or grows, and an evaluator
    that sees the block a turn earlier, find nothing new.
    """
    found = sha256(
        f"{len(rubric.id)}:{rubric.id}{conversation}".encode("utf-8", "backslashreplace")
    )
    same = found.hexdigest()[:32]
    # The second is the only one that GitHub's code scanning reads; else it would make its own up
    # from the text of the log's line.
    return {"conversation/v1": same, "primaryLocationLineHash": f"{same}:1"}


def location(
    path: str,
    line: int | None,
    verdict: ConversationVerdict | None = None,
    turn: int | None = None,
) -> dict[str, Any]:
    """Gives a place in a log, and the conversation and turn that it is about."""
    place: dict[str, Any] = {"artifactLocation": {"uri": uri(path)}}
    if line:
        place["region"] = {"startLine": line}
    found: dict[str, Any] = {"physicalLocation": place}
    if verdict is not None:
        full = verdict.conversation if turn is None else f"{verdict.conversation}#{turn}"
        name = verdict.conversation if turn is None else f"turn {turn}"
        found["logicalLocations"] = [{"name": name, "fullyQualifiedName": full}]
    return found


def uri(path: str) -> str:
    """Gives a path as a URI reference: relative paths stay relative."""
    spelled = PurePath(path).as_posix().encode("utf-8", "backslashreplace")
    quoted = quote(spelled, safe="/-._~!$&'()*+,;=@")
    return f"file://{'' if quoted.startswith('/') else '/'}{quoted}" if _absolute(path) else quoted


def _absolute(path: str) -> bool:
    return PurePath(path).is_absolute()


def undecided(verdict: ConversationVerdict) -> dict[str, Any]:
    """Gives the notification of a conversation that abstentions leave open."""
    said = f"Conversation {plain(verdict.conversation)} stayed undecided."
    place = location(verdict.source.path, verdict.source.line, verdict)
    return _notification("undecided", "warning", said, place)


def problem(found: Problem) -> dict[str, Any]:
    """Gives the notification of a problem of the input."""
    place = location(found.path, found.line)
    return _notification(_PROBLEMS[found.severity], found.severity, plain(str(found)), place)


def _notification(id_: str, level: str, said: str, place: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "descriptor": {"id": id_, "index": list(NOTIFICATIONS).index(id_)},
        "level": level,
        "message": message(said),
        "locations": [place],
    }


def invocation(header: RunHeader, summary: Summary) -> dict[str, Any]:
    """Gives how the run went, without its notifications."""
    went: dict[str, Any] = {"executionSuccessful": summary.ending is Ending.COMPLETE}
    if header.started_at:
        went["startTimeUtc"] = header.started_at.replace("+00:00", "Z")
    if summary.ending is not Ending.COMPLETE:
        went["exitCodeDescription"] = f"{summary.ending} before the end of the input"
    return went
