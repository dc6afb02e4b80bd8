import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

from chaperone_cli.errors import InputError
from chaperone_cli.evaluators.local.gate import SIZE
from training import crossfit, dialogues, gates, program

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every fifteenth training dialogue."""
    folder = tmp_path_factory.mktemp("dialogues")
    for path in (program.DATA / "dialogues").glob("*.jsonl"):
        lines = path.read_text("utf-8").splitlines()[::15]
        (folder / path.name).write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.mark.filterwarnings("ignore")
def test_the_same_seed_gives_the_same_bytes(
    few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = ["--encoder", str(program.SHIPPED / "encoder.npz")]
    for name in ("one", "two"):
        to = ["--dialogues", str(few), "--output", str(tmp_path / name)]
        assert program.main([*to, *shipped]) == 0
    for file in ("weights.npz", "encoder.npz", "manifest.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    said = capsys.readouterr().out
    tables = re.findall(r"^(?:both|words), .*:$", said, re.MULTILINE)
    assert tables == 2 * [
        f"{stages}, {which}:"
        for stages in ("both", "words")
        for which in (
            "dialogues voted on turn by turn",
            "dialogues voted on when read to the end",
            "all dialogues",
        )
    ]
    checked = ["--dialogues", str(few), "--output", str(tmp_path / "one"), "--check"]
    assert program.main(checked) == 0
    assert capsys.readouterr().out == (
        "weights: as recorded\ndialogues: as recorded\ndecisions: as recorded\n"
    )


@pytest.mark.filterwarnings("ignore")
def test_whole_files_are_held_out_only_by_encoders_that_were_taught_so(
    few: Path, tmp_path: Path
) -> None:
    arguments = ["--dialogues", str(few), "--kept", str(tmp_path / "none.npz"), "--by-file"]
    with pytest.raises(InputError, match=r"none\.npz cannot be read") as told:
        program.main(arguments)
    assert told.value.hint == "teach the encoder with --teach"


def test_a_file_is_held_out_as_a_whole_and_parts_are_about_alike() -> None:
    known = dialogues.load(program.DATA / "dialogues")
    fold = crossfit.folds_of_files(known, 1)
    assert fold.tolist() == crossfit.folds_of_files(known, 1).tolist()
    parts = {(dialogue.kind, part) for dialogue, part in zip(known, fold.tolist(), strict=True)}
    assert len(parts) == len(dialogues.files(program.DATA / "dialogues"))
    bonds = [dialogue.label == dialogues.PARASOCIAL for dialogue in known]
    for wanted in (True, False):
        counts = [0] * crossfit.FOLDS
        for part, bond in zip(fold.tolist(), bonds, strict=True):
            counts[part] += bond == wanted
        assert max(counts) < 1.5 * min(counts)


def test_the_shipped_weights_decide_as_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--check"]) == 0
    assert capsys.readouterr().out == (
        "weights: as recorded\ndialogues: as recorded\ndecisions: as recorded\n"
    )


@pytest.mark.filterwarnings("ignore")
def test_without_the_encoders_outputs_on_a_dialogue_nothing_is_fitted(
    few: Path, tmp_path: Path
) -> None:
    (tmp_path / "dialogues").mkdir()
    for path in few.glob("*.jsonl"):
        renamed = path.read_text("utf-8").replace('"id": "', '"id": "new-')
        (tmp_path / "dialogues" / path.name).write_text(renamed, "utf-8")
    arguments = ["--dialogues", str(tmp_path / "dialogues"), "--output", str(tmp_path)]
    encoder = ["--encoder", str(program.SHIPPED / "encoder.npz")]
    with pytest.raises(InputError, match="no encoder's outputs were kept of dialogue new-") as told:
        program.main([*arguments, *encoder])
    assert told.value.hint == "teach the encoder with --teach"


def test_a_side_at_which_the_encoder_never_speaks_is_never_passed() -> None:
    random = np.random.default_rng(1)
    numbers, side = random.random((40, SIZE)), np.arange(40) % 2
    speaks = (side == 0) & (numbers.mean(axis=1) > 0.5)
    opened = gates.fit(numbers, speaks, side).open(numbers, side)
    assert opened[side == 0].any()
    assert not opened[side == 1].any()


def test_dialogues_that_teach_nothing_are_refused() -> None:
    numbers, side = np.zeros((4, SIZE)), np.array([0, 1, 0, 1])
    with pytest.raises(InputError, match="these dialogues teach it too little"):
        gates.fit(numbers, np.zeros(4, bool), side)


def test_a_folder_without_dialogues_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no dialogues"):
        dialogues.load(tmp_path)


def test_dialogues_without_votes_are_refused(tmp_path: Path) -> None:
    row: dict[str, object] = {"id": "x", "label": "neutral", "votes": None, "turns": []}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), "utf-8")
    with pytest.raises(InputError, match="dialogue x has no votes"):
        dialogues.load(tmp_path)


def test_a_bond_is_any_cue_that_evidence_may_name() -> None:
    known = dialogues.load(program.DATA / "dialogues")
    romantic = next(d for d in known for cues in d.cues if "a_romantic" in cues)
    turn = next(t for t, cues in enumerate(romantic.cues) if "a_romantic" in cues)
    assert romantic.target(turn, "bond")
    assert romantic.target(turn, "a_romantic")
    assert not romantic.target(turn, "u_delusion")


def test_what_goes_wrong_is_said_in_a_line_and_a_hint(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "training"]
    done = subprocess.run(
        [*command, "--dialogues", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {tmp_path} holds no dialogues")
    assert len(done.stderr.splitlines()) <= 2
    # Stands before the installed one, and says that it is missing.
    (tmp_path / "scipy.py").write_text("raise ModuleNotFoundError(name='scipy')", "utf-8")
    bare = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=_first(tmp_path, ROOT)
    )
    assert bare.stderr == (
        "error: training needs the package scipy\n"
        "  hint: install chaperone with its extra 'train', and with 'teach' for the encoder\n"
    )


def _first(*folders: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
