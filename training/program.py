"""Trains the local evaluator and writes its weights and manifest."""

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.evaluators.local import members, model, parts, scoring
from chaperone_cli.evaluators.local.encoder import Encoder
from chaperone_cli.evaluators.local.listener import Listener
from training import (
    base,
    comparison,
    crossfit,
    dialogues,
    gates,
    ledgers,
    npz,
    recipe,
    report,
    taught,
    views,
    vocabulary,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

DATA: Final = Path(__file__).parent / "data"
SHIPPED: Final = Path(__file__).parents[1] / "chaperone_cli" / "data" / "local"
SEED: Final = 1
EVERY: Final = 8
"""Every so many dialogues, the votes of the shipped weights are recorded."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; gives its exit code, 1 where a check fails."""
    options = _parser().parse_args(arguments)
    threadpool_limits(1, user_api="blas")  # sums in the same order on any number of cores
    if options.check:
        return _check(options)
    known = dialogues.load(options.dialogues)
    if options.by_file:
        return _by_file(known, options)
    first = _first_stage(known, crossfit.folds(len(known), options.seed), options)
    kept_at = options.kept or DATA / taught.NAME
    whole, kept = _heard(known, first, kept_at, options, whole=True)
    if whole is None:
        encoder = (options.encoder or options.output / model.ENCODER).read_bytes()
    else:
        encoder = npz.pack(whole, compress=False)
    arrays, metrics = train(known, first, kept, options.seed)
    files = {model.WEIGHTS: npz.pack(arrays), model.ENCODER: encoder}
    decisions = _decisions(model.build(arrays, _encoder(encoder)), known)
    options.output.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (options.output / name).write_bytes(data)
    manifest = _manifest(files, options, kept, metrics, decisions)
    manifest["training"]["out_of_fold"] = sha256(kept_at.read_bytes()).hexdigest()
    text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    (options.output / model.MANIFEST).write_text(text, "utf-8")
    _say(*report.all_lines(metrics))
    _say(*(f"{len(data)} bytes of {name}" for name, data in files.items()))
    return 0


def _by_file(known: Sequence[dialogues.Dialogue], options: argparse.Namespace) -> int:
    """Says how good it is on files that it never saw; writes no weights."""
    first = _first_stage(known, crossfit.folds_of_files(known, options.seed), options)
    kept_at = options.kept or DATA / taught.BY_FILE
    _, kept = _heard(known, first, kept_at, options, whole=False)
    _, metrics = train(known, first, kept, options.seed)
    _say(*report.all_lines(metrics))
    return 0


@dataclass(frozen=True)
class FirstStage:
    """What the first stage makes of the dialogues."""

    words: vocabulary.Vocabulary
    built: views.Design
    fold: "NDArray[np.intp]"
    """Per dialogue."""
    evidence: "NDArray[np.float64]"
    """Of views that never saw the dialogue in question: (parts, views, cues)."""
    numbers: "NDArray[np.float64]"
    """What the gate makes of such evidence: (parts, gate.SIZE)."""


def _first_stage(
    known: Sequence[dialogues.Dialogue], fold: "NDArray[np.intp]", options: argparse.Namespace
) -> FirstStage:
    words = vocabulary.build(dialogues.texts(known), options.lists)
    built = views.design(known, words)
    evidence, best = crossfit.evidence(known, words, built, fold, options.seed)
    return FirstStage(words, built, fold, evidence, gates.numbers(known, evidence, best))


def _heard(
    known: Sequence[dialogues.Dialogue],
    first: FirstStage,
    kept_at: Path,
    options: argparse.Namespace,
    whole: bool,
) -> "tuple[dict[str, NDArray[Any]] | None, taught.Taught]":
    """Gives the encoder taught on everything, where `whole`, and what those without each fold say.

    What they say is kept; where nothing is to be taught or asked, it is only read again.
    """
    if options.teach:
        encoders = taught.teach(known, first.fold, options.seed, options.jobs, whole)
        everything = encoders.pop(taught.WHOLE, None)
        if options.fold_encoders:
            taught.save(encoders, options.fold_encoders, known, first.fold)
    elif options.fold_encoders:
        everything = None
        encoders = taught.restore(options.fold_encoders, known, first.fold)
    else:
        return None, taught.load(kept_at)
    kept = taught.hear(known, first.numbers, first.fold, encoders, options.jobs)
    kept_at.parent.mkdir(parents=True, exist_ok=True)
    kept_at.write_bytes(kept.pack())
    return everything, kept


def train(
    known: Sequence[dialogues.Dialogue],
    first: FirstStage,
    kept: taught.Taught,
    seed: int,
) -> "tuple[dict[str, NDArray[Any]], dict[str, Any]]":
    """Trains on `known`; gives the arrays of the weights file, and what was measured.

    Members are fitted to evidence from views and encoders that never saw the dialogue in question,
    for that is how strong evidence is in use.
    """
    every, asked = kept.of(known)
    everything = np.arange(len(known))
    fitted = views.quantise(*views.fit(first.built, known, everything, seed))
    side = np.array(dialogues.parts(known).sides, np.intp)
    speaks = gates.speaks(every, side)
    gate = gates.fit(first.numbers, speaks, side)
    arrays = views.arrays(first.words, *fitted)
    arrays |= {"gate_weights": gate.weights, "gate_bias": gate.bias}
    of_turns, of_wholes = (
        [n for n, dialogue in enumerate(known) if dialogue.hindsight == later]
        for later in (False, True)
    )
    if not of_turns:  # somebody's own dialogues, all of one sort
        of_turns, of_wholes = of_wholes, of_turns
    metrics: dict[str, Any] = {
        "gate": report.gate(known, speaks, ~np.isnan(asked[:, 0])),
        "onsets": comparison.by_onset([known[number] for number in of_turns]),
        "passes": {
            how: comparison.by_passes([known[number] for number in chosen])
            for how, chosen in (("turn by turn", of_turns), ("when read to the end", of_wholes))
        },
    }
    for stages, outputs, shares in (
        ("both", asked, crossfit.BOTH),
        ("words", None, crossfit.WORDS),
    ):
        heard = crossfit.hear(known, first.evidence, outputs)
        mixing = members.mixing(outputs is not None)
        fit = crossfit.cross_fit(heard, first.fold, mixing, shares, seed)
        weights = ledgers.fit(heard, everything.tolist(), seed)
        levels, cues = report.levels(fit, both=outputs is not None)
        arrays |= {
            f"{stages}.ledger_weights": weights[:, :-1],
            f"{stages}.mixing": mixing,
            f"{stages}.thresholds": fit.thresholds - mixing @ weights[:, -1],
            f"{stages}.levels": levels,
        }
        metrics[stages] = {
            "rules": report.rules(fit, of_turns),
            "hindsight": report.rules(fit, of_wholes) if of_wholes else {},
            "files": report.files(fit),
            "turns": report.turns(fit),
            "cues": cues,
            "screen": report.screening(fit),
        }
    return arrays, metrics


def _encoder(data: bytes) -> Encoder:
    with np.load(BytesIO(data)) as stored:
        return Encoder(dict(stored))


def _decisions(built: model.Model, known: Sequence[dialogues.Dialogue]) -> str:
    """Gives the SHA-256 of the votes on every eighth training dialogue, one line a dialogue."""
    state = sha256()
    for dialogue in known[::EVERY]:
        roles = [Role.ASSISTANT if side else Role.USER for side in dialogue.sides]
        messages = tuple(Message(*said) for said in zip(roles, dialogue.texts, strict=True))
        conversation = Conversation(dialogue.id, messages, Source(dialogue.kind, 1))
        listener = Listener(built, conversation.turns)
        rows: list[str] = []
        while len(rows) < len(conversation.turns):
            margins = listener.read_on().margins
            rows += ["".join(str(int(margin >= 0)) for margin in row) for row in margins]
        state.update(f"{dialogue.id} {' '.join(rows)}\n".encode())
    return state.hexdigest()


def _check(options: argparse.Namespace) -> int:
    """Compares weights, training files and votes with what the manifest says of them."""
    manifest = json.loads((options.output / model.MANIFEST).read_text("utf-8"))
    files = {name: (options.output / name).read_bytes() for name in manifest["files"]}
    with np.load(BytesIO(files[model.WEIGHTS])) as stored:
        built = model.build(dict(stored), _encoder(files[model.ENCODER]))
    votes = _decisions(built, dialogues.load(options.dialogues))
    found = {
        "weights": {name: _described(data) for name, data in files.items()} == manifest["files"],
        "dialogues": dialogues.digests(options.dialogues) == manifest["training"]["dialogues"],
        "decisions": votes == manifest["decisions"]["sha256"],
    }
    _say(*(f"{name}: {'as recorded' if same else 'DIFFERENT'}" for name, same in found.items()))
    return 0 if all(found.values()) else 1


def _described(data: bytes) -> dict[str, str | int]:
    return {"sha256": sha256(data).hexdigest(), "bytes": len(data)}


def _manifest(
    files: dict[str, bytes],
    options: argparse.Namespace,
    kept: taught.Taught,
    metrics: dict[str, Any],
    decisions: str,
) -> dict[str, Any]:
    return {
        "format": model.FORMAT,
        "files": {name: _described(data) for name, data in files.items()},
        "decisions": {"sha256": decisions, "every": EVERY},
        "training": {
            "dialogues": dialogues.digests(options.dialogues),
            "lists": {
                name: sha256((options.lists / name).read_bytes()).hexdigest()
                for name in (vocabulary.CLASSES, vocabulary.FUNCTION_WORDS)
            },
            "base": {"name": base.NAME, "sha256": base.SHA256},
            "torch": kept.torch,
            "seed": options.seed,
        },
        "settings": {
            "views": list(scoring.VIEWS),
            "members": list(members.NAMES),
            "members_without_encoder": list(members.WITHOUT_ENCODER),
            "false_alarms": list(crossfit.BOTH.single),
            "long_false_alarms": list(crossfit.BOTH.long),
            "strength": views.STRENGTH,
            "fewest": vocabulary.FEWEST,
            "folds": crossfit.FOLDS,
            "gate_level": gates.LEVEL,
            "gate_listened": gates.LISTENED,
            "whole": parts.WHOLE,
            "parts": list(parts.LONGEST),
            "chain_lengths": list(ledgers.LENGTHS),
            "cue_floor": report.FLOOR,
            "leaning": list(members.LEANING),
            "encoder": recipe.as_data(),
        },
        "metrics": metrics,
        "versions": {name: version(name) for name in ("numpy", "scikit-learn", "scipy")}
        | {"python": platform.python_version()},
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--dialogues", type=Path, default=DATA / "dialogues")
    parser.add_argument("--lists", type=Path, default=SHIPPED)
    parser.add_argument("--output", type=Path, default=SHIPPED)
    parser.add_argument("--kept", type=Path, help="by default beside the dialogues")
    parser.add_argument("--encoder", type=Path, help="by default the one in the output")
    parser.add_argument(
        "--teach",
        action="store_true",
        help="also teach the encoder anew (an hour or so; needs the extra 'teach')",
    )
    parser.add_argument(
        "--fold-encoders",
        type=Path,
        metavar="FOLDER",
        help="with --teach, also keep the encoders taught without each fold there; without, ask "
        "those kept there anew, as after a change of the gate (a few minutes)",
    )
    parser.add_argument(
        "--by-file",
        action="store_true",
        help="only measure how it does on files none of which it learned from",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="encoders taught or heard at a time, one core each (all cores by default)",
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--check",
        action="store_true",
        help="only compare the output with its manifest",
    )
    return parser


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
