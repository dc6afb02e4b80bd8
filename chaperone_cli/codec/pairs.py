"""How far votes agree, as `report.v1` and `evaluation.v1` write it: pair by pair, and figures."""

from typing import Any

from chaperone_cli.codec.fields import Node, rounded
from chaperone_cli.domain.metrics.pairs import Pair, PairCount, PairFigures


def encode_pairs(figures: PairFigures) -> dict[str, Any]:
    """Gives the `agreement` of a report's summary."""
    return {
        "turns": figures.turns,
        "split_turns": figures.split,
        **_derived(figures),
        "by_pair": [
            {"passes": list(passes), **pair._asdict()} for passes, pair in figures.pairs.items()
        ],
    }


def _derived(figures: PairFigures) -> dict[str, Any]:
    """Gives what follows from the counts, for readers who would rather not work it out."""
    return {
        "alike": figures.alike.count,
        "compared": figures.alike.total,
        "abstained": figures.abstained,
        "correlation": rounded(figures.correlation),
        "independent_votes": rounded(figures.independent_votes),
    }


def decode_pairs(node: Node | None, passes: int) -> PairCount:
    """Reads the `agreement` of a report over `passes` votes a turn, empty where there is none.

    Raises InputError, also where the figures do not follow from the counts.
    """
    if node is None:
        return PairCount()
    count = PairCount(node.get("turns").integer(1), node.get("split_turns").integer())
    for entry in node.get("by_pair").items():
        entry.only("passes", *Pair._fields)
        one, other = _passes(entry.get("passes"), passes)
        counts = [entry.get(name).integer() for name in Pair._fields]
        if sum(counts) != count.turns:
            raise entry.error(f"counts of {count.turns} turns in all")
        count.pairs[one, other] = counts
    derived = _derived(count.figures())
    node.only("turns", "split_turns", *derived, "by_pair")
    for key, value in derived.items():
        if node.get(key).value != value:
            raise node.get(key).error("what follows from the pairs")
    return count


def _passes(node: Node, passes: int) -> tuple[int, int]:
    numbers = [number.integer(1) for number in node.items()]
    if len(numbers) != 2 or not numbers[0] < numbers[1] <= passes:
        raise node.error(f"two passes of {passes}, the lower one first")
    return numbers[0], numbers[1]
