"""Reads the paper's published figures, which ship with the package as data."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from chaperone_cli.domain.metrics.figures import Design
from chaperone_cli.domain.metrics.paper import Paper, PaperLabel, PaperRule


@cache
def published() -> Paper:
    """Gives the figures of Rath, Armstrong and Gorman (2025), from `data/paper.toml`."""
    text = (resources.files("chaperone_cli") / "data" / "paper.toml").read_text("utf-8")
    data = tomllib.loads(text)
    return Paper(
        citation=data["citation"],
        evaluator=data["evaluator"],
        design=_design(data["design"]),
        rules={name: _rule(figures) for name, figures in data["rules"].items()},
    )


def _design(data: dict[str, Any]) -> Design:
    return Design(
        positive="parasocial",
        passes=data["passes"],
        labels=tuple(sorted(data["conversations"].items())),
        turns=(data["turns"],),
        alternating=True,
    )


def _rule(data: dict[str, Any]) -> PaperRule:
    labels = {key: PaperLabel(**value) for key, value in data.items() if key != "accuracy"}
    return PaperRule(data["accuracy"], labels)
