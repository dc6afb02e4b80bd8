"""Rate limits as token buckets that fill up continuously, and the headers that tell of them."""

from datetime import UTC, datetime
from math import ceil

from tests.support.standin.errors import Rejected
from tests.support.standin.ledger import Usage
from tests.support.standin.settings import Limits


class _Bucket:
    def __init__(self, limit: int, now: float) -> None:
        self.limit = limit
        self.left = float(limit)
        self._at = now

    def fill(self, now: float) -> None:
        self.left = min(self.limit, self.left + (now - self._at) * self.limit / 60)
        self._at = now

    def wait(self, needed: float) -> float:
        """Gives the seconds until `needed` are left."""
        return max(0.0, (needed - self.left) * 60 / self.limit)


class RateLimiter:
    """One organisation's limits."""

    def __init__(self, limits: Limits, now: float) -> None:
        given = {
            "requests": limits.requests,
            "input-tokens": limits.input_tokens,
            "output-tokens": limits.output_tokens,
        }
        self._buckets = {
            name: _Bucket(limit, now) for name, limit in given.items() if limit is not None
        }

    def admit(self, now: float) -> float | None:
        """Takes one request; gives the seconds to wait where a limit is exhausted."""
        waits = []
        for bucket in self._buckets.values():
            bucket.fill(now)
            waits.append(bucket.wait(1))
        if any(waits):
            return max(waits)
        if "requests" in self._buckets:
            self._buckets["requests"].left -= 1
        return None

    def charge(self, usage: Usage) -> None:
        """Takes the tokens of a call; what is read from the cache does not count."""
        spent = {
            "input-tokens": usage.input + usage.write_5m + usage.write_1h,
            "output-tokens": usage.output,
        }
        for name, tokens in spent.items():
            if name in self._buckets:
                self._buckets[name].left -= tokens

    def headers(self, now: float) -> dict[str, str]:
        """Gives the `anthropic-ratelimit-*` headers."""
        found = {}
        for name, bucket in self._buckets.items():
            bucket.fill(now)
            start = f"anthropic-ratelimit-{name}"
            found[f"{start}-limit"] = str(bucket.limit)
            found[f"{start}-remaining"] = str(max(0, int(bucket.left)))
            found[f"{start}-reset"] = _time(now + bucket.wait(bucket.limit))
        return found


def exceeded(wait: float) -> tuple[Rejected, dict[str, str]]:
    """Gives the 429 that asks to wait `wait` seconds, and its headers."""
    error = Rejected(
        *(429, "rate_limit_error"), "This request would exceed your organization's rate limit."
    )
    return error, {"retry-after": str(ceil(wait)), "retry-after-ms": str(ceil(wait * 1000))}


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
