"""Reports as SARIF 2.1.0: one result for the first blocking turn of every blocked conversation.

Undecided conversations and problems of the input are notifications of the invocation, so that
nothing is lost and results are blocks only. All rules and notifications are declared in every run.
The format is that of OASIS, 2020, with errata 01 of 2023.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from chaperone_cli.codec.fields import dumps
from chaperone_cli.codec.report import encode_header, encode_summary
from chaperone_cli.codec.spend import encode_spend
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.run import Ending, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.reports import wording
from chaperone_cli.reports.files import FileReporter
from chaperone_cli.reports.interface import Quotes
from chaperone_cli.reports.text import plain

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_NOTIFICATIONS = {
    "undecided": "Abstentions, or the end of the run, leave open whether a turn blocks.",
    "unread": "Some input could not be read and was not audited.",
    "loss": "Some input was audited, but not quite as it stands in the log.",
}
_OF = {Side.PROMPT: "a prompt of the user", Side.RESPONSE: "a response of the chatbot"}
_SAID = {side: f"{whose} is the first turn to block" for side, whose in _OF.items()}
_PROBLEMS = {Severity.ERROR: "unread", Severity.WARNING: "loss"}


class SarifReporter(FileReporter):
    """Writes findings for code scanning and other consumers of SARIF."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        # They come between results but stand after them.
        self._notifications = self._file.section("the notifications")
        self._separator = b"\n"

    def open(self, header: RunHeader) -> None:
        """Starts the log with the tool and all its rules."""
        super().open(header)
        self._file.write(
            b'{\n"$schema": "%b",\n"version": "2.1.0",\n"runs": [{\n"tool": %b,\n"results": ['
            % (SCHEMA.encode(), dumps(_tool(header)))
        )

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        """Adds the result of a blocked conversation, or the notification of an undecided one."""
        protocol, first = self._header.protocol, verdict.first_block
        if first is not None:
            found = _result(protocol.rubric, protocol.passes, verdict, first, quotes)
            self._file.write(self._separator + dumps(found))
            self._separator = b",\n"
        elif verdict.verdict is Verdict.UNDECIDED:
            self._notify(dumps(_undecided(verdict)))

    def add_problem(self, problem: Problem) -> None:
        """Adds the notification of a problem."""
        self._notify(dumps(_problem(problem)))

    def _notify(self, notification: bytes) -> None:
        separator = b",\n" if self._notifications.parts else b"\n"
        self._notifications.add(separator + notification)

    def close(self, summary: Summary, usage: Usage) -> None:
        """Adds the invocation and the totals and moves the log into place."""
        invocation = dumps(_invocation(self._header, summary))
        run = {"run": encode_header(self._header), "summary": encode_summary(summary)}
        if usage.spend is not None:
            run["spend"] = encode_spend(usage.spend)
        opening = b'\n],\n"invocations": [%b,"toolExecutionNotifications": ['
        self._file.write(opening % invocation.removesuffix(b"}"))
        self._notifications.write()
        closing = b'\n]}],\n"columnKind": "unicodeCodePoints",\n"properties": %b\n}]\n}\n'
        self._file.write(closing % dumps(run))
        super().close(summary, usage)


def _result(
    rubric: Rubric, passes: int, verdict: ConversationVerdict, first: TurnVerdict, quotes: Quotes
) -> dict[str, Any]:
    """The result for the first blocking turn of a conversation."""
    score = f"{first.score} of {passes} votes are yes"
    said = (
        f"Conversation {plain(verdict.conversation)}, turn {first.turn}: {_SAID[first.side]}; "
        f"{score}."
    )
    facts = _facts(verdict, first, passes, quotes)
    if verdict.partial:
        facts["partial"] = True
        said += f" The run {wording.cut_short(verdict)}."
    said += f" {facts['reason']}" if "reason" in facts else ""
    if (span := wording.evidence(verdict)) is not None:
        whose = f", {_OF[span.side]}" if span.side else ""
        said += f" Evidence from turn {span.turn}{whose}"
        said += f': "{facts["quote"]}"' if "quote" in facts else "."
    return {
        "ruleId": _rule_id(rubric, first.side),
        "ruleIndex": list(Side).index(first.side),
        "level": "error",
        "message": message(said),
        "locations": [_location(verdict.source.path, verdict.source.line, verdict, first.turn)],
        "partialFingerprints": _fingerprints(rubric, verdict.conversation),
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
        "cues": wording.cues(first.votes),
    }
    span = wording.evidence(verdict)
    said = {
        "label": verdict.label,
        "reason": plain(wording.reason(verdict)),
        "quote": plain(wording.quote(span, quotes)),
    }
    if span is not None:
        side = {"side": span.side.value} if span.side else {}
        facts["evidence"] = {"turn": span.turn, **side}
    return facts | {name: text for name, text in said.items() if text}


