"""Evaluators that answer from a script, and conversations to put to them."""

import asyncio
from collections.abc import Callable, Sequence

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source, Turn
from chaperone_cli.domain.rubric import Label, Rubric
from chaperone_cli.domain.vote import NO, YES, AbstainReason, Answer, Vote
from chaperone_cli.evaluators.interface import Evaluator, Identity, Session

RUBRIC = Rubric("test", 1, "A test", (Label("test", "Is it?", "It is where it is."),))
ABSTAIN = Vote(Answer.ABSTAIN, AbstainReason.REFUSED)
VOTES = {"y": YES, "n": NO, "a": ABSTAIN, "e": Vote(Answer.ABSTAIN, AbstainReason.ERROR)}


def conversation(name: str, *texts: str, roles: str = "") -> Conversation:
    """Builds a conversation; `roles` has a letter a message (u, a, s, t, e), or they alternate."""
    letters = roles or "ua" * len(texts)
    of = {role.value[0]: role for role in (Role.USER, Role.SYSTEM, Role.TOOL, Role.EVENT)}
    of["a"] = Role.ASSISTANT
    messages = tuple(
        Message(of[letter], text) for letter, text in zip(letters, texts, strict=False)
    )
    return Conversation(name, messages, Source("log.jsonl", 1))


class ScriptedEvaluator(Evaluator):
    """Answers with the script's letter for conversation, turn and pass, and keeps the questions.

    `script` maps a conversation's id to one word a turn, with one letter a pass.
    """

    def __init__(self, script: dict[str, str], pause: Callable[[], float] = lambda: 0.0) -> None:
        self.asked: list[tuple[str, int, tuple[int, ...]]] = []
        self.under_way = self.most_under_way = 0
        self.version = "1"
        self._script = script
        self._pause = pause

    @property
    def identity(self) -> Identity:
        return Identity("scripted", self.version)

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        return _ScriptedSession(self, conversation, self._script[conversation.id].split())

    async def answer(self, name: str, turn: int, passes: Sequence[int], word: str) -> list[Vote]:
        self.asked.append((name, turn, tuple(passes)))
        await asyncio.sleep(self._pause())
        return [VOTES[word[number - 1]] for number in passes]


class _ScriptedSession(Session):
    def __init__(
        self, evaluator: ScriptedEvaluator, conversation: Conversation, words: list[str]
    ) -> None:
        self._evaluator = evaluator
        self._name = conversation.id
        self._words = words

    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:
        word = self._words[turn.number - 1]
        return await self._evaluator.answer(self._name, turn.number, passes, word)

    async def close(self) -> None:
        self._evaluator.under_way -= 1
