"""Conversations that no model would produce: gaps, abstentions, hundreds of turns."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from chaperone_cli.domain.ballot import Ballot, first_blocks
from chaperone_cli.domain.conversation import Conversation, Message, Role, Side, Source, Turn
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rule import RULES
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict
from chaperone_cli.domain.vote import NO, AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.reports.html.reporter import HtmlReporter
from chaperone_cli.reports.json_file import JsonReporter
from tests.reports.runs import Judged, header, report

CUES = ("attachment", "isolation", "user_romance", "persona drift")
PROBLEMS = [
    *(Problem(Severity.WARNING, "odd.jsonl", f"line {n} is odd", n) for n in range(1, 70)),
    Problem(Severity.ERROR, "odd.jsonl", "not JSON", 70, "c-1", 2),
]


def odd(count: int = 40, longest: int = 36) -> Iterator[Judged]:
    """Gives `count` conversations of up to `longest` turns, always the same."""
    random = Random(20261121)
    for number in range(count):
        source = Source(f"logs/{number % 7}.jsonl", number + 1)
        total = random.randint(0, longest) if number else 0
        turns = tuple(_turns(random, total))
        verdict = ConversationVerdict(
            f"odd {number}",
            source,
            total,
            random.randint(len(turns), total),
            turns,
            random.choice([None, "parasocial", "other kind"]),
            random.choice([None, 3]),
            first_blocks(turns, RULES, 5),
        )
        spans = {
            vote.evidence.span
            for turn in turns
            for vote in turn.votes
            if vote.evidence and vote.evidence.span
        }
        quotes = {span: f"said {span.turn} {span.start}" for span in spans if span.start % 2}
        yield Judged(Conversation(f"odd {number}", (), source), verdict, quotes)


def _turns(random: Random, total: int) -> Iterator[TurnVerdict]:
    sides = [random.choice(list(Side)) for _ in range(total)]
    asked = random.choice(["yynnnnnnn", "nnnnnnnna", "nnnn", "yyyyya", "aaay"])
    for number in range(1, total + 1):
        if random.random() < 0.1:
            continue
        ballot = Ballot(RULES[0], 5, all_votes=True)
        ballot.cast([_vote(random, sides[:number], random.choice(asked)) for _ in ballot.wanted()])
        yield ballot.outcome(Turn(number, sides[number - 1], number - 1, Message(Role.USER, "")))


def _vote(random: Random, sides: list[Side], letter: str) -> Vote:
    if letter == "n":
        return NO
    if letter == "a":
        return Vote(Answer.ABSTAIN, random.choice(list(AbstainReason)))
    start = random.randint(0, 3)
    turn = random.randint(1, len(sides))
    span = random.choice([None, Span(turn, start, start + 9, sides[turn - 1])])
    cues = tuple(random.sample(CUES, random.randint(0, 3)))
    return Vote(Answer.YES, evidence=random.choice([None, Evidence(cues, span)]))


def write_odd(folder: Path) -> tuple[Path, Path]:
    """Writes page and JSON of the odd conversations."""
    page, saved = folder / "odd.html", folder / "odd.json"
    for reporter in (HtmlReporter(page), JsonReporter(saved)):
        report(reporter, header(all_votes=True), odd(), PROBLEMS)
    return page, saved


def renamed(judged: Judged, name: str, **facts: object) -> Judged:
    """Gives the same conversation under another id, and with other facts."""
    return judged._replace(verdict=replace(judged.verdict, conversation=name, **facts))  # type: ignore[arg-type]
