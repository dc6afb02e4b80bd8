"""Strategies for verdicts and reports of every shape that a run can give."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from hypothesis import strategies as st

from chaperone_cli.codec.report import CitedRubric, Report
from chaperone_cli.codec.verdict import SavedVerdict
from chaperone_cli.domain.conversation import Side, Sides, Source
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.rule import RULES, Rule
from chaperone_cli.domain.run import Ending, Protocol, RunHeader, ScreenedOut, Summary, Usage
from chaperone_cli.domain.screening import Screening
from chaperone_cli.domain.selection import LeftOut, Omission
from chaperone_cli.domain.verdict import (
    ConversationVerdict,
    Digests,
    ScreenedTurn,
    TurnVerdict,
    Verdict,
)
from chaperone_cli.domain.vote import AbstainReason, Answer, Evidence, Span, Vote

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
Key = TypeVar("Key", bound=StrEnum)
COUNT = st.integers(0, 10**6)
LINE = st.integers(1, 10**6)


DIGESTS = st.builds(
    Digests,
    st.none() | st.from_regex(r"([0-9a-f]{4}-)?[0-9a-f]{16}", fullmatch=True),
    st.from_regex(r"[0-9a-f]{16}", fullmatch=True),
)


def spans(sides: Sequence[Side]) -> st.SearchStrategy[Span]:
    """Spans in one of the turns, which are of `sides`."""
    return st.builds(
        lambda turn, start, length: Span(turn, start, start + length, sides[turn - 1]),
        st.integers(1, len(sides)),
        st.integers(0, 99),
        st.integers(0, 200),
    )


def votes(sides: Sequence[Side]) -> st.SearchStrategy[Vote]:
    """Votes of every answer, with and without evidence."""
    evidence = st.none() | st.builds(
        Evidence, st.lists(TEXT, max_size=2).map(tuple), st.none() | spans(sides)
    )
    return st.builds(Vote, st.sampled_from([Answer.YES, Answer.NO]), st.none(), evidence) | (
        st.builds(Vote, st.just(Answer.ABSTAIN), st.sampled_from(AbstainReason), evidence)
    )


@st.composite
def verdicts(draw: st.DrawFn, passes: int = 5) -> ConversationVerdict:
    """Verdicts on up to six turns, judged in part."""
    total = draw(st.integers(0, 6))
    chosen = draw(st.sets(st.integers(1, total))) if total else set()
    sides = draw(st.lists(st.sampled_from(Side), min_size=total, max_size=total))
    judged = tuple(
        TurnVerdict(
            number,
            sides[number - 1],
            draw(st.sampled_from(Verdict)),
            tuple(draw(st.lists(votes(sides), min_size=1, max_size=passes))),
        )
        for number in sorted(chosen)
    )
    passed_over = draw(st.sets(st.sampled_from(rest))) if (rest := _rest(total, chosen)) else set()
    rules = st.fixed_dictionaries({rule.name: st.none() | LINE for rule in RULES})
    return ConversationVerdict(
        draw(TEXT),
        Source(draw(TEXT), draw(LINE), draw(st.none() | LINE)),
        total,
        draw(st.integers(len(judged) + len(passed_over), total)),
        judged,
        draw(st.none() | TEXT),
        draw(st.none() | LINE),
        draw(st.just({}) | rules),
        draw(st.none() | DIGESTS),
        screened_out=tuple(
            ScreenedTurn(number, sides[number - 1]) for number in sorted(passed_over)
        ),
    )


def _rest(total: int, chosen: set[int]) -> list[int]:
    return [number for number in range(1, total + 1) if number not in chosen]


@st.composite
def saved_verdicts(draw: st.DrawFn) -> SavedVerdict:
    """Verdicts, some with a quote for each of their spans."""
    verdict = draw(verdicts())
    quote = st.text(st.characters(codec="utf-8"), max_size=140)
    found = {
        vote.evidence.span
        for turn in verdict.turns
        for vote in turn.votes
        if vote.evidence and vote.evidence.span
    }
    quoted = draw(st.booleans())
    ordered = sorted(found, key=lambda span: (span.turn, span.start, span.end))
    quotes = {span: draw(quote) for span in ordered} if quoted else {}
    return SavedVerdict(verdict, quotes, passes=5)


def _counter(kind: type[Key]) -> st.SearchStrategy[Counter[Key]]:
    return st.fixed_dictionaries(dict.fromkeys(kind, COUNT)).map(lambda counts: Counter(counts))


HEADERS = st.builds(
    RunHeader,
    *[TEXT] * 5,
    st.dictionaries(TEXT, st.none() | TEXT | st.booleans() | st.integers(-99, 99)),
    st.builds(
        Protocol,
        st.builds(CitedRubric, TEXT, COUNT, TEXT, st.just(()), cited=TEXT),
        st.sampled_from([*RULES, Rule("3")]),
        st.just(5),
        st.sampled_from(Sides),
        st.booleans(),
        st.booleans(),
        screening=st.none() | st.builds(Screening, TEXT, TEXT, st.floats(-99, 99), COUNT),
    ),
    st.lists(TEXT, max_size=3).map(tuple),
)

PROBLEMS = st.builds(
    Problem,
    st.sampled_from(Severity),
    TEXT,
    TEXT,
    st.none() | COUNT,
    st.none() | TEXT,
    st.none() | COUNT,
)

SUMMARIES = st.builds(
    Summary,
    st.just(5),
    ending=st.sampled_from(Ending),
    conversations=_counter(Verdict),
    empty=COUNT,
    attribution=_counter(Side),
    turns_judged=_counter(Side),
    turns_blocked=_counter(Side),
    turns_undecided=_counter(Side),
    turns_selected=COUNT.map(lambda count: count + 10**6),
    votes_cast=COUNT,
    abstentions=_counter(AbstainReason),
    tampering=COUNT.map(lambda count: count + 1),
    tampering_turns=COUNT.map(lambda count: count + 1),
    blocked_by_rule=st.just(Counter()) | st.builds(Counter, st.just(dict.fromkeys(Rule.NAMES, 3))),
    blank_turns=COUNT,
    placeholders=COUNT,
    problems=_counter(Severity),
    left_out=st.builds(LeftOut, _counter(Omission), st.booleans()),
    screened_out=st.none() | st.builds(ScreenedOut, _counter(Side), COUNT),
)

REPORTS = st.builds(
    Report,
    HEADERS,
    st.lists(saved_verdicts(), max_size=3).map(tuple),
    st.lists(PROBLEMS, max_size=3).map(tuple),
    SUMMARIES,
    st.builds(Usage, COUNT, COUNT, st.integers(0, 10**6).map(lambda ms: ms / 1000)),
)
