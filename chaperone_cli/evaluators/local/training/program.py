"""Trains the local evaluator and writes its weights and manifest."""

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from chaperone_cli.evaluators.local import ledger, members, model, scoring
from chaperone_cli.evaluators.local.training import (
    crossfit,
    dialogues,
    ledgers,
    npz,
    report,
    views,
    vocabulary,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

DATA: Final = Path(__file__).parents[3] / "data"
SEED: Final = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; gives its exit code, 1 where a check fails."""
    options = _parser().parse_args(arguments)
    if options.check:
        return _check(options)
    known = dialogues.load(options.dialogues)
    arrays, metrics = train(known, options.lists, options.seed)
    data = npz.pack(arrays)
    manifest = _manifest(data, options, metrics, _decisions(arrays, known))
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / model.WEIGHTS).write_bytes(data)
    text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    (options.output / model.MANIFEST).write_text(text, "utf-8")
    _say(*report.lines(metrics["rules"], metrics["cues"]), f"{len(data)} bytes of weights")
    return 0


def train(
    known: Sequence[dialogues.Dialogue], lists: Path, seed: int
) -> "tuple[dict[str, NDArray[Any]], dict[str, Any]]":
    """Trains on `known`; gives the arrays of the weights file, and what was measured.

    Members are fitted to evidence from views that never saw the dialogue in question, for that is
    how strong evidence is in use.
    """
    words = vocabulary.build(dialogues.texts(known), lists)
    built = views.design(known, words)
    fit = crossfit.cross_fit(known, words, built, seed)
    everything = list(range(len(known)))
    weights = ledgers.fit(fit.heard, everything, seed)
    fitted = views.quantise(*views.fit(built, known, np.array(everything), seed))
    levels, cues = report.levels(fit)
    arrays = views.arrays(words, *fitted) | {
        "ledger_weights": weights[:, :-1],
        "thresholds": fit.thresholds - weights[:, -1],
        "levels": levels,
    }
    metrics = {"rules": report.rules(fit), "turns": report.turns(fit), "cues": cues}
    return arrays, metrics


def _decisions(arrays: "dict[str, NDArray[Any]]", known: Sequence[dialogues.Dialogue]) -> str:
    """Gives the SHA-256 of the votes on all training dialogues, one line a dialogue."""
    built = model.build(arrays)
    state = sha256()
    for dialogue in known:
        sides = np.array(dialogue.sides, np.intp)
        heard = members.listen(built.scorer.score(dialogue.texts, dialogue.sides).evidence, sides)
        kept = members.keep(ledger.Ledger(len(members.NAMES)), heard)
        yes = (built.panel.margins(kept.numbers) >= 0).astype(int)
        rows = " ".join("".join(map(str, row)) for row in yes.tolist())
        state.update(f"{dialogue.id} {rows}\n".encode())
    return state.hexdigest()


def _check(options: argparse.Namespace) -> int:
    """Compares weights, training files and votes with what the manifest says of them."""
    manifest = json.loads((options.output / model.MANIFEST).read_text("utf-8"))
    data = (options.output / model.WEIGHTS).read_bytes()
    with np.load(BytesIO(data)) as stored:
        votes = _decisions(dict(stored), dialogues.load(options.dialogues))
    found = {
        "weights": sha256(data).hexdigest() == manifest["weights"]["sha256"],
        "dialogues": dialogues.digests(options.dialogues) == manifest["training"]["dialogues"],
        "decisions": votes == manifest["decisions"]["sha256"],
    }
    _say(*(f"{name}: {'as recorded' if same else 'DIFFERENT'}" for name, same in found.items()))
    return 0 if all(found.values()) else 1


def _manifest(
    data: bytes, options: argparse.Namespace, metrics: dict[str, Any], decisions: str
) -> dict[str, Any]:
    return {
        "format": model.FORMAT,
        "weights": {"sha256": sha256(data).hexdigest(), "bytes": len(data)},
        "decisions": {"sha256": decisions},
        "training": {
            "dialogues": dialogues.digests(options.dialogues),
            "lists": {
                name: sha256((options.lists / name).read_bytes()).hexdigest()
                for name in (vocabulary.CLASSES, vocabulary.FUNCTION_WORDS)
            },
            "seed": options.seed,
        },
        "settings": {
            "views": list(scoring.VIEWS),
            "members": list(members.NAMES),
            "false_alarms": list(crossfit.FALSE_ALARMS),
            "strength": views.STRENGTH,
            "fewest": vocabulary.FEWEST,
            "folds": crossfit.FOLDS,
            "long_false_alarms": list(crossfit.LONG_FALSE_ALARMS),
            "chain_lengths": list(ledgers.LENGTHS),
            "cue_floor": report.FLOOR,
        },
        "metrics": metrics,
        "versions": {name: version(name) for name in ("numpy", "scikit-learn", "scipy")}
        | {"python": platform.python_version()},
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m chaperone_cli.evaluators.local.training", description=__doc__
    )
    parser.add_argument("--dialogues", type=Path, default=DATA / "dialogues")
    parser.add_argument("--lists", type=Path, default=DATA / "local")
    parser.add_argument("--output", type=Path, default=DATA / "local")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--check",
        action="store_true",
        help="only compare the output with its manifest",
    )
    return parser


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
