"""Lets a model rewrite: a strategy's steps are asked one after the other, the last for the text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from chaperone_cli.codec.phrasebook import wording
from chaperone_cli.domain.rephrasing import Attempt
from chaperone_cli.domain.rewrite import Draft, Failure, Target
from chaperone_cli.domain.rewrite_checks import Phrasebook
from chaperone_cli.domain.strategy import Step, Strategy, filled
from chaperone_cli.evaluators.claude import reply
from chaperone_cli.evaluators.claude.caller import GivenUpError
from chaperone_cli.evaluators.claude.encode import entry
from chaperone_cli.evaluators.claude.endpoint import check_key
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Connection
from chaperone_cli.evaluators.claude.models import THINKING_REPLY
from chaperone_cli.evaluators.claude.prompt import OVERHEAD, PER_BLOCK
from chaperone_cli.rewriters.interface import Rewriter

LONGEST_REPLY = 1024
"""Most tokens of an analysis or a rewrite; the checks hold rewrites to some 200 words."""


@dataclass(frozen=True)
class ClaudeRewriter(Rewriter):
    """Asks a model, by way of the claude evaluator's calls, pace and budget."""

    model: ClaudeEvaluator
    book: Phrasebook
    locale: str | None = None
    """The user's region, for lines of help."""

    @property
    def identity(self) -> Mapping[str, str]:  # noqa: D102
        known = self.model.identity
        server = {"server": str(known.settings["server"])} if "server" in known.settings else {}
        return {"name": "claude", "version": known.version, **server}

    def supports(self, strategy: Strategy) -> bool:  # noqa: D102
        return True

    async def rewrite(  # noqa: D102
        self, target: Target, strategy: Strategy, earlier: Sequence[Attempt]
    ) -> Draft | Failure | None:
        connection = await self.model.connection()
        desk = _Desk(connection, target, self._values(strategy))
        *analyses, last = strategy.steps
        notes: dict[str, str] = {}
        try:
            for step in analyses:
                notes[step.id] = await desk.ask(step, notes)
            text = await desk.ask(last, notes, _faults(earlier))
        except GivenUpError:
            return Failure.ERROR
        except _NoTextError as exc:
            return exc.failure
        return Draft(text, notes=notes or None)

    def check(self) -> None:  # noqa: D102
        instead = "rewrite offline with --rewriter prune"
        check_key(self.model.endpoint, "the claude rewriter", instead=instead)

    def _values(self, strategy: Strategy) -> dict[str, str]:
        numbered = enumerate(strategy.principles, start=1)
        return {
            "help": self.book.help.lines_for(self.locale),
            "principles": "\n".join(f"{number}. {text}" for number, text in numbered),
        }

    async def close(self) -> None:
        """Closes the connection."""
        await self.model.close()


class _NoTextError(Exception):
    """A reply holds no text to go on with."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.value)
        self.failure = failure


@dataclass(frozen=True)
class _Desk:
    """The calls about one response."""

    connection: Connection
    target: Target
    values: Mapping[str, str]

    async def ask(self, step: Step, notes: Mapping[str, str], faults: str = "") -> str:
        """Asks one step; raises _NoTextError where the reply holds no text."""
        task = filled(step.ask, {**self.values, **notes})
        request = self._request("\n\n".join(filter(None, (task, faults))))
        marker = self.connection.marker
        message = await self.connection.caller.ask(
            request,
            _most_tokens(request),
            lambda message: not isinstance(_read(message, marker), Failure),
        )
        found = _read(message, marker)
        if isinstance(found, Failure):
            raise _NoTextError(found)
        return found

    def _request(self, task: str) -> dict[str, Any]:
        form, marker = self.connection.offer.form, self.connection.marker
        said = wording()
        name = "form_json" if form.structured else "form_plain"
        system = f"{filled(said['system'], {'marker': marker})}\n\n{said[name].strip()}"
        question = filled(said["question"], {"marker": marker, "task": task})
        more = THINKING_REPLY if form.max_tokens == THINKING_REPLY else 0
        return {
            "model": self.connection.model,
            "max_tokens": LONGEST_REPLY + more,
            "system": [{"type": "text", "text": system}],
            "messages": [{"role": "user", "content": [*self._entries(), _block(question)]}],
            **form.fields(_SCHEMA),
        }

    def _entries(self) -> list[dict[str, Any]]:
        turns = {turn.index: turn.number for turn in self.target.conversation.turns}
        shown = self.target.conversation.messages[: self.target.turn.index + 1]
        marker = self.connection.marker
        blocks = [
            _block(entry(marker, message, turns.get(index))) for index, message in enumerate(shown)
        ]
        if self.connection.offer.form.caching:
            # The steps of a strategy and its further attempts all begin alike.
            blocks[-1]["cache_control"] = {"type": "ephemeral", "ttl": "5m"}
        return blocks


_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


def _block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _most_tokens(request: Mapping[str, Any]) -> int:
    """Gives the most prompt tokens that `request` can take: a text has no more than bytes."""
    blocks = [*request["system"], *request["messages"][0]["content"]]
    return OVERHEAD + sum(len(block["text"].encode()) + PER_BLOCK for block in blocks)


def _read(message: Mapping[str, Any], marker: str) -> str | Failure:
    """Gives the text of a reply, or why there is none."""
    stop = message.get("stop_reason")
    if stop == "refusal":
        return Failure.REFUSED
    said = reply.text(message).strip()
    if said.startswith("{"):
        said = _of_json(said)
    # A text that repeats the marker repeats the request, which nobody may be shown.
    if stop not in reply.FINISHED or not said or marker in said:
        return Failure.UNREADABLE
    return said


def _of_json(said: str) -> str:
    try:
        document = orjson.loads(said)
    except orjson.JSONDecodeError:
        return ""
    text = document.get("text") if isinstance(document, dict) else None
    return text.strip() if isinstance(text, str) else ""


def _faults(earlier: Sequence[Attempt]) -> str:
    """Gives what was wrong with earlier rewrites, for the model to avoid."""
    lines = [
        f"{number}. {orjson.dumps(one.outcome.text).decode()}\n   {_wrong(one)}"
        for number, one in enumerate(earlier, start=1)
        if isinstance(one.outcome, Draft)
    ]
    return filled(wording()["faults"], {"faults": "\n".join(lines)}) if lines else ""


def _wrong(attempt: Attempt) -> str:
    said = [f"{check.name.replace('_', ' ')}: {check.detail}" for check in attempt.failed_checks]
    judged = attempt.judged
    if judged is not None and judged.score:
        said.insert(0, f"{judged.score} votes still see a parasocial relationship")
    return "; ".join(said)
