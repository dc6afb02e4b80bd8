"""Hands batches in and takes their results, and keeps account of what is out and what it costs."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from chaperone_cli.domain.estimate import Estimate
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.vote import Evidence, Vote
from chaperone_cli.errors import BudgetExhausted, ChaperoneError, EvaluatorError
from chaperone_cli.evaluators.claude import batches_results, reply
from chaperone_cli.evaluators.claude.batches_api import BatchesApi, pause
from chaperone_cli.evaluators.claude.batches_pending import PendingVotes, Submission
from chaperone_cli.evaluators.claude.batches_requests import Entry, body, portions
from chaperone_cli.evaluators.claude.caller import GivenUpError
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Connection
from chaperone_cli.evaluators.claude.faults import Course, Fault
from chaperone_cli.evaluators.claude.prompt import Transcript
from chaperone_cli.evaluators.claude.sizing import Sizing
from chaperone_cli.evaluators.interface import Question
from chaperone_cli.evaluators.tampering import marks_of

MOST_TRIES = 3
"""Times that a request is handed in before its vote is given up."""
CREATE_TRIES = 6
"""Attempts at handing in one batch."""
FIRST_LOOK, LONGEST_LOOK = 1.0, 60.0
"""Seconds between two looks at batches that have not ended, at first and at most."""
SKEW = 600.0
"""Seconds by which this machine's clock and the server's may differ."""


class Desk:
    """One run's dealings with the server about the votes on one rubric."""

    def __init__(
        self,
        connection: Connection,
        evaluator: ClaudeEvaluator,
        rubric: Rubric,
        pending: PendingVotes,
    ) -> None:
        self._connection = connection
        self._evaluator = evaluator
        self._prompt = connection.prompt(rubric)
        self._caller = connection.caller
        self._api = BatchesApi(connection.client, evaluator.endpoint)
        self._meter = evaluator.meter
        self._sizing = Sizing.of(rubric, connection.model, evaluator.endpoint)
        self.estimate = Estimate(self._sizing.shape, 1, evaluator.options.price)
        """What is handed in costs in batches, and would cost one by one."""
        self._seen: set[tuple[str, int]] = set()
        """Turns on which a vote was handed in, by conversation and number."""
        self._shown = evaluator.endpoint.shown
        self._pending = pending
        self._reserved: dict[int, float] = {}
        """Dollars set aside for what this run handed in, by submission."""
        self.proven = False
        """Whether the server has answered one of this run's requests."""

    @property
    def batches_out(self) -> int:
        """Counts the batches that have not been collected."""
        return len(self._pending.submissions())

    def holds(self, key: bytes) -> bool:
        """Says whether the vote under `key` is out already."""
        return self._pending.submission_of(key) is not None

    def waiting(self, keys: Iterable[bytes]) -> list[Submission]:
        """Gives the submissions that are to bring the votes under `keys`."""
        wanted = {self._pending.submission_of(key) for key in keys}
        return [one for one in self._pending.submissions() if one.id in wanted]

    async def recover(self) -> None:
        """Finds out what became of submissions during which an earlier run ended."""
        for submission in self._pending.unnamed():
            if not await self._look_for(submission):
                self._pending.forget(submission)
                self._meter.release_batch(submission.id, 0.0)

    async def ask_at_once(self, question: Question) -> Vote:
        """Asks for one vote outside of any batch."""
        label = self._prompt.label.id
        transcript = Transcript(self._prompt, question.conversation)
        request = transcript.request(question.turn)
        try:
            message = await self._caller.ask(
                request, transcript.most_tokens(question.turn), reply.casts_vote(label)
            )
        except GivenUpError as exc:
            return exc.vote
        vote = reply.read(message, label)
        self.proven = vote.reason is None
        return _marked(vote, marks_of(question.conversation, question.turn))

    async def too_long(self, questions: Sequence[Question]) -> AsyncIterator[tuple[bytes, Vote]]:
        """Gives the votes of those `questions` that are longer than the model takes."""
        for _, group in groupby(questions, key=lambda question: id(question.conversation)):
            transcript: Transcript | None = None
            found = False
            for question in group:
                turn = question.turn
                transcript = transcript or Transcript(self._prompt, question.conversation)
                request = transcript.request(turn)
                # What comes after a turn that is too long is longer.
                if found or not await self._connection.fits(request, transcript.most_tokens(turn)):
                    found = True
                    self._evaluator.note_too_long(question.conversation.id, turn)
                    marks = marks_of(question.conversation, turn)
                    yield question.key, _marked(reply.TOO_LONG, marks)

    async def hand_in(self, questions: Sequence[Question]) -> BudgetExhausted | None:
        """Hands in as many of `questions` as the budget allows; gives what stopped it."""
        self._compare(questions)
        for portion in portions(questions, self._prompt, self._pending.tries_of):
            rest = portion
            while rest:
                reserved = self._reserve(rest)
                if isinstance(reserved, BudgetExhausted):
                    return reserved
                count, dollars = reserved
                await self._submit(rest[:count], dollars)
                rest = rest[count:]
        return None

    def _compare(self, questions: Sequence[Question]) -> None:
        """Adds `questions` to the estimate of what they cost in batches and one by one."""
        for _, group in groupby(questions, key=lambda question: id(question.conversation)):
            asked = list(group)
            votes = Counter(question.turn.number for question in asked)
            talk = asked[0].conversation
            for again in (False, True):
                turns = [
                    (size, votes[turn.number])
                    for turn, size in self._sizing.prefixes(talk)
                    if votes[turn.number] and ((talk.id, turn.number) in self._seen) is again
                ]
                self.estimate.compare(self.estimate.ways, turns, again=again)
            self._seen.update((talk.id, number) for number in votes)

    def _reserve(self, entries: Sequence[Entry]) -> tuple[int, float] | BudgetExhausted:
        """Sets the cost aside of all `entries`, or of half of them, or of a quarter, ..."""
        count = len(entries)
        while True:
            most = [(entry.most, entry.output) for entry in entries[:count]]
            try:
                return count, self._meter.reserve_batch(most)
            except BudgetExhausted as exc:
                count //= 2
                if not count:
                    return exc

    async def _submit(self, entries: Sequence[Entry], dollars: float) -> None:
        votes = [(entry.key, entry.marks) for entry in entries]
        submission = self._pending.begin(self._prompt.label.id, votes)
        self._meter.hold_batch(submission.id, dollars)
        try:
            await self._create(submission, body(entries))
        except ChaperoneError:
            self._pending.forget(submission)
            self._meter.release_batch(submission.id, dollars)
            self._meter.spend.calls -= len(entries)
            raise
        self._reserved[submission.id] = dollars

    async def _create(self, submission: Submission, content: bytes) -> None:
        tries = 0
        while isinstance(outcome := await self._api.create(content), Fault):
            tries += 1
            if outcome.course is not Course.RETRY or tries == CREATE_TRIES:
                raise self._refused(outcome)
            # The server may have taken the batch all the same, and would bill a second one too.
            if await self._look_for(submission):
                return
            await asyncio.sleep(pause(outcome, tries))
        self._pending.name(submission, outcome)

    def _refused(self, fault: Fault) -> EvaluatorError:
        hint = "run the same command again later; every vote so far is kept"
        if "404" in fault.problem:
            hint = "this server offers no batches: leave --batch out"
        return EvaluatorError(f"{self._shown} takes no batch: {fault.problem}", hint=hint)

    async def _look_for(self, submission: Submission) -> bool:
        """Names `submission` if the server has a batch of its size that is nobody else's.

        Should it be the wrong one after all, its results lack the votes, which are asked for again.
        """
        known = self._pending.batches()
        found = [
            batch
            for batch in await self._api.since(submission.at - SKEW)
            if batch.requests == submission.requests and batch.id not in known
        ]
        if found:
            nearest = min(found, key=lambda batch: abs(batch.created - submission.at))
            self._pending.name(submission, nearest.id)
        return bool(found)

    async def ended(self, submissions: Sequence[Submission], *, wait: bool) -> list[Submission]:
        """Gives those of `submissions` that have ended; waits for one unless told not to.

        Without waiting, what this very run handed in is not looked at.
        """
        look = FIRST_LOOK
        while True:
            ended = [
                one
                for one in submissions
                if (wait or one.id not in self._reserved) and await self._api.ended(one.batch or "")
            ]
            if ended or not wait or not submissions:
                return ended
            await asyncio.sleep(look)
            look = min(LONGEST_LOOK, look * 1.5)

    async def collect(self, submission: Submission) -> AsyncIterator[tuple[bytes, Vote]]:
        """Gives the votes that `submission` brought; sets free what is to be handed in again."""
        missing = self._pending.votes_of(submission)
        most = self._reserved.get(submission.id, 0.0) / max(1, submission.requests)
        again: list[bytes] = []
        answered = useless = failed = 0
        results = [
            (batches_results.key_of(row), batches_results.read(row, submission.label))
            for row in await self._api.results(submission.batch or "")
        ]
        votes = [result.vote for _, result in results]
        # Where nothing was answered, a refusal is not known to be the fault of what was asked.
        refuses_all = reply.REJECTED in votes and all(vote.reason is not None for vote in votes)
        for key, result in results:
            # Results come in no order, and a batch that was looked for may turn out not to be ours.
            pending = missing.pop(key, None)
            if pending is None:
                continue
            if refuses_all and result.vote == reply.REJECTED:
                result = batches_results.AGAIN
            if result.tokens is not None:
                self._meter.record_batch(result.tokens, most)
            if result.again and pending.tries + 1 < MOST_TRIES:
                again.append(pending.key)
            else:
                yield pending.key, _marked(result.vote, pending.marks)
            failed += result.tokens is None
            useless += result.tokens is not None and result.vote.reason is not None
            answered += result.vote.reason is None
        for pending in missing.values():
            if pending.tries + 1 < MOST_TRIES:
                again.append(pending.key)
            else:
                yield pending.key, reply.ERROR
        # Where no reply was of use, a vote by itself shows whether more would be.
        self.proven = bool(answered) or (self.proven and not useless and not refuses_all)
        self._pending.retry(again)
        self._settle(submission, failed + len(missing))

    def _settle(self, submission: Submission, failed: int) -> None:
        dollars = self._reserved.pop(submission.id, None)
        if dollars is None:
            # Handed in by an earlier run, which could not know what it took.
            self._meter.spend.calls += submission.requests
            self._meter.release_batch(submission.id, 0.0)
        else:
            self._meter.release_batch(submission.id, dollars)
        self._meter.spend.failed += failed
        self._pending.collect(submission)


def _marked(vote: Vote, marks: tuple[str, ...]) -> Vote:
    return replace(vote, evidence=Evidence(marks)) if marks else vote
