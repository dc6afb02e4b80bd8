"""Evaluations as `evaluation.v1` writes them: figures by rule and label, and over all votes."""

from typing import Any

from chaperone_cli.codec.fields import rounded
from chaperone_cli.codec.pairs import encode_pairs
from chaperone_cli.codec.report import encode_header, encode_left_out
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
from chaperone_cli.domain.selection import LeftOut

CONTRACT = "evaluation.v1"


def encode(
    evaluation: Evaluation, header: RunHeader, paper: Paper | None, left_out: LeftOut
) -> dict[str, Any]:
    """Gives the `evaluation.v1` document; it cites `paper` only if its log has their design.

    `left_out` is what a selection kept from being measured.
    """
    document: dict[str, Any] = {
        "schema": CONTRACT,
        "run": encode_header(header),
        "label": evaluation.design.positive,
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
    if left_out:
        document["left_out"] = encode_left_out(left_out)
    if paper is not None and paper.compares_with(evaluation):
        document["paper"] = _paper(paper)
    return document


def _agreement(agreement: Agreement) -> dict[str, Any]:
    return {
        "kappa": rounded(agreement.kappa),
        "split_turns": agreement.split,
        "abstentions": agreement.abstentions.count,
        "scores": _counts(agreement.scores),
        "pairs": encode_pairs(agreement.pairs),
    }


def _rule(rule: RuleFigures) -> dict[str, Any]:
    return {
        "rule": {"name": rule.rule.name, "threshold": rule.threshold},
        "accuracy": _proportion(rule.accuracy),
        "precision": _proportion(rule.precision),
        "recall": _proportion(rule.recall),
        "f1": rounded(rule.f1),
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
        "rate": rounded(proportion.rate),
        "interval": None if interval is None else [rounded(end) for end in interval],
    }


def _distribution(distribution: Distribution) -> dict[str, Any]:
    return {
        "mean": rounded(distribution.mean),
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
