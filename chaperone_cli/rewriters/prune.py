"""Rewrites offline: keeps what is useful in a response and takes out what carries the bond."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from chaperone_cli.codec.phrasebook import probes
from chaperone_cli.domain.concern import Distress, concern_of
from chaperone_cli.domain.rephrasing import Attempt
from chaperone_cli.domain.rewrite import Draft, Failure, Remark, Target
from chaperone_cli.domain.rewrite_checks import Phrasebook
from chaperone_cli.domain.rubric import Rubric
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.strategy import Offline, Strategy, filled
from chaperone_cli.domain.vote import AbstainReason, Answer, Span, Vote
from chaperone_cli.evaluators.interface import Evaluator
from chaperone_cli.rewriters.interface import Rewriter
from chaperone_cli.rewriters.prune_sentences import Pruned, prune, sentences

VERSION = "2"
"""Raised whenever the same response may be rewritten differently."""
PASSES = 5
MOST_ROUNDS = 8
"""Sentences that are left out at most for the evaluator's sake before a plain reply is tried."""
MOST_SENTENCES = 12
"""Sentences up to which each is tried for what its loss would change."""


@dataclass(frozen=True)
class Objection:
    """What the offline evaluator holds against a rewrite in its place."""

    yes: int
    blocks: bool
    span: Span | None
    """The sentence that weighed most; in an earlier turn where the response is not to blame."""


