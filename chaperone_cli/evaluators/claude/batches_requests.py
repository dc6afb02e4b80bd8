"""Turns questions into the bodies of batches, each small enough for the server.

They are laid out as calls made one by one are. The requests of a round run at the same time and in
no order, so that some do not find what others write; but a write costs a quarter more than reading
the tokens afresh, and finding them saves nine tenths or more: it pays from two hits in ten.
`python -m tests.benchmarks.claude_batches` compares it with other layouts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import orjson

from chaperone_cli.evaluators.claude.prompt import Prompt, Transcript, with_longer_reply
from chaperone_cli.evaluators.interface import Question
from chaperone_cli.evaluators.tampering import marks_of

MOST_REQUESTS = 20_000
"""Requests in a batch; the vendor takes 100,000, but their results must be held at once."""
MOST_BYTES = 16_000_000
"""Bytes of a batch; the vendor takes 256 MB, but while it is sent it is held several times."""
_FRAME = (b'{"requests":[', b",", b"]}")


TriesOf = Callable[[bytes], int]
"""Says how often the vote under a key came back without an answer."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request of a batch."""

    key: bytes
    body: bytes
    most: int
    """The most prompt tokens that it can take."""
    output: int
    """The most tokens of its reply."""
    marks: tuple[str, ...]
    """What the turn is suspected of."""


def body(entries: Sequence[Entry]) -> bytes:
    """Gives the body of the batch that holds `entries`."""
    start, comma, end = _FRAME
    return start + comma.join(entry.body for entry in entries) + end


def portions(
    questions: Sequence[Question], prompt: Prompt, tries_of: TriesOf
) -> Iterator[list[Entry]]:
    """Divides `questions` into batches; only one is made at a time."""
    portion: list[Entry] = []
    size = 0
    for entry in entries(questions, prompt, tries_of):
        size += len(entry.body) + 1
        if portion and (len(portion) >= MOST_REQUESTS or size > MOST_BYTES):
            yield portion
            portion, size = [], len(entry.body) + 1
        portion.append(entry)
    if portion:
        yield portion


def entries(questions: Sequence[Question], prompt: Prompt, tries_of: TriesOf) -> Iterator[Entry]:
    """Gives the requests of `questions`, which are in the order of conversations and turns."""
    for _, group in groupby(questions, key=lambda question: id(question.conversation)):
        asked = list(group)
        transcript = Transcript(prompt, asked[0].conversation)
        for question in asked:
            yield _entry(question, transcript, tries_of(question.key))


def _entry(question: Question, transcript: Transcript, tries: int) -> Entry:
    turn = question.turn
    params = transcript.request(turn)
    for _ in range(tries):
        params = with_longer_reply(params)
    # The server asks for 1 to 64 letters, digits, - and _; the key in hexadecimal is 40.
    request = {"custom_id": question.key.hex(), "params": params}
    return Entry(
        question.key,
        orjson.dumps(request),
        transcript.most_tokens(turn),
        params["max_tokens"],
        marks_of(question.conversation, turn),
    )
