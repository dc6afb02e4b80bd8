"""Conversations as a test can spell them out, and the exports that the README reads."""

from pathlib import Path
from typing import Any

from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers import LogReader

EXPORTS = Path(__file__).parents[2] / "sample_logs" / "formats"


def export(name: str, branches: Branches = Branches.LAST, **options: Any) -> list[Conversation]:
    """The conversations of a sample export, which has no problems."""
    return whole([str(EXPORTS / name)], branches, **options)


def whole(
    paths: list[str], branches: Branches = Branches.LAST, **options: Any
) -> list[Conversation]:
    """The conversations of logs without problems."""
    items = list(LogReader(paths, branches=branches, **options))
    assert [str(item) for item in items if isinstance(item, Problem)] == []
    return [item for item in items if isinstance(item, Conversation)]


def transcript(conversation: Conversation) -> list[str]:
    """A line a message: its place, who speaks (by name, where it has one), and the words."""
    return [
        f"{message.place} {message.role}{f'/{message.name}' if message.name else ''}: "
        f"{message.text}"
        for message in conversation.messages
    ]


def counts(conversation: Conversation) -> tuple[int, int, int]:
    """Turns, blank turns and placeholders."""
    return len(conversation.turns), conversation.blank_turns, conversation.placeholders