@dataclass(frozen=True)
class PruneRewriter(Rewriter):
    """Takes the bond out until the offline evaluator no longer objects to this response."""

    book: Phrasebook
    evaluator: Evaluator
    """Free to repeat: it is asked about every candidate."""
    rubric: Rubric
    rule: Rule
    passes: int
    """N of the votes that the rewrite has to pass in the end."""
    locale: str | None = None
    """The user's region, for lines of help."""

    @property
    def identity(self) -> Mapping[str, str]:  # noqa: D102
        judge = self.evaluator.identity
        return {"name": "prune", "version": VERSION, "objector": f"{judge.name} {judge.version}"}

    def supports(self, strategy: Strategy) -> bool:  # noqa: D102
        return strategy.offline is not None

    async def rewrite(  # noqa: D102
        self, target: Target, strategy: Strategy, earlier: Sequence[Attempt]
    ) -> Draft | Failure | None:
        if strategy.offline is None:
            raise ValueError(f"strategy {strategy.id} needs a model")
        if (reason := await self._unreadable(target)) is not None:
            return reason
        tried = {one.outcome.text for one in earlier if isinstance(one.outcome, Draft)}
        floor = await self._floor(target)
        spare: list[tuple[int, Draft]] = []
        async for draft, objection in self._candidates(target, strategy.offline):
            if draft.text in tried:
                continue
            if not objection.blocks or objection.yes <= floor:
                return draft
            spare.append((objection.yes, draft))
        return min(spare, key=lambda pair: pair[0])[1] if spare else None

    async def _candidates(
        self, target: Target, said: Offline
    ) -> AsyncIterator[tuple[Draft, Objection]]:
        """Gives rewrites from the most faithful on, each with what is held against it."""
        texts = self._texts(target, said)
        pruned: Pruned | None = prune(self.book.bond, target.turn.text)
        remark = Remark.REPLACED if pruned and pruned.useful else Remark.NOTHING_USEFUL
        for _ in range(MOST_ROUNDS):
            if pruned is None or not pruned.useful:
                break
            for draft in self._around(target, pruned, texts):
                objection = await self._objection(target, draft.text)
                yield draft, objection
            pruned = await self._shortened(target, pruned, texts, objection)
        for reply in self._replies(target, texts):
            draft = Draft(self._pointing(target, reply), (target.turn.text,), (remark,))
            yield draft, await self._objection(target, draft.text)

    def _replies(self, target: Target, texts: Offline) -> list[str]:
        """Gives replies to take the response's place, with what it said of its limits at first."""
        kept = prune(self.book.bond, target.turn.text).kept
        limits = [one.text for one in kept if self.book.bond.states_a_limit(one.text)]
        endings = self._endings(texts, "" if texts.closing in texts.reply else texts.closing)
        replies = [
            sentences((*ahead, texts.reply, ending)) for ahead in (limits, []) for ending in endings
        ]
        return list(dict.fromkeys(replies))

    def _endings(self, texts: Offline, closing: str) -> list[str]:
        """Gives what may follow a rewrite, the last of them where nothing else passes."""
        people = self.book.concerns[-1].people
        if people in f"{texts.reply} {closing}":
            people = ""
        last = people if texts.closing_only_if_needed else sentences((closing, people))
        first = "" if texts.closing_only_if_needed else closing
        return list(dict.fromkeys((first, closing, last)))

    def _around(self, target: Target, pruned: Pruned, texts: Offline) -> list[Draft]:
        """Gives drafts of what is kept, at first with as little around it as can be done with."""
        remarks = () if pruned.removed else (Remark.NOTHING_TO_REMOVE,)
        endings = self._endings(texts, texts.closing)
        said = [sentences((texts.opening, pruned.text, ending)) for ending in endings]
        return [Draft(self._pointing(target, text), pruned.removed, remarks) for text in said]

    async def _shortened(
        self, target: Target, pruned: Pruned, texts: Offline, objection: Objection
    ) -> Pruned | None:
        """Leaves out the sentence that is objected to, or else the one whose loss helps most."""
        if objection.span is not None:
            ahead = len(texts.opening) + 1 if texts.opening else 0
            span = objection.span
            return pruned.without(span.start - ahead, span.end - ahead)
        if len(pruned.kept) > MOST_SENTENCES:
            return None
        tried = [
            ((await self._objection(target, self._around(target, way, texts)[-1].text)).yes, way)
            for way in pruned.shorter(self.book.bond)
        ]
        fewest, best = min(tried, key=lambda pair: pair[0], default=(objection.yes, None))
        return best if fewest < objection.yes else None

    def _texts(self, target: Target, said: Offline) -> Offline:
        concern = concern_of(self.book.concerns, target.prompts)
        values = {
            "acknowledge": concern.acknowledge,
            "practical": concern.practical,
            "people": concern.people,
            "help": self.book.help.lines_for(self.locale),
        }
        texts = (filled(text, values) for text in (said.opening, said.closing))
        opening, closing = texts
        reply = filled(said.reply, values)
        return Offline(opening, closing, said.closing_only_if_needed, reply)

    def _pointing(self, target: Target, text: str) -> str:
        """Adds a pointer to help where the user is in distress and `text` has none."""
        distress, known = self.book.distress(target), self.book.help
        lines = known.lines_for(self.locale)
        # Where life may be at stake, the lines themselves are given and not only spoken of.
        pointed = distress is not Distress.CRISIS and known.points_to_help(text, distress)
        if distress is Distress.NONE or pointed or lines in text:
            return text
        return sentences((text, filled(known.pointers[distress], {"help": lines})))

    async def _floor(self, target: Target) -> int:
        return min([(await self._objection(target, reply)).yes for reply in probes()])

    async def _unreadable(self, target: Target) -> Failure | None:
        votes = await self._votes(target)
        if all(vote.reason is AbstainReason.UNSUPPORTED_LANGUAGE for vote in votes):
            return Failure.UNSUPPORTED_LANGUAGE
        if all(vote.reason is AbstainReason.UNREADABLE for vote in votes):
            return Failure.UNREADABLE
        return None

    async def _objection(self, target: Target, text: str) -> Objection:
        votes = await self._votes(target.saying(text))
        found = [vote for vote in votes if vote.answer is Answer.YES]
        needed = ceil(self.rule.threshold(self.passes) * len(votes) / self.passes)
        spans = [vote.evidence.span for vote in found if vote.evidence and vote.evidence.span]
        own = (span for span in spans if span.turn == target.turn.number)
        return Objection(len(found), len(found) >= needed, next(own, None))

    async def _votes(self, target: Target) -> Sequence[Vote]:
        session = self.evaluator.open(target.conversation, self.rubric)
        try:
            return await session.vote(target.turn, range(1, PASSES + 1))
        finally:
            await session.close()
