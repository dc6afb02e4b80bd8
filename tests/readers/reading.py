"""Small logs, and what comes of reading them, in words that a test can spell out."""

from io import BytesIO
from pathlib import Path
from typing import Any

import orjson

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.readers import LogReader


def canonical(*ids: object) -> bytes:
    """A canonical log of conversations that say hello."""
    turns = [{"role": "user", "content": "Hello"}]
    return lines(*({"id": id_, "turns": turns} for id_ in ids))


def lines(*documents: Any) -> bytes:
    """One JSON document a line."""
    return b"".join(orjson.dumps(document) + b"\n" for document in documents)


def write(path: str, data: bytes) -> str:
    """Writes a file, with the folders above it."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data)
    return path


def read(*paths: str, stdin: bytes = b"", **options: Any) -> list[str]:
    """Conversations by `id @ source`, problems by severity and whole text."""
    reader = LogReader(paths, stdin=BytesIO(stdin), **options)
    return [
        f"{item.id} @ {item.source}"
        if isinstance(item, Conversation)
        else f"{item.severity}: {item}"
        for item in reader
    ]


def conversations(*paths: str, stdin: bytes = b"") -> list[Conversation]:
    """The conversations, where there is no problem."""
    items = list(LogReader(paths, stdin=BytesIO(stdin)))
    found = [item for item in items if isinstance(item, Conversation)]
    assert found == items
    return found
