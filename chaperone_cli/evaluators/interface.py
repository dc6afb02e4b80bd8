"""What every evaluator offers: a session per conversation, and votes on its turns in order.

And what every screen offers: how suspicious it finds each turn, before an evaluator is asked.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from json import dumps

from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.cost import Spend
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.verdict import Explanation
from chaperone_cli.domain.vote import Vote


@dataclass(frozen=True)
class Identity:
    """Which evaluator answered: everything that could change an answer, and nothing else."""

    name: str
    """`local`, `claude`, `recorded`."""
    version: str
    """What changes when the evaluator's own behaviour does: a model id, a digest of weights."""
    settings: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the identity, independent of the order of its settings."""
        text = dumps([self.name, self.version, dict(self.settings)], sort_keys=True)
        return sha256(text.encode()).digest()


class Session(ABC):
    """One conversation under evaluation; it is shown each turn only with what came before."""

    @abstractmethod
    async def vote(self, turn: Turn, passes: Sequence[int]) -> Sequence[Vote]:
        """Gives one vote for each of `passes` (numbered from 1) on `turn`, in their order.

        Turns are asked in order, possibly with gaps, and one turn possibly several times with
        further passes, also while earlier calls for that turn are still waiting. A pass that fails
        for this turn alone is an abstention with its reason; raises EvaluatorError where no pass
        can succeed any more.
        """

    async def explain(self, turn: Turn) -> Explanation | None:
        """Says why `turn` blocks; None where the evaluator cannot say.

        Asked at most once in a session, after the votes on `turn`.
        """
        return None

    async def close(self) -> None:
        """Releases what the session holds."""
        return None


@dataclass(frozen=True, slots=True)
class Question:
    """One pass of the vote on one turn, asked together with many others."""

    key: bytes
    """What the vote is filed under; conversations that begin alike share it."""
    conversation: Conversation
    turn: Turn


class Bulk(ABC):
    """Answers many questions together, later than a session would and at a lower price."""

    @abstractmethod
    def ask(self, questions: Sequence[Question]) -> AsyncIterator[tuple[bytes, Vote]]:
        """Gives a vote for every question, by its key and in any order.

        It may give votes of earlier questions too. A vote is safe to forget here once the next one
        is asked for. Raises VotesPending where the votes are not waited for, and EvaluatorError
        where no question can be answered any more.
        """


class Evaluator(ABC):
    """Answers the rubric's question for the turns of many conversations."""

    free_to_repeat: bool = False
    """Asking again costs no money and no noticeable time, so that its votes need no store."""
    answers_at_once: bool = False
    """All votes on a turn come at the price of one, so that stopping early would save nothing."""
    max_passes: int | None = None
    """The most passes it can vote in, where that is bounded."""
    concurrency: int = 8
    """Conversations under way at the same time that suit it, where nobody says otherwise."""
    rubrics: tuple[str, ...] | None = None
    """The ids of the rubrics it can answer, where it cannot answer any."""

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """Which evaluator this is, for reports and for the keys of stored votes."""

    @property
    def spend(self) -> Spend | None:
        """What its calls took so far; None where it makes none."""
        return None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What whoever starts a run should know before anything is asked, a line each."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever started the run should know of how its votes came about, a line each."""
        return ()

    @abstractmethod
    def open(self, conversation: Conversation, rubric: Rubric) -> Session:
        """Starts a session on `conversation`."""

    def suspicious(self, conversation: Conversation, turn: Turn) -> tuple[str, ...]:
        """Names what looks made to sway it in `turn` and the context right before, as cues.

        Votes on `turn` carry these themselves; where nobody votes on it, those on the next turn do.
        """
        return ()

    def bulk(self, rubric: Rubric) -> Bulk | None:
        """Gives the way to ask many questions together; None where there is none."""
        return None

    def check(self) -> None:
        """Raises EvaluatorError where no question can be answered; asks nobody."""
        return None

    async def close(self) -> None:
        """Releases what the evaluator holds."""
        return None


class Screen(ABC):
    """Says cheaply how suspicious each turn is, so that an evaluator need not be asked of all."""

    level: float
    """The suspicion that suits it, measured, from which turns are passed on."""
    rubrics: tuple[str, ...] | None = None
    """The ids of the rubrics whose question it goes by, where it goes by any in particular."""

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """Which screen this is: everything that could change a suspicion."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever started the run should know of how it reads, a line each."""
        return ()

    @abstractmethod
    def suspicions(self, conversation: Conversation) -> Iterator[float]:
        """Gives the suspicion of every turn of `conversation`, in order and as far as it is read.

        A suspicion is in log odds: above the odds from which the most suspicious member would vote
        yes where it is positive, below them where it is negative. It rests on the conversation up
        to the turn alone. Of a turn that the screen cannot read it is infinite, so that no level
        screens it out.
        """
