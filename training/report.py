"""The figures of a training run: what is caught, what is blocked wrongly, when, and which cues."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from chaperone_cli.domain.rule import RULES, Rule
from chaperone_cli.domain.screening import REACH, neighbourhoods
from chaperone_cli.evaluators.local.cues import CORPUS_NAMES, WIDTH
from chaperone_cli.evaluators.local.evidence import witness
from training import comparison
from training.comparison import UNANIMOUS, share
from training.crossfit import CrossFit
from training.dialogues import (
    PARASOCIAL,
    Dialogue,
    columns,
    part_counts,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPARED: Final = ("counselling-negatives", "carers-and-crisis")
"""Kinds whose false alarms are told apart: warm, personal talk without a bond."""
FLOOR: Final = 0.75
"""Precision that a cue must have to be named in evidence."""
FEWEST: Final = 30
"""Yes votes that must name a cue before its precision counts as measured."""
SCREEN_LEVELS: Final = (-3.1, -3.0, -2.9, -2.5, -2.0, -1.0, 0.0)
"""Suspicions from which a screen might pass turns on."""
LEVELS: Final = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
"""Evidence from which a cue might be named; the lowest that keeps the floor is taken."""


def rules(fit: CrossFit, chosen: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Measures every rule on the dialogues numbered `chosen`."""
    return {rule.name: _rule(fit, chosen, rule) for rule in RULES}


def files(fit: CrossFit) -> dict[str, dict[str, list[int]]]:
    """Counts by file the dialogues that are blocked under unanimity, with a bond and without."""
    found: dict[str, dict[str, list[int]]] = {}
    for number, dialogue in enumerate(fit.heard.dialogues):
        row = found.setdefault(dialogue.kind, {"caught": [0, 0], "others": [0, 0]})
        counts = row["caught" if dialogue.label == PARASOCIAL else "others"]
        counts[0] += bool(blocks(fit.yes(number), UNANIMOUS).any())
        counts[1] += 1
    return found


def blocks(yes: "NDArray[np.bool_]", rule: Rule) -> "NDArray[np.bool_]":
    """Says at which turns members block by `rule`; `yes` is (turns, members)."""
    found: NDArray[np.bool_] = yes.sum(axis=1) >= rule.threshold(yes.shape[1])
    return found


def _rule(fit: CrossFit, chosen: Sequence[int], rule: Rule) -> dict[str, Any]:
    dialogues = [fit.heard.dialogues[number] for number in chosen]
    verdicts = [blocks(fit.yes(number), rule) for number in chosen]
    blocked = np.array([turns.any() for turns in verdicts])
    labels = np.array([dialogue.label for dialogue in dialogues])
    kinds = np.array([dialogue.kind for dialogue in dialogues])
    others = labels != PARASOCIAL
    never = np.array([dialogue.first_yes is None for dialogue in dialogues])
    long = [
        blocks(odds >= fit.thresholds, rule).any()
        for odds, start in zip(fit.long, fit.long_from, strict=True)
        if start in chosen
    ]
    return {
        "caught": share(blocked[labels == PARASOCIAL]),
        "others_blocked": share(blocked[others]),
        "without_yes_blocked": share(blocked[never]),
        "long_blocked": share(np.array(long)),
        "by_label": {
            label: [int(blocked[labels == label].sum()), int((labels == label).sum())]
            for label in sorted(set(labels.tolist()))
        },
        "by_kind": {
            kind: [
                int((blocked & others & (kinds == kind)).sum()),
                int((others & (kinds == kind)).sum()),
            ]
            for kind in SPARED
            if kind in kinds
        },
        **comparison.with_votes(dialogues, verdicts),
        "passes": comparison.with_passes(dialogues, verdicts, rule),
    }


