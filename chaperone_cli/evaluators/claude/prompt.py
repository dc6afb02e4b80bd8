"""Lays out a request so that each call finds in the cache what the calls before it wrote.

The order is: instructions and rubric (the same bytes in the whole run), one block per message of
the conversation (only ever appended to), a short question. Cache breakpoints stand after the
instructions and after the last message; a request's prefix up to a breakpoint is written once, and
read by every later vote on that turn and by the turns after it.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.errors import UsageError
from chaperone_cli.evaluators.claude import models
from chaperone_cli.evaluators.claude.encode import entry
from chaperone_cli.evaluators.claude.models import Form
from chaperone_cli.evaluators.claude.wording import wording

LOOK_BACK = 20
"""Blocks that the API searches for an earlier entry from a breakpoint on, this one included."""

OVERHEAD = 1500
"""Tokens allowed for what a server adds to a request by itself; the vendor does not publish it."""
PER_BLOCK = 8
"""Tokens allowed for what stands between two blocks."""

LONGEST_REPLY = 16_384
"""Most tokens of a reply that is asked for again because it was cut off."""

Lifetime = Literal["5m", "1h"]
Block = dict[str, Any]
Request = dict[str, Any]
"""The keyword arguments of `messages.create`; in a batch, the `params` of one request."""


@dataclass(frozen=True)
class Task:
    """What a reply is to hold."""

    form: str
    """The words that say how to answer."""
    question: str
    """The name of the wording that asks."""
    schema: dict[str, Any]
    """What an answer is held to, where the model can be held to anything."""

    @classmethod
    def vote(cls, key: str, form: Form) -> "Task":
        """Asks for yes or no, under `key` where the reply is JSON."""
        name = "form_json" if form.structured else "form_word"
        return cls(wording().fill(name, key=key), "question", models.schema(**{key: "boolean"}))


def draw_marker() -> str:
    """Draws the marker of a run, 40 random bits, which no log can have known."""
    return secrets.token_hex(5)


class Prompt:
    """What all calls of a run about one rubric have in common."""

    def __init__(
        self,
        rubric: Rubric,
        model: str,
        form: Form,
        marker: str,
        lifetime: Lifetime = "5m",
        task: Task | None = None,
    ) -> None:
        """Raises UsageError for a rubric with several labels, which one answer cannot cover."""
        if len(rubric.labels) != 1:
            raise UsageError(
                f"rubric {rubric.id!r} has {len(rubric.labels)} labels; claude answers one",
                hint="use a rubric with one label",
            )
        [self.label] = rubric.labels
        self.marker = marker
        self.least_seen: int | None = None
        """Prompt tokens of the smallest request so far, as the server counted them."""
        self._caching = form.caching
        self._breakpoint = {"type": "ephemeral", "ttl": lifetime}
        task = task or Task.vote(self.label.id, form)
        self._question = _block(wording().fill(task.question, marker=marker, question=self._asked))
        instructions = self._system(task)
        self.texts = (instructions, self._question["text"])
        """The instructions and the question, which every request holds."""
        self._shared: Request = {
            "model": model,
            "max_tokens": form.max_tokens,
            # Text instead of blocks is what every server understands; only the cache needs blocks.
            "system": [self._ending(_block(instructions))] if form.caching else instructions,
            **form.fields(task.schema),
        }

    @property
    def _asked(self) -> str:
        return " ".join(self.label.question.split())

    def _system(self, task: Task) -> str:
        return wording().fill(
            "system",
            marker=self.marker,
            question=self._asked,
            guidance=self.label.guidance.strip(),
            form=task.form,
        )

    @property
    def most_shared(self) -> int:
        """The most tokens that a request takes besides its conversation.

        A text has no more tokens than bytes; once a whole request was counted, that is known to be
        enough.
        """
        if self.least_seen is not None:
            return self.least_seen
        return sum(len(text.encode()) for text in self.texts) + OVERHEAD

    def request(self, blocks: list[Block], breakpoints: tuple[int, ...]) -> Request:
        """Gives the request about `blocks`, with cache breakpoints after those at `breakpoints`."""
        content = [*blocks, self._question]
        for index in breakpoints:
            content[index] = self._ending(content[index])
        return {**self._shared, "messages": [{"role": "user", "content": content}]}

    def _ending(self, block: Block) -> Block:
        return {**block, "cache_control": self._breakpoint} if self._caching else block


class Transcript:
    """One conversation as blocks, as far as it was asked about."""

    def __init__(self, prompt: Prompt, conversation: Conversation) -> None:
        self._prompt = prompt
        self._messages = conversation.messages
        self._numbers: Mapping[int, int] = {turn.index: turn.number for turn in conversation.turns}
        self._blocks: list[Block] = []
        self._sizes: list[int] = [0]
        """The most tokens of the conversation before each block, and of all of it."""
        self._written: int | None = None
        self._seen: tuple[int, int] | None = None
        """The index of the last block of a request that was counted, and its prompt tokens."""

    def request(self, turn: Turn) -> Request:
        """Gives the request about the conversation up to and including `turn`."""
        for index in range(len(self._blocks), turn.index + 1):
            line = entry(self._prompt.marker, self._messages[index], self._numbers.get(index))
            self._blocks.append(_block(line))
            self._sizes.append(self._sizes[-1] + len(line.encode()) + PER_BLOCK)
        return self._prompt.request(self._blocks[: turn.index + 1], self._breakpoints(turn.index))

    def _breakpoints(self, last: int) -> tuple[int, ...]:
        written = self._written
        if written is not None and last - written >= LOOK_BACK:
            return (written, last)
        return (last,)

    def most_tokens(self, turn: Turn) -> int:
        """Gives the most prompt tokens that the request about `turn` can take."""
        if self._seen is None:
            return self._prompt.most_shared + self._sizes[turn.index + 1]
        last, tokens = self._seen
        return tokens + max(0, self._sizes[turn.index + 1] - self._sizes[last + 1])

    def wrote(self, turn: Turn, tokens: int) -> None:
        """Notes that a reply came, so that the cache holds everything up to `turn`.

        `tokens` are the prompt tokens that the server counted, 0 if it did not say.
        """
        self._written = max(turn.index, self._written or 0)
        if tokens:
            self._seen = (turn.index, tokens)
            self._prompt.least_seen = min(tokens, self._prompt.least_seen or tokens)


def with_longer_reply(request: Request) -> Request:
    """Gives `request` with more room for its reply, which leaves what is cached of it as it is."""
    return {**request, "max_tokens": min(request["max_tokens"] * 8, LONGEST_REPLY)}


def _block(text: str) -> Block:
    return {"type": "text", "text": text}
