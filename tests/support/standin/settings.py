"""Everything that the stand-in can be told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """Rate limits a minute; None where there is none."""

    requests: int | None = None
    input_tokens: int | None = None
    """Cached tokens that are read do not count."""
    output_tokens: int | None = None


@dataclass(frozen=True)
class Behaviour:
    """How the stand-in answers."""

    logs: tuple[Path, ...] = ()
    """Conversations, in `conversation.v1`, that requests may be about."""
    votes: tuple[Path, ...] = ()
    """Recorded votes, in `vote.v1`, on those conversations."""
    rule: str = "no"
    """Who answers where no vote is recorded: `yes`, `no`, `word:TEXT` or `hash:SHARE`."""
    latency: float = 0.0
    """Seconds that every vote takes."""
    faults: Mapping[str, float] = field(default_factory=dict)
    """The share of calls that go wrong, by kind; see `faults.KINDS`."""
    script: tuple[str, ...] = ()
    """What the first calls come to, in their order: `ok` or a kind of fault."""
    seed: int = 1
    slow_seconds: float = 5.0
    """What a `slow` call takes longer."""
    retry_after: float | None = 0.05
    """Seconds that a 429 or 529 asks to wait; None to leave that open."""
    limits: Limits = Limits()
    key: str | None = None
    """The only key that is right; None to take any."""
    local: bool = False
    """Pose as a small local server: no key, no cache, no models, no batches, plain answers."""
    reports_usage: bool = True
    """Say in every reply what it took."""
    rejects: str = ""
    """Text of which requests that hold it are refused as invalid."""
    max_input: int | None = None
    """The most tokens of a prompt, for every model; None for each model's own."""
    characters_per_token: float = 4.0
    batch_seconds: float = 0.0
    """How long a batch takes."""
    batch_hits: float = 0.5
    """The share of a batch's requests that find what was cached; the vendor says 0.3 to 0.98."""
    batch_faults: Mapping[str, float] = field(default_factory=dict)
    """The share of a batch's requests that end as `errored`, `invalid`, `expired` or `canceled`."""
    batch_limit: int = 100_000
    """The most requests in one batch."""
    state: Path | None = None
    """The folder that keeps batches over a restart."""
    results_host: str | None = None
    """Scheme and host to name in `results_url`; None for the stand-in's own."""
    thinking_tokens: int = 120
    """Output tokens that a thinking model spends before it answers."""
