"""The paper's evaluator: a large model, asked once for every vote with the conversation so far."""

import asyncio
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chaperone_cli.domain.conversation import Conversation, Turn
from chaperone_cli.domain.cost import Price, Spend
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.evaluators.claude.batches_pending import PendingVotes
from chaperone_cli.evaluators.claude.caller import Ask, Caller, Patience
from chaperone_cli.evaluators.claude.endpoint import Endpoint, check_key, connect
from chaperone_cli.evaluators.claude.ledger import Ledger
from chaperone_cli.evaluators.claude.meter import Meter
from chaperone_cli.evaluators.claude.offer import Offer, count, offer
from chaperone_cli.evaluators.claude.pace import START, START_LOCAL, Pace
from chaperone_cli.evaluators.claude.prompt import Prompt, Request, draw_marker
from chaperone_cli.evaluators.claude.session import ClaudeSession
from chaperone_cli.evaluators.claude.trial import accepted, proof, trial_rubric
from chaperone_cli.evaluators.claude.warmth import Warmth
from chaperone_cli.evaluators.claude.wording import wording
from chaperone_cli.evaluators.interface import Evaluator, Identity, Session
from chaperone_cli.evaluators.tampering import marks_of

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

DEFAULT_MODEL = "claude-haiku-5-5"
CONVERSATIONS = 128
"""Conversations at once, each of which waits for one call or a few: enough for any pace."""
MOST_UNDER_WAY = 256
"""Calls at once at most, where nobody says otherwise; how many there are is found by trying."""


@dataclass(frozen=True)
class Options:
    """What the evaluator can be told."""

    model: str = DEFAULT_MODEL
    base_url: str | None = None
    """The server; None for ANTHROPIC_BASE_URL, or else the vendor's own."""
    price: Price | None = None
    """What the model costs, where that is known."""
    max_cost: float | None = None
    """US dollars that the run may cost."""
    max_calls: int | None = None
    """Calls that the run may make, repeated ones included."""
    max_total: float | None = None
    """US dollars that this run and those before it on the same store may cost together."""
    store: Path | None = None
    """The vote store's file, in which what calls cost is noted; None where there is none."""
    under_way: int = MOST_UNDER_WAY
    """Calls at once at most."""
    patience: Patience = field(default_factory=Patience)
    kept: bool | None = True
    """Whether a store keeps the votes; None where none are asked for."""
    marker: str | None = None
    """The run's marker; None to draw one, as only a comparison of requests would not."""


@dataclass
class Connection:
    """An open way to a model of which it is known what it accepts."""

    client: "AsyncAnthropic"
    caller: Caller
    offer: Offer
    model: str
    marker: str
    warmth: Warmth = field(default_factory=Warmth)
    """Whether the cache holds the instructions."""
    prompts: dict[str, Prompt] = field(default_factory=dict)

    async def fits(self, request: Request, most: int) -> bool:
        """Says whether the model takes `request`, of at most so many tokens; asks where unsure.

        Where the server does not say, it is for the server to refuse.
        """
        limit = self.offer.most_input
        if limit is None or most <= limit:
            return True
        counted = await count(self.client, request)
        return counted is None or counted <= limit

    def proof(self) -> Ask:
        """Gives a question that is the run's own if it has one, about a made-up line."""
        prompt = next(iter(self.prompts.values()), None)
        return proof(prompt or self.prompt(trial_rubric()))

    def prompt(self, rubric: Rubric) -> Prompt:
        """Gives what all calls about `rubric` have in common; raises UsageError."""
        found = self.prompts.get(rubric.digest)
        if found is None:
            found = Prompt(rubric, self.model, self.offer.form, self.marker)
            self.prompts[rubric.digest] = found
        return found


