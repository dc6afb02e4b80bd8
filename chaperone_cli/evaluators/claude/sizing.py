"""Estimates how many tokens the requests of a run take, without asking anybody.

The vendor publishes no tokenizer. The figures here are for the one of November 2026: a token for
every 2.9 ASCII characters of running English, and one for every other character, which is high for
European alphabets and about right for Chinese, Japanese and Korean. Expect to be off by a quarter
either way; the report of a run gives what was really counted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.estimate import Shape
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.evaluators.claude import models
from chaperone_cli.evaluators.claude.encode import entry
from chaperone_cli.evaluators.claude.endpoint import Endpoint
from chaperone_cli.evaluators.claude.prompt import Prompt, draw_marker

PER_TOKEN = 2.9
"""ASCII characters of English for one token."""
ANSWER = 12
"""Tokens of an answer without thinking."""
THOUGHT = 150
"""Tokens of an answer where thinking cannot be turned off, at low effort: a guess."""

_OTHER = re.compile(r"[^\x00-\x7f]")


def tokens(text: str) -> int:
    """Estimates the tokens of `text`."""
    other = 0 if text.isascii() else len(_OTHER.findall(text))
    return ceil((len(text) - other) / PER_TOKEN) + other


@dataclass(frozen=True)
class Sizing:
    """Sizes of what would be sent."""

    shape: Shape
    marker: str

    @classmethod
    def of(cls, rubric: Rubric, model: str, endpoint: Endpoint, *, batch: bool = False) -> "Sizing":
        """Sizes the requests about `rubric`, with what the package's table says of `model`."""
        listed = models.listed(model)
        form = listed.form if listed else models.plain(local=endpoint.local)
        marker = draw_marker()
        prompt = Prompt(rubric, model, form, marker)
        texts = prompt.texts
        shape = Shape(
            instructions=tokens(texts[0]),
            question=tokens(texts[1]),
            reply=THOUGHT if form.max_tokens == models.THINKING_REPLY else ANSWER,
            least_cached=listed.least_cached if listed else None,
            batch=batch,
        )
        return cls(shape, marker)

    def prefixes(self, conversation: Conversation) -> Iterator[tuple[Turn, int]]:
        """Gives every turn with the tokens of the conversation up to and including it."""
        total = done = 0
        numbers = {turn.index: turn.number for turn in conversation.turns}
        for turn in conversation.turns:
            for index in range(done, turn.index + 1):
                message = conversation.messages[index]
                total += tokens(entry(self.marker, message, numbers.get(index)))
            done = turn.index + 1
            yield turn, total