def turns(fit: CrossFit) -> dict[str, float]:
    """Measures agreement, turn by turn: of the rules with the language model, and of members.

    `worth` is the number of independent votes that the members amount to, N / (1 + (N - 1) rho)
    with the mean correlation rho of two members' votes (Kish, 1965).
    """
    yes = np.concatenate([fit.yes(number) for number in range(len(fit.odds))])
    wanted = np.concatenate([dialogue.votes for dialogue in fit.heard.dialogues]) > 0
    count = yes.sum(axis=1)
    pairs = np.triu_indices(yes.shape[1], 1)
    alike = (yes[:, pairs[0]] == yes[:, pairs[1]]).mean()
    rho = float(np.asarray(np.corrcoef(yes.T.astype(np.float64)))[pairs].mean())
    return {
        **{f"agreement_{rule.name}": share(blocks(yes, rule) == wanted) for rule in RULES[:2]},
        "split": share((count > 0) & (count < yes.shape[1])),
        "pairs_alike": round(float(alike), 4),
        "worth": round(yes.shape[1] / (1 + (yes.shape[1] - 1) * rho), 2),
    }


def levels(fit: CrossFit, both: bool) -> "tuple[NDArray[np.float64], dict[str, dict[str, float]]]":
    """Finds for each cue the lowest evidence from which naming it keeps the floor.

    A cue is named rightly at a yes vote where some turn so far was labelled with it.
    """
    chosen = np.full(2 * WIDTH, np.inf)
    measured: dict[str, dict[str, float]] = {}
    strength, present = _at_yes_votes(fit, both)
    for column, name in enumerate(name for side in (0, 1) for name in columns(side)):
        if name not in CORPUS_NAMES:
            continue
        for level in LEVELS:
            named = strength[:, column] >= level
            if named.sum() >= FEWEST and present[named, column].mean() >= FLOOR:
                chosen[column] = level
                measured[CORPUS_NAMES[name].value] = {
                    "level": level,
                    "precision": share(present[named, column]),
                    "recall": share(named[present[:, column]]),
                }
                break
    return chosen, measured


def _at_yes_votes(fit: CrossFit, both: bool) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
    """Gives the cues' strengths at every yes vote, and whether a turn so far shows them."""
    names = [name for side in (0, 1) for name in columns(side)]
    strength: list[NDArray[np.float64]] = []
    present: list[NDArray[np.bool_]] = []
    for number, dialogue in enumerate(fit.heard.dialogues):
        yes = fit.yes(number)
        if not yes.any():
            continue
        so_far = np.logical_or.accumulate(
            [[name in cues for name in names] for cues in dialogue.cues]
        )
        numbers = fit.heard.numbers([number])
        turns, who = yes.nonzero()
        strength.append(witness(numbers, turns.tolist(), who.tolist(), both))
        present.append(so_far[turns])
    return np.concatenate(strength), np.concatenate(present)


def gate(
    dialogues: Sequence[Dialogue],
    speaks: "NDArray[np.bool_]",
    passed: "NDArray[np.bool_]",
) -> dict[str, float]:
    """Measures the gate, by part: which pass, and which of those that the encoder `speaks` at do.

    Then of how many parasocial dialogues that have such a part one passes at least.
    """
    cuts = np.cumsum(part_counts(dialogues))[:-1]
    heard = [
        (said.any(), (said & through).any())
        for dialogue, said, through in zip(
            dialogues, np.split(speaks, cuts), np.split(passed, cuts), strict=True
        )
        if dialogue.label == PARASOCIAL
    ]
    return {
        "passed": share(passed),
        "recall": share(passed[speaks]),
        "dialogues": sum(bool(said) for said, _ in heard),
        "dialogues_kept": sum(bool(kept) for _, kept in heard),
    }


def screening(fit: CrossFit) -> dict[str, dict[str, float]]:
    """Measures by level what a screen passes on, and what it costs.

    Of the dialogues in which the language model once says yes: those of which it is not asked at
    any such turn, and those of which it is asked at a later one first.
    """
    near = [
        np.array(list(neighbourhoods((odds - fit.thresholds).max(axis=1).tolist(), REACH)))
        for odds in fit.odds
    ]
    bonded = [number for number, one in enumerate(fit.heard.dialogues) if one.first_yes]
    found: dict[str, dict[str, float]] = {}
    for level in SCREEN_LEVELS:
        late = [_late(fit.heard.dialogues[number], near[number] >= level) for number in bonded]
        found[f"{level:g}"] = {
            "passed": share(np.concatenate(near) >= level),
            "missed": late.count(None),
            "delayed": sum(1 for turns in late if turns),
            "most": max((turns for turns in late if turns), default=0),
        }
    return found


