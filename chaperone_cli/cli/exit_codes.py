"""What each exit code means, and which one a run ends with."""

from enum import IntEnum
from typing import TYPE_CHECKING, assert_never

from chaperone_cli.config import FailOn
from chaperone_cli.domain.comparison import Change, Comparison
from chaperone_cli.domain.problem import Severity
from chaperone_cli.domain.run import Ending, Summary
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.errors import (
    BudgetExhausted,
    ChaperoneError,
    InputError,
    MissingKeyError,
    MissingVoteError,
    UsageError,
    VotesPending,
)

if TYPE_CHECKING:
    from chaperone_cli.rephrasing.run import Rephrased


class ExitCode(IntEnum):
    """The contract with whatever called chaperone."""

    OK = 0
    """Nothing blocked."""
    FAILED = 1
    """Chaperone or the machine failed."""
    USAGE = 2
    """The command line or a setting asks for something impossible, or something is missing."""
    UNREAD = 3
    """Some input could not be read; what could be was audited, and nothing was blocked."""
    BLOCKED = 10
    """A turn was blocked."""
    UNDECIDED = 11
    """Some turn stayed undecided, and none was blocked; or its votes have not come yet."""
    CRITERION = 12
    """A stated criterion was not met."""
    BUDGET = 13
    """The budget ran out before the end."""
    INTERRUPTED = 130
    """Ctrl-C."""


def of_error(error: ChaperoneError) -> ExitCode:
    """Gives the exit code of a command that ended with `error`."""
    match error:
        case UsageError() | MissingKeyError() | MissingVoteError():
            return ExitCode.USAGE
        case InputError():
            return ExitCode.UNREAD
        case BudgetExhausted():
            return ExitCode.BUDGET
        case VotesPending():
            return ExitCode.UNDECIDED
        case _:
            return ExitCode.FAILED


def of_run(summary: Summary, fail_on: FailOn, comparison: Comparison | None = None) -> ExitCode:
    """Gives the exit code of an audit: how it ended, then what it found, then what it missed.

    With a `comparison` only what was not found by the earlier run counts.
    """
    match summary.ending:
        case Ending.INTERRUPTED:
            return ExitCode.INTERRUPTED
        case Ending.FAILED:
            return ExitCode.FAILED
        case Ending.OUT_OF_BUDGET:
            return ExitCode.BUDGET
        case Ending.COMPLETE:
            return _of_findings(summary, fail_on, comparison)
        case _:
            assert_never(summary.ending)


def of_measurement(summary: Summary, *, met: bool = True) -> ExitCode:
    """Gives the exit code of a command that measures: what is blocked is a figure, not an alarm.

    `met` says whether the measurement met the criterion that was stated, if any.
    """
    if summary.ending is Ending.INTERRUPTED:
        return ExitCode.INTERRUPTED
    if not met:
        return ExitCode.CRITERION
    return ExitCode.UNREAD if summary.problems[Severity.ERROR] else ExitCode.OK


def of_rephrasing(done: "Rephrased") -> ExitCode:
    """Gives the exit code of a command that rewrites: 10 where some response has no rewrite."""
    if done.error is not None:
        return of_error(done.error)
    if done.ending is Ending.INTERRUPTED:
        return ExitCode.INTERRUPTED
    if not done.all_repaired:
        return ExitCode.BLOCKED
    if done.undecided:
        return ExitCode.UNDECIDED
    return ExitCode.UNREAD if done.unread else ExitCode.OK


def _of_findings(summary: Summary, fail_on: FailOn, comparison: Comparison | None) -> ExitCode:
    if comparison is None:
        counts = summary.conversations
        blocked, undecided = counts[Verdict.BLOCK], counts[Verdict.UNDECIDED]
    else:
        changes = comparison.changes
        blocked, undecided = changes[Change.NEWLY_BLOCKED], changes[Change.NEWLY_UNDECIDED]
    if blocked and fail_on is not FailOn.NEVER:
        return ExitCode.BLOCKED
    if undecided and fail_on is FailOn.UNDECIDED:
        return ExitCode.UNDECIDED
    if summary.problems[Severity.ERROR]:
        return ExitCode.UNREAD
    return ExitCode.OK
