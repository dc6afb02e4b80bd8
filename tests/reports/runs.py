"""Runs over the thirty sample dialogues, judged by their recorded votes, for every reporter."""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.rubric import Label, Rubric
from chaperone_cli.domain.rule import RULES, Rule
from chaperone_cli.domain.run import Ending, Protocol, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import ConversationVerdict, TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, Answer, Evidence, Span, Vote, tally
from chaperone_cli.reports.interface import Quotes, Reporter

SAMPLES = Path(__file__).parents[2] / "sample_logs"
RUBRIC = Rubric("parasocial", 1, "Parasocial relationship", (Label("p", "Is it?", "Look."),))


class Judged(NamedTuple):
    """One conversation with what a run says of it."""

    conversation: Conversation
    verdict: ConversationVerdict
    quotes: Quotes


def header(
    rule: str = "unanimous", passes: int = 5, *, all_votes: bool = False, inputs: int = 1
) -> RunHeader:
    """Gives the header of a run over the sample dialogues."""
    protocol = Protocol(RUBRIC, Rule.parse(rule), passes, all_votes=all_votes)
    paths = tuple(f"logs/{n}.jsonl" for n in range(2, inputs + 1))
    return RunHeader(
        version="1.2.3",
        started_at="2026-11-21T09:00:00+00:00",
        platform="Python 3.11.7, Linux",
        evaluator="recorded",
        evaluator_version="vote.v1",
        evaluator_settings={"votes": "thirty.votes.jsonl", "temperature": 1.0, "seed": None},
        protocol=protocol,
        inputs=("sample_logs/thirty.jsonl", *paths),
    )


def thirty(head: RunHeader) -> Iterator[Judged]:
    """Judges the sample dialogues as `head` says; each yes vote names a sentence."""
    recorded = {
        (row["conversation"], row["turn"]): row["votes"]
        for row in map(json.loads, (SAMPLES / "thirty.votes.jsonl").read_text("utf-8").splitlines())
    }
    lines = (SAMPLES / "thirty.jsonl").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        row = json.loads(line)
        messages = tuple(Message(Role(turn["role"]), turn["content"]) for turn in row["turns"])
        source = Source("sample_logs/thirty.jsonl", number)
        onset = row.get("onset")
        conversation = Conversation(row["id"], messages, source, row["label"], onset)
        votes = [recorded[row["id"], turn.number] for turn in conversation.turns]
        yield _judged(conversation, votes, head.protocol)


def _judged(conversation: Conversation, votes: list[list[int]], protocol: Protocol) -> Judged:
    turns, quotes = [], {}
    for turn, recorded in zip(conversation.turns, votes, strict=True):
        end = turn.text.find(".") + 1 or len(turn.text)
        span = Span(turn.number, 0, end, turn.side)
        quotes[span] = turn.text[:end]
        yes = Vote(Answer.YES, evidence=Evidence(("attachment", "exclusivity"), span))
        cast = _cast([yes if vote else NO for vote in recorded], protocol)
        verdict = protocol.rule.decide(tally(cast), protocol.passes)
        assert verdict is not None
        turns.append(TurnVerdict(turn.number, turn.side, verdict, cast))
    total = len(turns)
    verdict_ = ConversationVerdict(
        conversation.id,
        conversation.source,
        total,
        total,
        tuple(turns),
        conversation.label,
        conversation.onset,
        _first_blocks(turns, protocol) if protocol.all_votes else {},
    )
    return Judged(conversation, verdict_, quotes)


def _cast(votes: list[Vote], protocol: Protocol) -> tuple[Vote, ...]:
    if protocol.all_votes:
        return tuple(votes)
    cast: list[Vote] = []
    while wave := protocol.rule.wave(tally(cast), protocol.passes):
        cast += votes[len(cast) : len(cast) + wave]
    return tuple(cast)


def _first_blocks(turns: list[TurnVerdict], protocol: Protocol) -> dict[str, int | None]:
    def blocks(turn: TurnVerdict, rule: Rule) -> bool:
        return rule.decide(turn.tally, protocol.passes) is Verdict.BLOCK

    return {
        rule.name: next((turn.turn for turn in turns if blocks(turn, rule)), None) for rule in RULES
    }


def report(
    reporter: Reporter,
    head: RunHeader,
    judged: Iterable[Judged],
    problems: Iterable[Problem] = (),
    ending: Ending = Ending.COMPLETE,
) -> Summary:
    """Puts a run through `reporter` and gives the totals."""
    summary = Summary(head.protocol.passes, ending=ending)
    reporter.open(head)
    for conversation, verdict, quotes in judged:
        summary.add(verdict)
        summary.add_reading(conversation)
        reporter.add(verdict, quotes)
    for problem in problems:
        summary.add_problem(problem)
        reporter.add_problem(problem)
    reporter.close(summary, Usage(summary.votes_cast, seconds=0.4125))
    return summary


def renamed(judged: Judged, name: str) -> Judged:
    """Gives the same conversation under another id."""
    return judged._replace(verdict=replace(judged.verdict, conversation=name))


class Terminal:
    """A terminal, or a pipe, of a given width and encoding, and what it received."""

    def __init__(
        self, width: int = 80, *, piped: bool = False, colour: bool = False, encoding: str = "utf-8"
    ) -> None:
        self._bytes = io.BytesIO()
        self._file = io.TextIOWrapper(self._bytes, encoding=encoding, newline="\n")
        self.console = Console(
            file=self._file,
            width=width,
            force_terminal=not piped,
            color_system="standard" if colour else None,
            highlight=False,
        )
        self._encoding = encoding

    @property
    def text(self) -> str:
        """All that was printed."""
        self._file.flush()
        return self._bytes.getvalue().decode(self._encoding)
