"""A stand-in that also rewrites: it gives scripted texts to whoever asks for a text."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from tests.support.standin import Behaviour, Standin, running
from tests.support.standin.voting import Asked, Given, Voting


class RewritingVoting(Voting):
    """Answers requests for a text from a list, and votes on all others."""

    def __init__(self, behaviour: Behaviour, texts: tuple[str, ...]) -> None:
        super().__init__(behaviour)
        self.tasks: list[str] = []
        """What was asked for, in order."""
        self._texts = list(texts)

    def give(self, asked: Asked, fault: str | None = None, *, batch: bool = False) -> Given:
        """Gives a vote, or the next text: `REFUSED` stands for a refusal, `` for no text."""
        if "text" not in _properties(asked.body):
            return super().give(asked, fault, batch=batch)
        self.tasks.append(asked.body["messages"][-1]["content"][-1]["text"])
        text = self._texts.pop(0)
        given = super().give(asked, "refusal" if text == "REFUSED" else fault, batch=batch)
        if text != "REFUSED":
            said = orjson.dumps({"text": text}).decode()
            given.document["content"] = [{"type": "text", "text": said}]
            given.document["stop_reason"] = "end_turn"
        return given


def _properties(body: dict[str, Any]) -> dict[str, Any]:
    form = (body.get("output_config") or {}).get("format") or {}
    properties: dict[str, Any] = form.get("schema", {}).get("properties", {})
    return properties


@contextmanager
def rewriting(*texts: str, **settings: Any) -> Iterator[tuple[Standin, RewritingVoting]]:
    """Gives a stand-in at its `url` that rewrites with `texts`, one after the other."""
    with running(**settings) as standin:
        voting = RewritingVoting(standin.behaviour, texts)
        standin.voting = voting
        yield standin, voting