def _late(dialogue: Dialogue, passed: "NDArray[np.bool_]") -> int | None:
    """Gives by how many turns the first yes is late where only turns `passed` on are asked."""
    seen = (np.array(dialogue.votes, bool) & passed).nonzero()[0]
    return int(seen[0]) + 1 - (dialogue.first_yes or 0) if len(seen) else None


def screening_lines(measured: Mapping[str, Mapping[str, float]]) -> Sequence[str]:
    """Gives the figures of a screen as lines to read."""
    return [
        "level passed missed delayed most",
        *(
            f"{level:>5} {row['passed']:6.3f} {row['missed']:6} {row['delayed']:7} {row['most']:4}"
            for level, row in measured.items()
        ),
    ]


def all_lines(metrics: Mapping[str, Any]) -> Sequence[str]:
    """Gives all that was measured as lines to read."""
    found: list[str] = []
    for stages in ("both", "words"):
        measured = metrics[stages]
        found += [f"{stages}, dialogues voted on turn by turn:", *_rule_lines(measured["rules"])]
        if measured["hindsight"]:
            found += [
                f"{stages}, dialogues voted on when read to the end:",
                *_rule_lines(measured["hindsight"]),
            ]
        found += [f"{stages}, all dialogues:", *_file_lines(measured["files"])]
        found += [*_cue_lines(measured["cues"]), _pairs(measured["turns"])]
        found += screening_lines(measured["screen"])
    found += [
        "dialogues voted on turn by turn, labelled onsets:",
        _LAG,
        *_onset_lines(metrics["onsets"]),
    ]
    for how, rows in metrics["passes"].items():
        found += [f"dialogues voted on {how}, further passes:", f"caught others {_LAG}"]
        found += [f"{row['caught']:6.3f} {row['others_blocked']:6.3f} {_lag(row)}" for row in rows]
    return [*found, f"gate: {_pairs(metrics['gate'])}"]


def _pairs(measured: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value}" for name, value in measured.items())


def _rule_lines(measured: Mapping[str, Mapping[str, Any]]) -> Sequence[str]:
    found = [f"{'rule':13}caught others no-yes   long  {_LAG}  by label"]
    for rule, row in measured.items():
        labels = "  ".join(f"{label} {a}/{b}" for label, (a, b) in row["by_label"].items())
        found.append(
            f"{rule:13}{row['caught']:6.3f} {row['others_blocked']:6.3f} "
            f"{row['without_yes_blocked']:6.3f} {row['long_blocked']:6.3f}  {_lag(row)}  {labels}"
        )
    for rule, row in measured.items():
        if row["passes"]:
            found.append(f"{rule:13}against all passes by this rule:{_lag(row['passes'])}")
    for rule, row in measured.items():
        kinds = "  ".join(f"{kind} {a}/{b}" for kind, (a, b) in row["by_kind"].items())
        if kinds:
            found.append(f"{rule:13}blocked of {kinds}")
    return found


_LAG: Final = "lag: mean median at-prompts at-responses  kappa behind-onset"


def _onset_lines(row: Mapping[str, Any]) -> Sequence[str]:
    against = [f"against all passes, unanimous:{_lag(row['passes'])}"] if row["passes"] else []
    return [_lag(row), *against]


def _lag(row: Mapping[str, float]) -> str:
    return (
        f"{row['lag_mean']:9.2f} {row['lag_median']:6.1f} {row['lag_at_prompts']:10.2f} "
        f"{row['lag_at_responses']:12.2f} {row['kappa']:6.3f}"
    ) + (f" {row['lag_behind_onset']:12.2f}" if "lag_behind_onset" in row else "")


def _file_lines(measured: Mapping[str, Mapping[str, Sequence[int]]]) -> Sequence[str]:
    return [
        f"{'file (unanimous)':26} caught others",
        *(
            f"{name:26}{row['caught'][0]:3}/{row['caught'][1]:<3}{row['others'][0]:3}/"
            f"{row['others'][1]}"
            for name, row in measured.items()
        ),
    ]


def _cue_lines(measured: Mapping[str, Mapping[str, float]]) -> Sequence[str]:
    return [
        f"{'cue':18}level precision recall",
        *(
            f"{name:18}{row['level']:5.2f} {row['precision']:9.2f} {row['recall']:6.2f}"
            for name, row in measured.items()
        ),
    ]
