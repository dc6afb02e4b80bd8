"""What changed between two runs, as `comparison.v1` writes it."""

from typing import Any

from chaperone_cli.domain.comparison import (
    Cause,
    Change,
    ChangedConversation,
    Comparison,
    Outcome,
)
from chaperone_cli.domain.run import RunHeader

CONTRACT = "comparison.v1"


def encode_run(header: RunHeader | None) -> dict[str, str] | None:
    """Gives when and by which chaperone a run was made; None where only verdicts were saved."""
    if header is None:
        return None
    return {"started_at": header.started_at, "version": header.version}


def encode_judgement(comparison: Comparison) -> dict[str, Any]:
    """Gives whether evaluator, rubric or rule differ, and, where both runs say it, in what."""
    facets = None
    if comparison.facets is not None:
        facets = [facet._asdict() for facet in comparison.facets]
    return {"changed": comparison.judgement_changed, "facets": facets}


def encode_change(found: ChangedConversation) -> dict[str, Any]:
    """Gives one of the `conversations` of a comparison."""
    return {
        "conversation": found.conversation,
        "changes": [change.value for change in found.changes],
        "cause": found.cause and found.cause.value,
        "old": found.old and _encode_outcome(found.old),
        "new": found.new and _encode_outcome(found.new),
    }


def _encode_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "verdict": outcome.verdict.value,
        "turn": outcome.turn,
        "side": outcome.side and outcome.side.value,
        "turns_total": outcome.turns_total,
    }


def encode_summary(comparison: Comparison) -> dict[str, Any]:
    """Gives the `summary` of a comparison."""
    return {
        "old": comparison.old_total,
        "new": comparison.new_total,
        "changed": comparison.changed,
        "unchanged": comparison.unchanged,
        "changes": {change.value: comparison.changes[change] for change in Change},
        "causes": {cause.value: comparison.causes[cause] for cause in Cause},
    }
