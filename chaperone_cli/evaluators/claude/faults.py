"""What a failed call means: try again, give this vote up, or end the run.

The messages made here name the status and the server's code for the cause, and not its wording,
which may repeat what was sent.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum

from chaperone_cli.errors import BudgetExhausted, ChaperoneError, EvaluatorError
from chaperone_cli.evaluators.claude.reach import Unreached, cause
from chaperone_cli.evaluators.claude.reply import UnusableBodyError

RETRIED = frozenset({408, 409, 429})
"""Statuses besides 500 and above after which the same request may well succeed."""
CROWDED = frozenset({429, 503, 529})
"""Statuses by which a server says that it is asked too much at once."""


class Course(Enum):
    """What to do after a failed call."""

    RETRY = "retry"
    GIVE_UP = "give up"
    """This vote cannot be had; others may."""
    END = "end"
    """No vote can be had any more."""


@dataclass(frozen=True)
class Fault:
    """A failed call, understood."""

    course: Course
    problem: str
    """What happened, in a few words without any text that was sent."""
    error: ChaperoneError | None = None
    """What to end the run with."""
    wait: float | None = None
    """Seconds after which the server wants to be asked again."""
    crowded: bool = False
    """The server may be asked too much at once."""
    limited: bool = False
    """A limit on calls was reached, so that others will be refused too."""
    billed: bool = False
    """The server may have done its work, and bill it, although no reply arrived."""
    unreached: Unreached | None = None
    """Why no connection came about, if none did."""
    too_long: bool = False
    """The request is longer than the model or the server takes."""


def of_exception(exc: Exception) -> Fault:
    """Understands what the SDK raised, or the parsing of a reply."""
    import anthropic

    match exc:
        case anthropic.APIStatusError():
            return _of_status(exc)
        case anthropic.APITimeoutError() | TimeoutError():
            return Fault(Course.RETRY, "no reply in time", billed=True, crowded=True)
        case anthropic.APIConnectionError():
            found = cause(exc)
            if found is None:
                return Fault(Course.RETRY, "the connection broke", billed=True)
            return Fault(Course.RETRY, found.problem, unreached=found)
        case UnusableBodyError():
            return Fault(Course.RETRY, str(exc), billed=True)
        case _:
            raise exc


def _of_status(exc: "anthropic.APIStatusError") -> Fault:  # type: ignore[name-defined]  # noqa: F821
    status: int = exc.status_code
    cause = exc.error_code or exc.type
    problem = f"status {status}" + (f" ({cause})" if isinstance(cause, str) else "")
    if _spent(status, exc.error_code, exc.api_message):
        return Fault(Course.END, problem, _out_of_money(problem))
    if status in RETRIED or status >= 500:
        wait = retry_after(exc.response.headers)
        return Fault(
            Course.RETRY, problem, wait=wait, crowded=status in CROWDED, limited=status == 429
        )
    if status in _HINTS and not _filtered(status, exc.type):
        error = EvaluatorError(f"the server refuses every call: {problem}", hint=_HINTS[status])
        return Fault(Course.END, problem, error)
    long = status == 413 or too_long(exc.api_message)
    return Fault(Course.GIVE_UP, problem, too_long=long)


_TOO_LONG = re.compile(
    r"prompt is too long|too many tokens|context[ _](length|size|window)|maximum context", re.I
)
"""How servers say that a conversation is longer than they take; the first is the vendor's way."""


def too_long(message: object) -> bool:
    """Says whether the server's `message` is about a conversation longer than it takes."""
    return isinstance(message, str) and bool(_TOO_LONG.search(message))


def _filtered(status: int, kind: object) -> bool:
    """Says whether something before the API may have refused this one text."""
    return status == 403 and kind != "permission_error"


_HINTS = {
    401: "check the API key in ANTHROPIC_API_KEY; `chaperone doctor` says which one is used",
    403: "the API key may not use this model or workspace; `chaperone doctor` says more",
    404: "check --model and --base-url; `chaperone doctor` says what the server offers",
}


def _spent(status: int, code: object, message: object) -> bool:
    """Says whether the server refuses because an account's money or spending limit is used up."""
    if status == 402 or (isinstance(code, str) and "spend_limit" in code):
        return True
    # Two causes that share status 400 with malformed requests and carry no code of their own.
    said = message.casefold() if isinstance(message, str) else ""
    return status == 400 and ("usage limits" in said or "credit balance" in said)


def _out_of_money(problem: str) -> BudgetExhausted:
    return BudgetExhausted(
        f"the server takes no more calls on this account: {problem}",
        hint="raise the account's spending limit or credit, then run the same command again",
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Reads how many seconds the server wants to be left alone, from `retry-after(-ms)`."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return _seconds_until(parsedate_to_datetime(value))
    except (ValueError, OverflowError):
        return None


def pause_for(headers: Mapping[str, str]) -> float:
    """Gives the seconds to wait because a rate limit is used up, as the reply's headers say."""
    waits = [0.0]
    for kind in ("requests", "input-tokens", "output-tokens", "tokens"):
        if headers.get(f"anthropic-ratelimit-{kind}-remaining") == "0":
            reset = headers.get(f"anthropic-ratelimit-{kind}-reset", "")
            try:
                waits.append(_seconds_until(datetime.fromisoformat(reset)))
            except ValueError:
                continue
    return max(waits)


def _seconds_until(moment: datetime) -> float:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