class ClaudeEvaluator(Evaluator):
    """Asks a model over the Messages API; makes no call and loads no SDK before the first vote."""

    concurrency = CONVERSATIONS

    def __init__(self, options: Options) -> None:
        """Raises UsageError for a base URL that is none, or a cost limit without a price."""
        self.options = options
        self.endpoint = Endpoint.at(options.base_url)
        if options.under_way > MOST_UNDER_WAY:
            self.concurrency = options.under_way
        self._ledger = Ledger(options.store) if options.store is not None else None
        self.meter = Meter(
            options.price,
            max_cost=options.max_cost,
            max_calls=options.max_calls,
            max_total=options.max_total,
            ledger=self._ledger,
        )
        self._marker = options.marker or draw_marker()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = asyncio.Lock()
        self._connection: Connection | None = None
        self._remarks: tuple[str, ...] = ()
        self._too_long: dict[str, set[int]] = {}
        """The turns that the model does not take, by conversation."""
        self._most_input: int | None = None
        self._paid_twice: int | None = None
        """Votes that an earlier run cast although they were out; None where none are out."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Gives its settings; a copy in another process connects for itself."""
        return type(self), (self.options,)

    @property
    def identity(self) -> Identity:
        """Names the model and everything else that shapes a vote; the marker does not."""
        settings = {"wording": wording().digest}
        if not self.endpoint.vendor:
            settings["server"] = self.endpoint.shown
        return Identity("claude", self.options.model, settings)

    @property
    def spend(self) -> Spend:
        """What the calls took so far."""
        return self.meter.spend

    def open(self, conversation: Conversation, rubric: Rubric) -> Session:
        """Starts a session; nothing is asked yet."""
        return ClaudeSession(self, conversation, rubric)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Says that votes are with the server, which this run would pay for again."""
        path = self.options.store
        if path is None or not path.exists():
            return ()
        with closing(PendingVotes(path, self.endpoint.shown)) as pending:
            votes, batches = pending.votes_out(), len(pending.submissions())
            self._paid_twice = pending.paid_twice()
        if not votes:
            self._paid_twice = None
            return ()
        return (
            f"{votes:,} {'vote is' if votes == 1 else 'votes are'} with the server in "
            f"{batches:,} {'batch' if batches == 1 else 'batches'}; those that this run needs it "
            "asks and pays for again: add --batch to collect them",
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Points out a model that may be misspelt, and conversations longer than it takes."""
        if not self._too_long:
            return self._remarks
        turns, talks = sum(map(len, self._too_long.values())), len(self._too_long)
        takes = f" ({self._most_input:,} tokens)" if self._most_input else ""
        return (
            *self._remarks,
            f"{turns:,} {'turn' if turns == 1 else 'turns'} of {talks:,} "
            f"{'conversation' if talks == 1 else 'conversations'} came after more text than "
            f"{self.options.model} takes{takes}: nobody voted on them",
        )

    def note_too_long(self, conversation: str, turn: Turn) -> None:
        """Takes note that the model does not take `conversation` up to `turn`."""
        self._too_long.setdefault(conversation, set()).add(turn.number)

    def suspicious(self, conversation: Conversation, turn: Turn) -> tuple[str, ...]:
        """Names what looks made to sway the model."""
        return marks_of(conversation, turn)

    def check(self) -> None:
        """Raises MissingKeyError where there is no credential for the server."""
        check_key(self.endpoint, "the claude evaluator")

    def _look_back(self) -> None:
        """Finds out what the run's calls came to besides its votes."""
        self.meter.total_up()
        path, before = self.options.store, self._paid_twice
        if path is None or before is None:
            return
        with closing(PendingVotes(path, self.endpoint.shown)) as pending:
            twice = pending.paid_twice() - before
        self._paid_twice = None
        if twice:
            votes = "vote was" if twice == 1 else "votes were"
            self._remarks += (
                f"{twice:,} {votes} cast that a batch is to bring too: the server bills both",
            )

    async def connection(self) -> Connection:
        """Connects, once in a run, and finds out what the model accepts; raises EvaluatorError."""
        if self._loop is not (loop := asyncio.get_running_loop()):
            # Locks and connections of an earlier event loop are of no use in this one.
            self._loop, self._starting, self._connection = loop, asyncio.Lock(), None
            self.meter.enter_loop()
        if self._connection is None:
            async with self._starting:
                if self._connection is None:
                    self._connection = await self._connect()
        return self._connection

    async def _connect(self) -> Connection:
        options = self.options
        # Importing the SDK takes about a second, in which logs can be read.
        client = await asyncio.to_thread(
            connect, self.endpoint, options.under_way, options.patience.timeout
        )
        try:
            offered = await offer(client, self.endpoint, options.model)
            form = await accepted(client, options.model, offered.form)
        except BaseException:
            await client.close()
            raise
        if offered.near:
            near = " or ".join(offered.near)
            self._remarks = (f"no model named {options.model!r} is known; did you mean {near}?",)
        self._most_input = offered.most_input
        caller = Caller(
            client,
            self.endpoint,
            Pace(options.under_way, START_LOCAL if self.endpoint.local else START),
            self.meter,
            options.patience,
            lambda: connection.proof(),
            kept=options.kept,
        )
        connection = Connection(
            client, caller, replace(offered, form=form), options.model, self._marker
        )
        return connection

    async def close(self) -> None:
        """Closes the connections."""
        if self._connection is not None:
            await self._connection.client.close()
            self._connection = None
        if self.spend.calls:
            self._look_back()
        if self._ledger is not None:
            self._ledger.close()
