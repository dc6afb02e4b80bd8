"""Strategies side by side: what each makes of the same responses, and which does best."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean

from chaperone_cli.domain.passage import words
from chaperone_cli.domain.rephrasing import Rephrasing, Result
from chaperone_cli.domain.rewrite import Draft


@dataclass(frozen=True)
class Standing:
    """What one strategy came to, over all responses that it was tried on."""

    strategy: str
    targets: int
    passing: int
    irreparable: int
    """Responses whose place no reply could take without being blocked."""
    score_drop: float
    """Yes votes that the best rewrite lies below the original, on average."""
    topic_kept: float
    """The share of the best rewrites that keep the topic, from 0 to 1."""
    length_change: float
    """Words of the best rewrite less those of the original, on average."""

    @property
    def pass_rate(self) -> float:
        """The share of responses that could be repaired whose rewrite passes, from 0 to 1."""
        repairable = self.targets - self.irreparable
        return self.passing / repairable if repairable else 0.0


def rank(rephrasings: Iterable[Rephrasing]) -> tuple[Standing, ...]:
    """Ranks strategies by pass rate, score drop, topic kept and brevity, the best first."""
    by_strategy: dict[str, list[Rephrasing]] = {}
    for one in rephrasings:
        by_strategy.setdefault(one.strategy.id, []).append(one)
    standings = [_standing(name, found) for name, found in by_strategy.items()]
    return tuple(sorted(standings, key=_order))


def length_change(one: Rephrasing) -> int:
    """The words of the best rewrite less those of the original; 0 where there is none."""
    best = one.best
    if best is None or not isinstance(best.outcome, Draft):
        return 0
    return len(words(best.outcome.text)) - len(words(one.target.turn.text))


def keeps_topic(one: Rephrasing) -> bool:
    """Whether the best rewrite keeps the topic."""
    checks = one.best.checks if one.best else ()
    return any(check.name == "topic_kept" and check.passed for check in checks)


def _standing(name: str, found: list[Rephrasing]) -> Standing:
    results = [one.result for one in found]
    return Standing(
        name,
        len(found),
        results.count(Result.PASSING),
        results.count(Result.IRREPARABLE),
        mean(one.score_drop for one in found),
        mean(keeps_topic(one) for one in found),
        mean(length_change(one) for one in found),
    )


def _order(standing: Standing) -> tuple[float, float, float, float, str]:
    return (
        -standing.passing / standing.targets,
        -standing.score_drop,
        -standing.topic_kept,
        abs(standing.length_change),
        standing.strategy,
    )
