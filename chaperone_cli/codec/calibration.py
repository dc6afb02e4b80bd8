"""Calibrations as `calibration.v1` writes them: what a screen would have missed at every level."""

from typing import Any

from chaperone_cli.codec.report import encode_header
from chaperone_cli.domain.metrics.calibration import (
    Calibration,
    Counts,
    Displaced,
    LabelFigures,
    LevelFigures,
)
from chaperone_cli.domain.run import RunHeader

CONTRACT = "calibration.v1"


def encode(calibration: Calibration, header: RunHeader, most: float) -> dict[str, Any]:
    """Gives the `calibration.v1` document; `most` is the share that may be displaced."""
    passes = header.protocol.passes
    suggested = calibration.suggested(most)
    return {
        "schema": CONTRACT,
        "run": encode_header(header),
        "conversations": {
            "total": calibration.all.conversations,
            "blocked": calibration.blocked,
        },
        "turns": {
            "total": calibration.all.turns,
            "blocking": calibration.all.blocking,
            "undecided": calibration.all.undecided,
        },
        "votes_cast": calibration.all.votes,
        "max_missed": most,
        "suggested": None if suggested is None else suggested.level,
        "in_force": _level(calibration.in_force, passes),
        "levels": [_level(one, passes) for one in calibration.levels],
        "labels": [_label(one, passes) for one in calibration.labels],
        "displaced": [_displaced(one) for one in calibration.displaced],
    }


def _level(figures: LevelFigures, passes: int) -> dict[str, Any]:
    return {
        "level": figures.level,
        "screened_out": _counts(figures.screened_out, passes),
        "missed": figures.missed,
        "delayed": figures.delayed,
        "delays": [{"value": value, "count": count} for value, count in figures.delays.counts],
    }


def _counts(counts: Counts, passes: int) -> dict[str, int]:
    return {
        "conversations": counts.conversations,
        "turns": counts.turns,
        "blocking": counts.blocking,
        "undecided": counts.undecided,
        "votes": passes * counts.turns,
        "votes_cast": counts.votes,
    }


def _label(figures: LabelFigures, passes: int) -> dict[str, Any]:
    return {
        "label": figures.label,
        "conversations": figures.all.conversations,
        "blocked": figures.blocked,
        "turns": figures.all.turns,
        "screened_out": _counts(figures.figures.screened_out, passes),
        "missed": figures.figures.missed,
        "delayed": figures.figures.delayed,
    }


def _displaced(one: Displaced) -> dict[str, Any]:
    return {
        "conversation": one.conversation,
        "label": one.label,
        "first_block": one.first_block,
        "first_block_screened": one.screened,
    }
