"""What changed between two runs: for each conversation, and in the judgement of all of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.digest import comparable, facets
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.domain.verdict import ConversationVerdict, Digests, Verdict


class Outcome(NamedTuple):
    """What a run says of one conversation, as far as runs are compared."""

    verdict: Verdict
    turn: int | None
    """The first blocking turn."""
    side: Side | None
    """The side of the first blocking turn."""
    turns_total: int
    digests: Digests | None

    @classmethod
    def of(cls, verdict: ConversationVerdict) -> "Outcome":
        """Takes from `verdict` what is compared."""
        first = verdict.first_block
        return cls(
            verdict.verdict,
            None if first is None else first.turn,
            verdict.attribution,
            verdict.turns_total,
            verdict.digests,
        )


class Change(StrEnum):
    """One way in which a conversation differs between two runs; several may hold at once."""

    NEWLY_BLOCKED = "newly_blocked"
    """Blocked now, and before not blocked or not there."""
    NO_LONGER_BLOCKED = "no_longer_blocked"
    EARLIER = "earlier"
    """Blocked in both runs, now at an earlier turn."""
    LATER = "later"
    CHANGED_SIDE = "changed_side"
    """Blocked in both runs, now on the other side."""
    NEWLY_UNDECIDED = "newly_undecided"
    """Undecided now, and before not undecided or not there."""
    NO_LONGER_UNDECIDED = "no_longer_undecided"
    NEW = "new"
    """Not in the old run."""
    GONE = "gone"
    """Not in the new run."""


class Cause(StrEnum):
    """What differs beneath a conversation that both runs judged."""

    LOG = "log"
    EVALUATOR = "evaluator"
    """Evaluator, rubric, rule or another setting that shapes verdicts."""
    BOTH = "log_and_evaluator"
    NEITHER = "neither"
    """The evaluator voted differently on the same conversation."""
    UNKNOWN = "unknown"
    """A digest is missing, or the digests were made with different keys."""


@dataclass(frozen=True)
class ChangedConversation:
    """One conversation that is not the same in both runs."""

    conversation: str
    changes: tuple[Change, ...]
    """In the order of `Change`."""
    cause: Cause | None
    """None where only one run has the conversation."""
    old: Outcome | None
    new: Outcome | None


class ChangedFacet(NamedTuple):
    """One thing besides the log that differs between two runs."""

    name: str
    old: str
    new: str


def compare(
    conversation: str, old: Outcome | None, new: Outcome | None
) -> ChangedConversation | None:
    """What changed between two outcomes of a conversation; None if nothing did."""
    changes = tuple(_changes(old, new))
    if not changes:
        return None
    cause = None if old is None or new is None else _cause(old, new)
    return ChangedConversation(conversation, changes, cause, old, new)


def _changes(old: Outcome | None, new: Outcome | None) -> Iterable[Change]:
    blocked_before = old is not None and old.verdict is Verdict.BLOCK
    blocked = new is not None and new.verdict is Verdict.BLOCK
    open_before = old is not None and old.verdict is Verdict.UNDECIDED
    left_open = new is not None and new.verdict is Verdict.UNDECIDED
    both = old is not None and new is not None
    holds = {
        Change.NEWLY_BLOCKED: blocked and not blocked_before,
        Change.NO_LONGER_BLOCKED: both and blocked_before and not blocked,
        Change.EARLIER: _order(old, new) < 0,
        Change.LATER: _order(old, new) > 0,
        Change.CHANGED_SIDE: _turned(old, new),
        Change.NEWLY_UNDECIDED: left_open and not open_before,
        Change.NO_LONGER_UNDECIDED: both and open_before and not left_open,
        Change.NEW: old is None,
        Change.GONE: new is None,
    }
    return (change for change in Change if holds[change])


def _turned(old: Outcome | None, new: Outcome | None) -> bool:
    if old is None or new is None or old.side is None or new.side is None:
        return False
    return old.side is not new.side


def _order(old: Outcome | None, new: Outcome | None) -> int:
    """A number below 0 where the first block comes earlier now, above 0 where later."""
    if old is None or new is None or old.turn is None or new.turn is None:
        return 0
    return new.turn - old.turn


def _cause(old: Outcome, new: Outcome) -> Cause:
    log, evaluator = _log_changed(old, new), evaluator_changed(old, new)
    if log is None or evaluator is None:
        return Cause.UNKNOWN
    if log and evaluator:
        return Cause.BOTH
    if log:
        return Cause.LOG
    return Cause.EVALUATOR if evaluator else Cause.NEITHER


def _log_changed(old: Outcome, new: Outcome) -> bool | None:
    if old.turns_total != new.turns_total:
        return True
    if old.digests is None or new.digests is None:
        return None
    before, now = old.digests.conversation, new.digests.conversation
    if (before is None) != (now is None):
        return None
    return before != now if before is not None and comparable(before, now) else None


def evaluator_changed(old: Outcome, new: Outcome) -> bool | None:
    """Whether evaluator, rubric or rule differ; None where the outcomes do not tell."""
    if old.digests is None or new.digests is None:
        return None
    return old.digests.judgement != new.digests.judgement


def changed_facets(old: RunHeader | None, new: RunHeader | None) -> tuple[ChangedFacet, ...] | None:
    """What of evaluator, rubric and rule differs; None where a run does not say."""
    if old is None or new is None:
        return None
    return tuple(
        ChangedFacet(before.name, before.value, now.value)
        for before, now in zip(facets(old), facets(new), strict=True)
        if before != now
    )


@dataclass
class Comparison:
    """Totals over the conversations compared so far."""

    facets: Sequence[ChangedFacet] | None = None
    """What of evaluator, rubric and rule differs; None where a run does not say."""
    judgement_changed: bool | None = None
    """Whether any of it differs; None where not even digests tell."""
    old_total: int = 0
    new_total: int = 0
    unchanged: int = 0
    changes: Counter[Change] = field(default_factory=Counter)
    causes: Counter[Cause] = field(default_factory=Counter)

    @property
    def changed(self) -> int:
        """Conversations that are not the same in both runs."""
        gone = self.changes[Change.GONE]
        return self.new_total + gone - self.unchanged

    @property
    def in_both(self) -> int:
        """Conversations that both runs have."""
        return self.new_total - self.changes[Change.NEW]

    def add(self, found: ChangedConversation | None, *, in_new: bool = True) -> None:
        """Counts one conversation; `found` is None where nothing changed."""
        self.new_total += in_new
        if found is None:
            self.unchanged += 1
            return
        self.changes.update(found.changes)
        if found.cause is not None:
            self.causes[found.cause] += 1
