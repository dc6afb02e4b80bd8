"""One vote: its place in the cache, its answer and its bill."""

import random
from dataclasses import dataclass, replace
from typing import Any

from tests.support.standin.answers import Answers, Subject
from tests.support.standin.cache import Look, PromptCache
from tests.support.standin.errors import invalid
from tests.support.standin.faults import ANSWERS, STOPS
from tests.support.standin.ledger import Usage
from tests.support.standin.models import Model
from tests.support.standin.prompt import Prompt
from tests.support.standin.replies import Ids, answer, message, usage_document
from tests.support.standin.settings import Behaviour


@dataclass(frozen=True)
class Asked:
    """A vote that was asked for and not yet given."""

    body: dict[str, Any]
    model: Model
    subject: Subject
    look: Look


@dataclass(frozen=True)
class Given:
    """A vote that was given."""

    document: dict[str, Any]
    usage: Usage
    facts: dict[str, Any]
    """What the ledger keeps of it."""


class Voting:
    """Gives votes to requests that are in order."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.cache = PromptCache()
        self._behaviour = behaviour
        self._answers = Answers(behaviour.logs, behaviour.votes, behaviour.rule)
        self._ids = Ids(behaviour.seed)
        self._draw = random.Random(behaviour.seed)

    def ask(self, body: dict[str, Any], model: Model, now: float, *, hit: bool = True) -> Asked:
        """Reads a request; without `hit`, as if nothing of it were in the cache."""
        prompt = Prompt.of(body, self._behaviour.characters_per_token)
        limit = self._behaviour.max_input or model.max_input
        if limit and prompt.size > limit:
            raise invalid(f"prompt is too long: {prompt.size} tokens > {limit} maximum")
        if (text := self._behaviour.rejects) and any(text in one.text for one in prompt.blocks):
            raise invalid("messages.0.content.0: something is wrong with this block")
        if self._behaviour.local:
            look = Look(Usage(prompt.size), now, ())
        else:
            look = (self.cache if hit else PromptCache()).look(prompt, model, now)
        return Asked(body, model, self._answers.subject(prompt), look)

    def recall(self, body: dict[str, Any]) -> None:
        """Counts the pass of a request that was answered before a restart."""
        prompt = Prompt.of(body, self._behaviour.characters_per_token)
        self._answers.next(self._answers.subject(prompt))

    def give(self, asked: Asked, fault: str | None = None, *, batch: bool = False) -> Given:
        """Answers; the response begins, so that what it cached can be read from now on."""
        self.cache.begin(asked.look)
        most = asked.body["max_tokens"]
        number: int | None = None
        vote = fault if fault in ANSWERS else None
        if vote is None and most > 0:
            number, vote = self._answers.next(asked.subject)
        text, stop = ("", "max_tokens")
        if vote is not None:
            plain = self._behaviour.local
            text, stop = answer(asked.body, vote, asked.subject.text, plain=plain)
        thought = self._thought(asked)
        spoken = -(-len(text) // 4)
        if stop == "end_turn" and thought + spoken > most:
            text, stop = text[: 4 * max(0, most - thought)], "max_tokens"
        output = min(most, thought + spoken)
        usage = replace(asked.look.usage, output=0 if stop == "refusal" else output)
        document = message(self._ids("msg"), asked.model.id, text, STOPS.get(fault or "", stop))
        if self._behaviour.reports_usage:
            document["usage"] = usage_document(
                usage, tier="batch" if batch else "standard", local=self._behaviour.local
            )
        return Given(document, usage, self._facts(asked, number, vote, usage, batch))

    def _thought(self, asked: Asked) -> int:
        form = (asked.body.get("thinking") or {}).get("type")
        on = asked.model.thinks_by_default if form is None else form in ("adaptive", "enabled")
        return self._behaviour.thinking_tokens if on and not self._behaviour.local else 0

    @staticmethod
    def _facts(
        asked: Asked, number: int | None, vote: str | None, usage: Usage, batch: bool
    ) -> dict[str, Any]:
        conversation, turn = asked.subject.place or (None, None)
        return {
            "conversation": conversation,
            "turn": turn,
            "passes": number,
            "answer": vote if number is not None else None,
            "model": asked.model.id,
            "usage": usage,
            "billed": usage.billed(asked.model, batch=batch),
            "dollars": usage.dollars(asked.model, batch=batch),
        }
