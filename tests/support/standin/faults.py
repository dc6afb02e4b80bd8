"""What can go wrong with a call, drawn by share or taken from a script."""

import random
from collections.abc import Mapping

from tests.support.standin.errors import Rejected, invalid
from tests.support.standin.http import Reply

ERRORS: dict[str, Rejected] = {
    "rate_limit": Rejected(
        *(429, "rate_limit_error"), "This request would exceed your organization's rate limit."
    ),
    "overloaded": Rejected(529, "overloaded_error", "Overloaded"),
    "internal": Rejected(500, "api_error", "Internal server error"),
    "authentication": Rejected(401, "authentication_error", "invalid bearer token"),
    "permission": Rejected(403, "permission_error", "Your key may not use this resource."),
    "billing": Rejected(402, "billing_error", "Your credit balance is too low."),
    "spend_limit": Rejected(
        *(429, "rate_limit_error", "Your organization has reached its spend limit."),
        {"error_code": "enforced_spend_limit_reached"},
    ),
    "own_limit": invalid(
        "You have reached your specified API usage limits. You will regain access on 2026-12-01."
    ),
    "bad_request": invalid("messages.0.content.0: something is wrong with this block"),
    "unavailable": Rejected(503, "api_error", "Service unavailable"),
    "conflict": Rejected(409, "conflict_error", "Try again"),
    "unprocessable": Rejected(422, "invalid_request_error", "Unprocessable"),
    "not_found": Rejected(404, "not_found_error", "model: claude-haiku-5-5"),
    "too_large": Rejected(413, "request_too_large", "Request exceeds the maximum size"),
}
"""Faults that the API itself reports."""

WAITING = ("rate_limit", "overloaded")
"""Errors that say how long to wait."""

REPLIES: dict[str, Reply] = {
    "reset": Reply(0, reset=True),
    "html": Reply(200, b"<html><body>Please log in</body></html>", content_type="text/html"),
    "firewall": Reply(403, b"<html><body>Blocked</body></html>", content_type="text/html"),
    "gateway": Reply(502, b"<html><body>Bad gateway</body></html>", content_type="text/html"),
    "truncated": Reply(200, b'{"id": "msg_01", "type": "message", "role": "assi'),
    "empty": Reply(200, b""),
    "array": Reply(200, b"[]"),
}
"""Faults of whatever stands between the API and its client."""

ANSWERS = ("refusal", "max_tokens", "no_text", "gibberish", "context_window")
"""Whole replies without an answer."""

STOPS = {"cut_off": "max_tokens", "unknown_stop": "novel_reason"}
"""Replies whose text is an answer, with a reason to stop that makes them none."""

LOST = ("slow", "dropped")
"""Calls that are answered and billed although the reply comes late, or never."""

KINDS = (*ERRORS, *REPLIES, *ANSWERS, *STOPS, *LOST)


class Faults:
    """Decides what the next call comes to."""

    def __init__(self, shares: Mapping[str, float], script: tuple[str, ...], seed: int) -> None:
        for kind in (*shares, *script):
            if kind != "ok" and kind not in KINDS:
                raise ValueError(f"unknown fault {kind!r}; known are {', '.join(KINDS)}")
        self.shares = dict(shares)
        self._script = list(script)
        self._draw = random.Random(seed)

    def follow(self, *script: str) -> None:
        """Adds to the script."""
        self._script += script

    def heal(self) -> None:
        """Lets nothing go wrong from now on."""
        self._script.clear()
        self.shares.clear()

    def next(self) -> str | None:
        """Gives the kind of fault of the next call, or None."""
        if self._script:
            kind = self._script.pop(0)
            return None if kind == "ok" else kind
        if not self.shares:
            return None
        at = self._draw.uniform(0, 1)
        for kind, share in self.shares.items():
            at -= share
            if at < 0:
                return kind
        return None
