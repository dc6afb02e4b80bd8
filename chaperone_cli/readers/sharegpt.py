"""ShareGPT and its many descendants: `conversations` of `{from, value}`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.codec.message import json_name
from chaperone_cli.domain.conversation import Conversation, Role
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import DocumentFormat
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import as_text, begins, first_text

_LISTS = ("conversations", "conversation")


@dataclass(frozen=True)
class ShareGPT(DocumentFormat):
    """An object with `conversations`, a list of utterances with `from` and `value`."""

    needs = "objects with `conversations`, a list of `from` and `value`"
    telltale = frozenset({"conversations", "from", "value"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        return any("from" in begins(document, key) or document.get(key) == [] for key in _LISTS)

    def conversations(  # noqa: D102
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        draft = Draft(place, document.get("id"))
        key = next(key for key in _LISTS if isinstance(document.get(key), list))
        if system := first_text(document, "system", "system_prompt"):
            draft.say(Role.SYSTEM, system, "system")
        for number, entry in enumerate(document[key], 1):
            if not isinstance(entry, dict):
                draft.defect(f" is {json_name(entry)}; expected an object", number)
            elif role := draft.role(entry.get("from"), number):
                content = entry.get("value", entry.get("text"))
                draft.say(role, content, number, id=entry.get("id"), record=entry)
        draft.label = as_text(document.get("label"))
        draft.facts(
            title=as_text(document.get("title")),
            model=as_text(document.get("model")),
            source=as_text(document.get("source")),
        )
        yield from draft.finish()
