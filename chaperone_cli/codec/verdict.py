"""Verdicts as `verdict.v1` writes them: one conversation an object, one object a line."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from chaperone_cli.codec.fields import Node
from chaperone_cli.codec.vote import decode_vote, encode_vote
from chaperone_cli.domain.conversation import Side, Source
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.verdict import (
    ConversationVerdict,
    Digests,
    Explanation,
    ScreenedTurn,
    TurnVerdict,
    Verdict,
)
from chaperone_cli.domain.vote import Evidence, Span, Vote

CONTRACT = "verdict.v1"
QUOTE_LENGTH = 140
"""The most characters of a quote, its ellipsis among them."""


class SavedVerdict(NamedTuple):
    """A verdict read back, with the quotes that were saved with it."""

    verdict: ConversationVerdict
    quotes: Mapping[Span, str]
    passes: int
    """N, the votes a turn could get at most."""


def shorten(quote: str) -> str:
    """Cuts a quote to its greatest length, with an ellipsis where something went."""
    return quote if len(quote) <= QUOTE_LENGTH else quote[: QUOTE_LENGTH - 1] + "…"


def encode(verdict: ConversationVerdict, passes: int, quotes: Mapping[Span, str]) -> dict[str, Any]:
    """Gives the `verdict.v1` document of a verdict by at most `passes` votes a turn."""
    document: dict[str, Any] = {
        "schema": CONTRACT,
        "conversation": verdict.conversation,
        "source": _encode_source(verdict.source),
    }
    if verdict.label is not None:
        document["label"] = verdict.label
    if verdict.onset is not None:
        document["onset"] = verdict.onset
    document["passes"] = passes
    document |= _derived(verdict, passes)
    if verdict.first_blocks:
        document["rules"] = dict(verdict.first_blocks)
    document["turns_total"] = verdict.turns_total
    document["turns_selected"] = verdict.turns_selected
    if verdict.partial:
        document["partial"] = True
    if verdict.digests is not None:
        document["digests"] = _encode_digests(verdict.digests)
    if verdict.explanation is not None:
        document["explanation"] = _encode_explanation(verdict.explanation, quotes)
    document["turns"] = [_encode_turn(turn, quotes) for turn in verdict.turns]
    if verdict.screened_out:
        document["screened_out"] = [
            {"turn": turn.turn, "side": turn.side.value} for turn in verdict.screened_out
        ]
    return document


def _encode_digests(digests: Digests) -> dict[str, str]:
    known = {"judgement": digests.judgement}
    if digests.conversation is not None:
        known["conversation"] = digests.conversation
    return known


def _derived(verdict: ConversationVerdict, passes: int) -> dict[str, Any]:
    """Gives what follows from the turns, for readers who would rather not work it out."""
    first = verdict.first_block
    return {
        "verdict": verdict.verdict.value,
        "first_block": first
        and {
            "turn": first.turn,
            "side": first.side.value,
            "score": first.score,
            "of": passes,
        },
        "attribution": verdict.attribution and verdict.attribution.value,
    }


def _encode_turn(turn: TurnVerdict, quotes: Mapping[Span, str]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "turn": turn.turn,
        "side": turn.side.value,
        "verdict": turn.verdict.value,
        "score": turn.score,
        "votes": [encode_vote(vote) for vote in turn.votes],
    }
    evidence = [
        _encode_evidence(found, passes, quotes)
        for found, passes in passes_by_evidence(turn.votes).items()
    ]
    if evidence:
        document["evidence"] = evidence
    return document


def passes_by_evidence(votes: Iterable[Vote]) -> dict[Evidence, list[int]]:
    """Gives each piece of evidence with the passes it decided, in the order of the passes."""
    grouped: dict[Evidence, list[int]] = {}
    for number, vote in enumerate(votes, start=1):
        if vote.evidence is not None:
            grouped.setdefault(vote.evidence, []).append(number)
    return grouped


def _encode_source(source: Source) -> dict[str, Any]:
    document: dict[str, Any] = {"path": source.path, "line": source.line}
    if source.item is not None:
        document["item"] = source.item
    return document


def _decode_source(node: Node) -> Source:
    node.only("path", "line", "item")
    item = node.maybe("item")
    line = node.get("line").integer(1)
    return Source(node.get("path").text(), line, None if item is None else item.integer(1))


def _encode_evidence(
    evidence: Evidence, passes: list[int], quotes: Mapping[Span, str]
) -> dict[str, Any]:
    document: dict[str, Any] = {"passes": passes, "cues": list(evidence.cues)}
    if evidence.span is not None:
        document["span"] = _encode_span(evidence.span, quotes)
    return document


def _encode_explanation(explanation: Explanation, quotes: Mapping[Span, str]) -> dict[str, Any]:
    document: dict[str, Any] = {"turn": explanation.turn, "reason": explanation.reason}
    if explanation.span is not None:
        document["span"] = _encode_span(explanation.span, quotes)
    return document


def _encode_span(span: Span, quotes: Mapping[Span, str]) -> dict[str, Any]:
    side = {} if span.side is None else {"side": span.side.value}
    document = {"turn": span.turn, **side, "start": span.start, "end": span.end}
    if span in quotes:
        document["quote"] = shorten(quotes[span])
    return document


def decode(document: Node) -> SavedVerdict:
    """Reads a `verdict.v1` document; raises InputError.

    What follows from the votes is worked out again, and a document that says otherwise is refused.
    """
    document.contract(CONTRACT)
    document.only(*_KEYS)
    spans = _Spans(_sides(document))
    label, onset = document.maybe("label"), document.maybe("onset")
    verdict = ConversationVerdict(
        conversation=document.get("conversation").text(),
        source=_decode_source(document.get("source")),
        turns_total=document.get("turns_total").integer(),
        turns_selected=document.get("turns_selected").integer(),
        turns=tuple(_decode_turn(turn, spans) for turn in document.get("turns").items()),
        label=None if label is None else label.text(),
        onset=None if onset is None else onset.integer(1),
        first_blocks=_decode_rules(document.maybe("rules")),
        digests=_decode_digests(document.maybe("digests")),
        explanation=_decode_explanation(document.maybe("explanation"), spans),
        screened_out=_decode_screened_out(document.maybe("screened_out")),
        partial=_decode_partial(document.maybe("partial")),
    )
    passes = document.get("passes").integer(1)
    _check(verdict, document, passes)
    return SavedVerdict(verdict, spans.quotes, passes)


_KEYS = (
    "schema",
    "conversation",
    "source",
    "label",
    "onset",
    "passes",
    "verdict",
    "first_block",
    "attribution",
    "rules",
    "turns_total",
    "turns_selected",
    "partial",
    "digests",
    "explanation",
    "turns",
    "screened_out",
)


def decode_lines(lines: Iterable[bytes], path: str) -> Iterator[SavedVerdict]:
    """Reads a file of one verdict a line, as it comes; raises InputError with the line."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield decode(Node.parse(line, f"{path}:{number}"))


