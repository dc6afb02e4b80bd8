"""The rules and notifications of chaperone's SARIF logs, all declared in every run."""

from collections.abc import Iterator
from typing import Any

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.reports.sanitise import plain

NOTIFICATIONS = {
    "undecided": "Abstentions leave open whether a turn of the conversation blocks.",
    "unread": "Some input could not be read and was not audited.",
    "loss": "Some input was audited, but not quite as it stands in the log.",
}
OF = {Side.PROMPT: "a prompt of the user", Side.RESPONSE: "a response of the chatbot"}
SAID = {side: f"{whose} is the first turn to block" for side, whose in OF.items()}


def message(text: str) -> dict[str, str]:
    """Gives a plain text message; brackets would make links of it, and braces placeholders."""
    for sign, literal in (("[", "\\["), ("]", "\\]"), ("{", "{{"), ("}", "}}")):
        text = text.replace(sign, literal)
    return {"text": text}


def tool(header: RunHeader) -> dict[str, Any]:
    """Gives the tool with every rule and notification that a run could report."""
    return {
        "driver": {
            "name": "chaperone",
            "version": header.version,
            "rules": list(_rules(header.protocol.rubric)),
            "notifications": [
                {"id": id_, "shortDescription": message(said)}
                for id_, said in NOTIFICATIONS.items()
            ],
        }
    }


def _rules(rubric: Rubric) -> Iterator[dict[str, Any]]:
    title = plain(rubric.title)
    for side in Side:
        yield {
            "id": rule_id(rubric, side),
            "name": f"First block on a {side}",
            "shortDescription": message(f"{title}: {SAID[side]}"),
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


def rule_id(rubric: Rubric, side: Side) -> str:
    """Names the rule that a first block on `side` falls under."""
    return f"{plain(rubric.id)}/{side}"
