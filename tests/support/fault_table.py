"""What becomes of every fault: the table that the tests walk and that `docs/faults.md` shows.

`python -m tests.support.fault_table > docs/faults.md` writes the page.
"""

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Course:
    """What faults of one kind have in common."""

    vote: str
    run: str
    money: str
    next_run: str
    once: str
    """The votes on two turns of which the second meets the fault once: n, a, or - for none."""
    lasting: str = ""
    """The reason of the abstention where the fault comes back at every attempt for that vote."""
    code: int = 0
    """The exit code of the run that meets it once."""
    always: int = 1
    """The exit code of a run that meets nothing else."""
    lost: bool = False
    """The call may be billed without a reply that says so."""
    again: bool = True
    """The next run asks again for what abstained."""


_ENDS = (
    "goes on; where ten calls in a row bring nothing and a question about a made-up line brings "
    "nothing either, it ends with exit code 1"
)
_WAITS = "is asked for again, for at most five timeouts; then it abstains (`error`)"
_ASKS = "asks again for what abstained"
_KEEPS = "asks again, unless told to `--keep-abstentions`"
_REMEMBERS = "remembers it and asks nothing"
_SAID = "is counted as the reply says"

RETRIED = Course(_WAITS, _ENDS, "nothing is billed", _ASKS, "n n", "error")
LOST = Course(
    _WAITS,
    _ENDS,
    "may be billed: counts in full against the caps, shown as what may come on top",
    _ASKS,
    "n n",
    "error",
    lost=True,
)
REFUSED = Course("abstains (`refused`)", _ENDS, _SAID, _KEEPS, "n a", "refused", 11)
UNREADABLE = Course(
    "is asked for three times in all, with more room where the reply was cut off; then it abstains "
    "(`unreadable`)",
    _ENDS,
    "every reply is counted as it says",
    _KEEPS,
    "n n",
    "unreadable",
)
REJECTED = Course(
    "abstains (`rejected`)",
    _ENDS,
    "nothing is billed",
    _REMEMBERS,
    "n a",
    "rejected",
    11,
    again=False,
)
TOO_LONG = Course(
    "abstains (`too_long`), as do all later turns of the conversation, which are not sent",
    _ENDS,
    "nothing is billed",
    _REMEMBERS,
    "n a",
    "too_long",
    11,
    again=False,
)
FULL = Course(TOO_LONG.vote, _ENDS, _SAID, _REMEMBERS, TOO_LONG.once, "too_long", 11, again=False)
ENDED = Course(
    "is not cast",
    "ends at once with exit code 1",
    "nothing is billed",
    "asks for what is missing",
    "-",
    code=1,
)
SPENT = Course(
    "is not cast",
    "ends at once with exit code 13",
    "nothing is billed",
    "asks for what is missing",
    "-",
    code=13,
    always=13,
)

FAULTS: dict[str, tuple[str, Course]] = {
    "rate_limit": ("status 429: a rate limit is used up; all calls wait as it says", RETRIED),
    "overloaded": ("status 529: it is overloaded; fewer calls are made at once", RETRIED),
    "unavailable": ("status 503: it is not available; fewer calls are made at once", RETRIED),
    "internal": ("status 500: it fails", RETRIED),
    "conflict": ("status 409: another request is in the way", RETRIED),
    "gateway": ("status 502 from something that stands before it", RETRIED),
    "slow": ("no reply within `--timeout`", LOST),
    "dropped": ("it answers, and the connection breaks before the reply is there", LOST),
    "reset": ("the connection breaks", LOST),
    "html": ("status 200 with a page instead of a message", LOST),
    "truncated": ("status 200 with half a message", LOST),
    "empty": ("status 200 with nothing", LOST),
    "array": ("status 200 with JSON that is no message", LOST),
    "refusal": ("the model refuses", REFUSED),
    "gibberish": ("the reply is neither yes nor no", UNREADABLE),
    "no_text": ("the reply holds no text", UNREADABLE),
    "max_tokens": ("the reply was cut off before its answer", UNREADABLE),
    "cut_off": ("the reply reads as an answer, and was cut off", UNREADABLE),
    "unknown_stop": ("the reply ends for a reason that nobody knows", UNREADABLE),
    "bad_request": ("status 400: it takes no such request", REJECTED),
    "unprocessable": ("status 422: it takes no such request", REJECTED),
    "firewall": ("status 403 from something that stands before it", REJECTED),
    "too_large": ("status 413: the request is too large", TOO_LONG),
    "context_window": ("the reply ends where the model's context is full", FULL),
    "authentication": ("status 401: the key is wrong", ENDED),
    "permission": ("status 403: the key may not do this", ENDED),
    "not_found": ("status 404: there is no such model", ENDED),
    "billing": ("status 402: there is no credit left", SPENT),
    "spend_limit": ("status 429: the account's spending limit is reached", SPENT),
    "own_limit": ("status 400: the account's own usage limit is reached", SPENT),
}
"""By the stand-in's name: what the server does, and what becomes of it."""

MORE = (
    (
        "no connection",
        "nothing listens, the name is not known, TLS or the proxy fails",
        "is not cast",
        "ends within seconds with exit code 1 and the cause, where nothing was ever answered; "
        "otherwise as after a broken connection",
        "nothing is billed",
        "asks for what is missing",
    ),
    (
        "known to be too long",
        "the model's limit is below what the conversation takes, as the server counts it",
        "abstains (`too_long`) and is not sent",
        "goes on, and says for how many turns",
        "nothing is billed",
        _REMEMBERS,
    ),
    (
        "no figures",
        "the reply does not say what it took",
        "is cast",
        "goes on",
        "is counted as the most that it can be, and said to be",
        "goes on",
    ),
    (
        "a cap",
        "`--max-cost`, `--max-calls` or `--max-cost-total` could be exceeded",
        "is not cast",
        "ends with exit code 13, once the calls under way have brought their replies",
        "stays within the cap",
        "asks for what is missing",
    ),
    (
        "killed",
        "the run is killed at any moment",
        "is kept if it was stored",
        "leaves no report",
        "calls under way count against `--max-cost-total`",
        "asks for what is missing",
    ),
)
"""What is no reply of a server."""


def page() -> str:
    """Gives the page."""
    heads = ("fault", "what happens", "the vote", "the run", "the money", "the next run")
    rows = [
        (f"`{name}`", does, course.vote, course.run, course.money, course.next_run)
        for name, (does, course) in FAULTS.items()
    ]
    lines = [
        "# What becomes of every fault",
        "",
        "For audits by the `claude` evaluator. The names are those of the stand-in server "
        "(`python -m tests.support.standin --fault NAME=SHARE`), against which the tests try every "
        "row; this page is written by `python -m tests.support.fault_table`.",
        "",
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(f"| {' | '.join(row)} |" for row in (*rows, *MORE)),
        "",
        "Votes are stored as they come; what a run had stored before it ended is never asked "
        "again. An abstention is never counted as no, and leaves a turn undecided only where it "
        "could have told. A refusal counts as the fault of what was asked once a later call is "
        "answered, or a question about a made-up line; where neither is, nothing is remembered of "
        "it. With message batches (`--batch`) votes take the same courses; there, "
        "only requests that succeed are billed.",
        "",
        "`python -m tests.benchmarks.claude_nights` audits a growing log of 2,000 conversations "
        "for five nights, each with another fault at a fifth of the calls and a killed run, and "
        "compares verdicts, calls and dollars with one clean run.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())
