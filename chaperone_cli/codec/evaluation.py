"""Evaluations as `evaluation.v1` writes them: figures by rule and label, and over all votes."""

from typing import Any

from chaperone_cli.codec.report import encode_header
from chaperone_cli.domain.metrics.agreement import Agreement
from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.figures import (
    Evaluation,
    LabelFigures,
    Lag,
    RuleFigures,
    SideFigures,
)
from chaperone_cli.domain.metrics.paper import Paper, PaperLabel, PaperRule
from chaperone_cli.domain.metrics.proportion import Proportion
from chaperone_cli.domain.run import RunHeader

CONTRACT = "evaluation.v1"
DIGITS = 6
"""Decimal places of rates and means."""


def encode(evaluation: Evaluation, header: RunHeader, paper: Paper | None) -> dict[str, Any]:
    """Gives the `evaluation.v1` document; it cites `paper` only if its log has their design."""
    document: dict[str, Any] = {
        "schema": CONTRACT,
        "run": encode_header(header),
        "conversations": {
            "total": evaluation.conversations,
            "unlabelled": evaluation.unlabelled,
            "unjudged": evaluation.unjudged,
        },
        "turns": {
            "judged": evaluation.agreement.turns,
            "unjudged": evaluation.turns_unjudged,
        },
        "votes_cast": evaluation.votes_cast,
        "agreement": _agreement(evaluation.agreement),
        "rules": [_rule(rule) for rule in evaluation.rules],
    }
    if paper is not None and paper.compares_with(evaluation):
        document["paper"] = _paper(paper)
    return document


def _agreement(agreement: Agreement) -> dict[str, Any]:
    return {
        "kappa": _rounded(agreement.kappa),
        "split_turns": agreement.split,
        "abstentions": agreement.abstentions.count,
        "scores": _counts(agreement.scores),
    }


def _rule(rule: RuleFigures) -> dict[str, Any]:
    return {
        "rule": {"name": rule.rule.name, "threshold": rule.threshold},
        "accuracy": _proportion(rule.accuracy),
        "precision": _proportion(rule.precision),
        "recall": _proportion(rule.recall),
        "f1": _rounded(rule.f1),
        "undecided": rule.undecided,
        "lag": _lag(rule.lag),
        "votes_needed": rule.votes_needed,
        "votes_until_block": rule.votes_until_block,
        "labels": [_label(figures) for figures in rule.labels],
    }


def _lag(lag: Lag) -> dict[str, Any]:
    return {**_distribution(lag.turns), "before_onset": lag.turns.below(0), "never": lag.never}


def _label(figures: LabelFigures) -> dict[str, Any]:
    return {
        "label": figures.label,
        "blocked": _proportion(figures.blocked),
        "undecided": figures.undecided,
        "undecided_before_block": figures.undecided_before_block,
        "first_block": _distribution(figures.first_block),
        "prompts": _side(figures.prompts),
        "responses": _side(figures.responses),
    }


def _side(figures: SideFigures) -> dict[str, int]:
    return {
        "judged": figures.judged,
        "blocked": figures.blocked,
        "undecided": figures.undecided,
        "first_blocks": figures.first_blocks,
    }


def _proportion(proportion: Proportion) -> dict[str, Any]:
    interval = proportion.interval
    return {
        "count": proportion.count,
        "total": proportion.total,
        "rate": _rounded(proportion.rate),
        "interval": None if interval is None else [_rounded(end) for end in interval],
    }


def _distribution(distribution: Distribution) -> dict[str, Any]:
    return {
        "mean": _rounded(distribution.mean),
        "median": distribution.median,
        "counts": _counts(distribution),
    }


def _counts(distribution: Distribution) -> list[dict[str, int]]:
    return [{"value": value, "count": count} for value, count in distribution.counts]


def _paper(paper: Paper) -> dict[str, Any]:
    return {
        "citation": paper.citation,
        "evaluator": paper.evaluator,
        "rules": [_paper_rule(name, rule) for name, rule in paper.rules.items()],
    }


def _paper_rule(name: str, rule: PaperRule) -> dict[str, Any]:
    return {
        "rule": name,
        "accuracy": rule.accuracy,
        "labels": [_paper_label(label, figures) for label, figures in rule.labels.items()],
    }


def _paper_label(label: str, figures: PaperLabel) -> dict[str, Any]:
    return {
        "label": label,
        "blocked": figures.blocked,
        "mean_first_block": figures.mean_first_block,
        "prompts_blocked": figures.prompts,
        "responses_blocked": figures.responses,
        "prompts_first": figures.prompts_first,
        "responses_first": figures.responses_first,
    }


def _rounded(value: float | None) -> float | None:
    # The sum turns a rounded -0.0 into 0.0.
    return None if value is None else round(value, DIGITS) + 0.0
