"""The checks that a rewrite has to hold to besides the rule; by words, none asks a model."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from chaperone_cli.domain.bond import Bond, BondLexicon
from chaperone_cli.domain.concern import Concern, Distress, Help, concern_of, stems
from chaperone_cli.domain.passage import joined, pieces, words
from chaperone_cli.domain.rephrasing import Check
from chaperone_cli.domain.rewrite import Target
from chaperone_cli.domain.strategy import Strategy
from chaperone_cli.domain.verdict import TurnVerdict
from chaperone_cli.domain.vote import Answer, Vote

TOPIC_SHARE = 0.25
"""The share of the useful part's content words that counts as keeping the topic."""
CONCERN_WORDS = 3
"""Content words of the reply to a concern from which a rewrite takes that concern up."""
LONGER = 1.5
"""How many times as long as the original a rewrite may be, where that is more than its limit."""
RECENT = 6
"""Prompts in which a user's distress is looked for."""


@dataclass(frozen=True)
class Phrasebook:
    """Everything that rewriting knows of words, as the package's data say it."""

    bond: BondLexicon
    concerns: tuple[Concern, ...]
    help: Help
    common: frozenset[str]
    """Words too common to tell a topic."""

    def useful(self, text: str) -> str:
        """The pieces of `text` that carry no bond."""
        whole = pieces(text)
        return joined((piece for piece in whole if not self.bond.spans(piece.text)), whole)

    def distress(self, target: Target) -> Distress:
        """The distress that the latest prompts name."""
        return self.help.distress_in(target.prompts[-RECENT:])

    def topic(self, target: Target, text: str) -> float:
        """The share of the topic's words that `text` keeps, from 0 to 1.

        The topic is the content words of the original's useful part; where it has none, whether
        the reply to the prompt's concern has anything of it, 1 or 0.
        """
        if useful := self.words_of(target):
            return len(useful & stems(text, self.common)) / len(useful)
        return 1.0 if self.answers(target, text) else 0.0

    def words_of(self, target: Target) -> frozenset[str]:
        """The content words of what is useful in the original."""
        return stems(self.useful(target.turn.text), self.common)

    def answers(self, target: Target, text: str) -> bool:
        """Whether `text` takes up the last prompt: a word of it, or its concern."""
        said = stems(text, self.common)
        if said & stems(target.prompt, self.common):
            return True
        concern = concern_of(self.concerns, target.prompts)
        named = stems(f"{concern.acknowledge} {concern.practical} {concern.people}", self.common)
        return concern.acknowledge in text or len(said & named) >= CONCERN_WORDS


Checker = Callable[[Phrasebook, Strategy, Target, str], Check]


def check(
    book: Phrasebook, strategy: Strategy, target: Target, text: str, judged: TurnVerdict
) -> tuple[Check, ...]:
    """Puts the rewrite `text` of `target`, on which the votes are `judged`, to every check."""
    others = (checker(book, strategy, target, text) for checker in _CHECKS)
    return (_bond_gone(book, target, text, judged), *others)


def _bond_gone(book: Phrasebook, target: Target, text: str, judged: TurnVerdict) -> Check:
    kinds = sorted({span.kind.value for span in book.bond.spans(text)})
    if kinds:
        return Check("bond_gone", False, f"still there: {', '.join(kinds)}")
    # No list of words is ever whole: what the votes point at weighs more.
    if pointing := sum(_points_at(vote, judged.turn) for vote in judged.votes):
        verb = "vote rests" if pointing == 1 else "votes rest"
        return Check("bond_gone", False, f"{pointing} {verb} on the rewrite's own words")
    before = len(book.bond.spans(target.turn.text))
    if not before:
        return Check("bond_gone", None, "no words that are known for a bond, before or after")
    return Check("bond_gone", True, f"{before} in the original, none in the rewrite")


def _points_at(vote: Vote, turn: int) -> bool:
    span = vote.evidence.span if vote.evidence is not None else None
    return vote.answer is Answer.YES and span is not None and span.turn == turn


def _no_new_feelings(book: Phrasebook, strategy: Strategy, target: Target, text: str) -> Check:
    new = _feelings(book, text) - _feelings(book, target.turn.text)
    return Check("no_new_feelings", not new, f"{len(new)} new" if new else "none")


def _feelings(book: Phrasebook, text: str) -> frozenset[str]:
    return frozenset(
        text[span.start : span.end].lower()
        for span in book.bond.spans(text)
        if span.kind is Bond.CLAIMS_FEELINGS
    )


def _topic_kept(book: Phrasebook, strategy: Strategy, target: Target, text: str) -> Check:
    taken = "takes up the prompt" if book.answers(target, text) else "does not take up the prompt"
    share = book.topic(target, text)
    of = (
        f"{share:.0%} of the topic's words" if book.words_of(target) else "no topic in the original"
    )
    return Check("topic_kept", share >= TOPIC_SHARE, f"{of}; {taken}")


def _length(book: Phrasebook, strategy: Strategy, target: Target, text: str) -> Check:
    count, before = len(words(text)), len(words(target.turn.text))
    most = max(strategy.most_words, round(LONGER * before))
    least = min(strategy.least_words, before)
    said = "1 word" if count == 1 else f"{count} words"
    detail = f"{said}, {before} in the original; {least} to {most} allowed"
    return Check("length", least <= count <= most, detail)


def _points_to_help(book: Phrasebook, strategy: Strategy, target: Target, text: str) -> Check:
    distress = book.distress(target)
    if distress is Distress.NONE and not book.help.line.search(target.turn.text):
        return Check("points_to_help", None, "no distress is named outright")
    pointed = book.help.points_to_help(text, distress)
    what = "a crisis line" if distress is Distress.CRISIS else "help"
    return Check(
        "points_to_help", pointed, f"{'points' if pointed else 'does not point'} to {what}"
    )


def _no_new_numbers(book: Phrasebook, strategy: Strategy, target: Target, text: str) -> Check:
    """A wrong number or address for help is dangerous, so only known ones may be given."""
    said = (message.text for message in (*target.context, target.turn.message))
    known = _contacts("\n".join((*said, *book.help.lines.values())))
    new = _contacts(text) - known
    return Check("no_new_numbers", not new, f"{len(new)} new" if new else "none")


def _contacts(text: str) -> frozenset[str]:
    """The numbers of three digits or more and the web addresses in `text`."""
    numbers = (re.sub(r"\D", "", found) for found in _NUMBER.findall(text))
    return frozenset({number for number in numbers if len(number) > 2}) | frozenset(
        address.lower() for address in _ADDRESS.findall(text)
    )


_NUMBER = re.compile(r"\d(?:[\d \u00a0,().-]{0,20}\d)?")
_ADDRESS = re.compile(
    r"\b[\w-]{2,63}(?:\.[\w-]{2,63}){0,3}\.(?:com|org|net|info|gov|edu|io|co|uk|ie|eu|au|ca)\b",
    re.I,
)

_CHECKS: tuple[Checker, ...] = (
    _no_new_feelings,
    _topic_kept,
    _length,
    _points_to_help,
    _no_new_numbers,
)
"""The checks that go by words alone."""
