import asyncio
from collections.abc import Callable, Sequence

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import Vote
from chaperone_cli.evaluators.local import LocalEvaluator

RUBRIC = Rubric("test", 1, "Test", ())
ALL = (1, 2, 3, 4, 5)

Votes = tuple[tuple[Vote, ...], ...]
Judge = Callable[[Sequence[str]], Votes]


def conversation(texts: Sequence[str], first: Role = Role.USER) -> Conversation:
    roles = (Role.USER, Role.ASSISTANT) if first is Role.USER else (Role.ASSISTANT, Role.USER)
    messages = tuple(Message(roles[place % 2], text) for place, text in enumerate(texts))
    return Conversation("c-1", messages, Source("test.jsonl", 1))


def sides(texts: Sequence[str]) -> list[int]:
    """Gives the sides of a conversation that the user begins."""
    return [place % 2 for place in range(len(texts))]


def votes(
    evaluator: LocalEvaluator, asked: Conversation, turns: Sequence[int] | None = None
) -> Votes:
    """Gives all members' votes on the turns numbered `turns`, by default on all."""

    async def ask() -> Votes:
        session = evaluator.open(asked, RUBRIC)
        wanted = [t for t in asked.turns if turns is None or t.number in turns]
        return tuple([tuple(await session.vote(turn, ALL)) for turn in wanted])

    return asyncio.run(ask())