def _fingerprints(rubric: Rubric, conversation: str) -> dict[str, str]:
    """What makes the finding the same one tomorrow: its rubric and its conversation.

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


def _location(
    path: str,
    line: int | None,
    verdict: ConversationVerdict | None = None,
    turn: int | None = None,
) -> dict[str, Any]:
    """A place in a log, and the conversation and turn that it is about."""
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
    """A path as a URI reference: relative paths stay relative."""
    spelled = PurePath(path).as_posix().encode("utf-8", "backslashreplace")
    quoted = quote(spelled, safe="/-._~!$&'()*+,;=@")
    if not PurePath(path).is_absolute():
        return quoted
    return f"file://{'' if quoted.startswith('/') else '/'}{quoted}"


def _undecided(verdict: ConversationVerdict) -> dict[str, Any]:
    """The notification of a conversation that is open by abstentions or a run cut short."""
    why = f": the run {wording.cut_short(verdict)}" if verdict.partial else ""
    said = f"Conversation {plain(verdict.conversation)} stayed undecided{why}."
    place = _location(verdict.source.path, verdict.source.line, verdict)
    return _notification("undecided", "warning", said, place)


def _problem(found: Problem) -> dict[str, Any]:
    """The notification of a problem of the input."""
    place = _location(found.path, found.line)
    return _notification(_PROBLEMS[found.severity], found.severity, plain(str(found)), place)


def _notification(id_: str, level: str, said: str, place: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "descriptor": {"id": id_, "index": list(_NOTIFICATIONS).index(id_)},
        "level": level,
        "message": message(said),
        "locations": [place],
    }


def _invocation(header: RunHeader, summary: Summary) -> dict[str, Any]:
    """How the run went, without its notifications."""
    went: dict[str, Any] = {"executionSuccessful": summary.ending is Ending.COMPLETE}
    if header.started_at:
        went["startTimeUtc"] = header.started_at.replace("+00:00", "Z")
    if summary.ending is not Ending.COMPLETE:
        went["exitCodeDescription"] = f"{summary.ending} before the end of the input"
    return went


def message(text: str) -> dict[str, str]:
    """A plain text message; brackets would make links of it, and braces placeholders."""
    for sign, literal in (("[", "\\["), ("]", "\\]"), ("{", "{{"), ("}", "}}")):
        text = text.replace(sign, literal)
    return {"text": text}


def _tool(header: RunHeader) -> dict[str, Any]:
    """The tool with every rule and notification that a run could report."""
    return {
        "driver": {
            "name": "chaperone",
            "version": header.version,
            "rules": list(_rules(header.protocol.rubric)),
            "notifications": [
                {"id": id_, "shortDescription": message(said)}
                for id_, said in _NOTIFICATIONS.items()
            ],
        }
    }


def _rules(rubric: Rubric) -> Iterator[dict[str, Any]]:
    title = plain(rubric.title)
    for side in Side:
        yield {
            "id": _rule_id(rubric, side),
            "name": f"First block on a {side}",
            "shortDescription": message(f"{title}: {_SAID[side]}"),
            "fullDescription": message(
                "An evaluator was asked several times whether the conversation up to "
                f'this turn shows: "{title}". The sensitivity rule makes its votes a block.'
            ),
            "help": message(
                "Read the conversation up to this turn with chaperone show. Votes are evidence to "
                "look at, not a judgement of a person."
            ),
            "defaultConfiguration": {"level": "error"},
            "properties": {"tags": sorted({plain(rubric.id), side.value})},
        }


def _rule_id(rubric: Rubric, side: Side) -> str:
    """The rule that a first block on `side` falls under."""
    return f"{plain(rubric.id)}/{side}"