def _sides(document: Node) -> dict[int, Side]:
    """Gives the side of every turn that the document names as judged or screened out."""
    screened = document.maybe("screened_out")
    turns = (*document.get("turns").items(), *(screened.items() if screened else ()))
    return {turn.get("turn").integer(1): turn.get("side").choice(Side) for turn in turns}


def _decode_rules(node: Node | None) -> dict[str, int | None]:
    if node is None:
        return {}
    node.only(*Rule.NAMES)
    return {rule: None if turn.value is None else turn.integer(1) for rule, turn in node.entries()}


def _decode_partial(node: Node | None) -> bool:
    return node is not None and node.flag()


def _decode_digests(node: Node | None) -> Digests | None:
    if node is None:
        return None
    node.only("conversation", "judgement")
    conversation = node.maybe("conversation")
    return Digests(
        None if conversation is None else conversation.text(), node.get("judgement").text()
    )


def _decode_screened_out(node: Node | None) -> tuple[ScreenedTurn, ...]:
    return tuple(_decode_screened_turn(turn) for turn in node.items()) if node else ()


def _decode_screened_turn(node: Node) -> ScreenedTurn:
    node.only("turn", "side")
    return ScreenedTurn(node.get("turn").integer(1), node.get("side").choice(Side))


def _decode_turn(node: Node, spans: "_Spans") -> TurnVerdict:
    node.only("turn", "side", "verdict", "score", "votes", "evidence")
    votes: list[Vote] = [vote.read(decode_vote) for vote in node.get("votes").items()]
    evidence = node.maybe("evidence")
    for entry in evidence.items() if evidence else ():
        found = _decode_evidence(entry, spans)
        for number in entry.get("passes").items():
            index = number.integer(1) - 1
            if index >= len(votes) or votes[index].evidence is not None:
                raise number.error(f"a pass from 1 to {len(votes)}, each once")
            votes[index] = Vote(votes[index].answer, votes[index].reason, found)
    turn = TurnVerdict(
        turn=node.get("turn").integer(1),
        side=node.get("side").choice(Side),
        verdict=node.get("verdict").choice(Verdict),
        votes=tuple(votes),
    )
    if node.get("score").integer() != turn.score:
        raise node.get("score").error(f"{turn.score}, the number of yes votes")
    return turn


