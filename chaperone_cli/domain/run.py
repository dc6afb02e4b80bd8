"""What a run was asked to do, and what it came to: the frame around the verdicts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from chaperone_cli.domain.conversation import Conversation, Side, Sides
from chaperone_cli.domain.cost import Spend
from chaperone_cli.domain.metrics.pairs import PairCount
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.screening import Screening
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.domain.vote import AbstainReason


@dataclass(frozen=True)
class Protocol:
    """How turns are voted on: everything besides log and evaluator that shapes a verdict."""

    rubric: Rubric
    rule: Rule
    passes: int
    """N, the votes a turn gets at most."""
    sides: Sides = Sides.BOTH
    all_votes: bool = False
    """Cast all N votes even where the verdict is already settled."""
    until_block: bool = False
    """Leave a conversation at its first blocking turn."""
    explain: bool = False
    """Have first blocks explained, where the evaluator can."""
    screening: Screening | None = None
    """How a screen chooses the turns that are voted on; None to vote on all."""


@dataclass(frozen=True)
class RunHeader:
    """Who judged what, how and when; the only place for times and facts of the machine."""

    version: str
    """Of chaperone."""
    started_at: str
    """ISO 8601, UTC."""
    platform: str
    evaluator: str
    evaluator_version: str
    evaluator_settings: Mapping[str, str | int | float | bool | None]
    protocol: Protocol
    inputs: tuple[str, ...]
    """The paths as they were given."""


class Ending(StrEnum):
    """How a run came to its end."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    OUT_OF_BUDGET = "out_of_budget"


@dataclass
class Usage:
    """What the votes of this very run took; a repeated run may differ here and nowhere else."""

    votes_asked: int = 0
    """Votes asked of the evaluator."""
    votes_from_store: int = 0
    """Votes already cast by an earlier run."""
    seconds: float = 0.0
    spend: Spend | None = None
    """What the calls took, where the evaluator makes calls."""


@dataclass
class Progress:
    """How far a run has come, for whoever wants to look while it goes on."""

    conversations: int = 0
    turns_read: int = 0
    """Turns of the conversations read so far, judged already or not."""
    turns_left: int = 0
    """Turns of finished conversations that were not voted on."""
    turns: int = 0
    """Turns judged."""
    votes_cast: int = 0
    votes_saved: int = 0

    @property
    def share_done(self) -> float:
        """The share, from 0 to 1, of the turns read so far that are done with."""
        return (self.turns + self.turns_left) / self.turns_read if self.turns_read else 0.0

    def read(self, turns: int) -> None:
        """Counts a conversation of `turns` turns that was read."""
        self.turns_read += turns

    def judged(self, votes: int, passes: int) -> None:
        """Counts one judged turn with `votes` of `passes` votes cast."""
        self.turns += 1
        self.votes_cast += votes
        self.votes_saved += passes - votes

    def finished(self, verdict: ConversationVerdict, passes: int) -> None:
        """Counts one conversation, whose judged turns were counted before."""
        judged = len(verdict.turns)
        self.conversations += 1
        self.turns_left += verdict.turns_total - judged
        self.votes_saved += (verdict.turns_selected - judged) * passes


@dataclass
class ScreenedOut:
    """What a screen kept from the vote."""

    turns: Counter[Side] = field(default_factory=Counter)
    conversations: int = 0
    """Conversations that pass without a vote, since all their turns were screened out."""

    def votes(self, passes: int) -> int:
        """The votes that `passes` on each of these turns would have cast."""
        return passes * self.turns.total()

    def add(self, verdict: ConversationVerdict) -> None:
        """Counts one conversation."""
        self.turns.update(turn.side for turn in verdict.screened_out)
        self.conversations += verdict.wholly_screened_out


@dataclass
class Summary:
    """Totals over the conversations and problems added so far."""

    passes: int
    ending: Ending = Ending.COMPLETE
    conversations: Counter[Verdict] = field(default_factory=Counter)
    """Conversations by verdict."""
    partial: int = 0
    """Conversations that the run was cut short in; without a block they count as undecided."""
    turns_unreached: int = 0
    """Turns of those on the voted sides that the run did not come to."""
    empty: int = 0
    """Conversations without any turn on the voted sides; their verdict is pass, for want of one."""
    attribution: Counter[Side] = field(default_factory=Counter)
    """First blocking turns by side."""
    turns_judged: Counter[Side] = field(default_factory=Counter)
    turns_blocked: Counter[Side] = field(default_factory=Counter)
    """Turns judged parasocial, by side."""
    turns_undecided: Counter[Side] = field(default_factory=Counter)
    turns_selected: int = 0
    """All turns on the voted sides, judged or not."""
    votes_cast: int = 0
    abstentions: Counter[AbstainReason] = field(default_factory=Counter)
    tampering: int = 0
    """Conversations with a turn at which tampering is suspected."""
    tampering_turns: int = 0
    blocked_by_rule: Counter[str] = field(default_factory=Counter)
    """Conversations that each named rule blocks; filled only where all N votes were cast."""
    pairs: PairCount = field(default_factory=PairCount)
    """How far the passes agree two by two; counted only where all N votes were cast."""
    blank_turns: int = 0
    placeholders: int = 0
    problems: Counter[Severity] = field(default_factory=Counter)
    left_out: LeftOut = field(default_factory=LeftOut)
    """Conversations that the user's selection left out."""
    screened_out: ScreenedOut | None = None
    """What a screen kept from the vote; None where the run had none."""

    @classmethod
    def of(cls, protocol: Protocol) -> "Summary":
        """The totals with which a run under `protocol` begins."""
        screened_out = None if protocol.screening is None else ScreenedOut()
        return cls(protocol.passes, screened_out=screened_out)

    @property
    def total(self) -> int:
        """All conversations."""
        return sum(self.conversations.values())

    @property
    def passed(self) -> int:
        """Conversations that pass, and had a turn to vote on."""
        return self.conversations[Verdict.PASS] - self.empty

    @property
    def votes_saved(self) -> int:
        """Votes that N passes on every turn of the voted sides would have cast beyond these."""
        return self.passes * (self.turns_selected - self.turns_unreached) - self.votes_cast

    @property
    def turns_unjudged(self) -> int:
        """Turns of the voted sides that were neither judged nor screened out."""
        screened = self.screened_out.turns.total() if self.screened_out else 0
        return self.turns_selected - self.turns_judged.total() - screened

    def add(self, verdict: ConversationVerdict) -> None:
        """Counts one conversation."""
        if verdict.screened_out or self.screened_out is not None:
            # Verdicts that were saved by themselves come without the protocol of their run.
            self.screened_out = self.screened_out or ScreenedOut()
            self.screened_out.add(verdict)
        self.conversations[verdict.verdict] += 1
        if verdict.partial:
            self.partial += 1
            self.turns_unreached += verdict.turns_selected - len(verdict.in_order)
        self.empty += verdict.empty
        self.turns_selected += verdict.turns_selected
        if verdict.attribution is not None:
            self.attribution[verdict.attribution] += 1
        tampering = sum(turn.tampering for turn in verdict.turns)
        self.tampering += tampering > 0
        self.tampering_turns += tampering
        for turn in verdict.turns:
            self.turns_judged[turn.side] += 1
            self.turns_blocked[turn.side] += turn.verdict is Verdict.BLOCK
            self.turns_undecided[turn.side] += turn.verdict is Verdict.UNDECIDED
            self.votes_cast += len(turn.votes)
            self.abstentions.update(vote.reason for vote in turn.votes if vote.reason)
        for rule, first in verdict.first_blocks.items():
            self.blocked_by_rule[rule] += first is not None
        if verdict.first_blocks:
            self._add_pairs(verdict)

    def _add_pairs(self, verdict: ConversationVerdict) -> None:
        for turn in verdict.turns:
            # Of a saved verdict, what it says of rules and its votes may not fit together.
            if len(turn.votes) == self.passes > 1:
                self.pairs.add(turn.votes)

    def add_reading(self, conversation: Conversation) -> None:
        """Counts what reading `conversation` skipped or replaced."""
        self.blank_turns += conversation.blank_turns
        self.placeholders += conversation.placeholders

    def add_problem(self, problem: Problem) -> None:
        """Counts one problem."""
        self.problems[problem.severity] += 1