def _decode_evidence(node: Node, spans: "_Spans") -> Evidence:
    node.only("passes", "cues", "span")
    cues = tuple(cue.text() for cue in node.get("cues").items())
    return Evidence(cues, spans.decode(node.maybe("span")))


def _decode_explanation(node: Node | None, spans: "_Spans") -> Explanation | None:
    if node is None:
        return None
    node.only("turn", "reason", "span")
    span = spans.decode(node.maybe("span"))
    return Explanation(node.get("turn").integer(1), node.get("reason").text(), span)


class _Spans:
    """Reads the spans of one document, whose turns are of `sides`, and keeps their quotes."""

    def __init__(self, sides: Mapping[int, Side]) -> None:
        self.quotes: dict[Span, str] = {}
        self._sides = sides

    def decode(self, place: Node | None) -> Span | None:
        if place is None:
            return None
        place.only("turn", "side", "start", "end", "quote")
        turn, start = place.get("turn").integer(1), place.get("start").integer()
        span = Span(turn, start, place.get("end").integer(start), self._side(place, turn))
        quote = place.maybe("quote")
        if quote is not None:
            self.quotes[span] = quote.text()
        return span

    def _side(self, place: Node, turn: int) -> Side | None:
        """Gives the side that a span states, or that of its turn where an older one does not."""
        known, stated = self._sides.get(turn), place.maybe("side")
        if stated is None:
            return known
        side = stated.choice(Side)
        if known not in (None, side):
            raise stated.error(f"{known}, the side of turn {turn}")
        return side


def _check(verdict: ConversationVerdict, document: Node, passes: int) -> None:
    if any(len(turn.votes) > passes for turn in verdict.turns):
        raise document.get("passes").error("at least as many as any turn has votes")
    judged = [turn.turn for turn in verdict.turns]
    if not _in_order(judged, verdict.turns_total):
        raise document.get("turns").error("turns in order, none beyond turns_total")
    screened = [turn.turn for turn in verdict.screened_out]
    if not _in_order(screened, verdict.turns_total) or not set(screened).isdisjoint(judged):
        raise document.get("screened_out").error(
            "turns in order, none of them judged, none beyond turns_total"
        )
    if not len(judged) + len(screened) <= verdict.turns_selected <= verdict.turns_total:
        raise document.get("turns_selected").error(
            "a number from the judged and screened-out turns to turns_total"
        )
    for key, value in _derived(verdict, passes).items():
        if document.get(key).value != value:
            raise document.get(key).error("what follows from the turns")


def _in_order(numbers: list[int], total: int) -> bool:
    return numbers == sorted(set(numbers)) and (not numbers or numbers[-1] <= total)
