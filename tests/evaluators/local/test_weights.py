import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.errors import EvaluatorError
from chaperone_cli.evaluators.local import LocalEvaluator
from tests.evaluators.local.judging import RUBRIC, conversation

SHIPPED = Path(__file__).parents[3] / "chaperone_cli" / "data" / "local"
DIALOGUES = SHIPPED.parent / "dialogues"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A copy of the shipped weights that a test may damage."""
    for name in ("weights.npz", "manifest.json"):
        shutil.copy(SHIPPED / name, tmp_path)
    return tmp_path


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SHIPPED / "manifest.json").read_text("utf-8"))
    return found


def test_the_manifest_describes_the_weights_and_what_they_learned_from() -> None:
    data = (SHIPPED / "weights.npz").read_bytes()
    described = manifest()
    assert described["weights"] == {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
    assert len(data) <= 3_000_000
    assert described["training"]["dialogues"] == {
        path.name: sha256(path.read_bytes()).hexdigest() for path in DIALOGUES.glob("*.jsonl")
    }


def test_the_recorded_figures_are_those_the_evaluator_promises() -> None:
    unanimous = manifest()["metrics"]["rules"]["unanimous"]
    assert unanimous["caught"] >= 0.8
    assert unanimous["others_blocked"] <= 0.03
    cues = manifest()["metrics"]["cues"]
    assert all(row["precision"] >= 0.75 for row in cues.values())


@pytest.mark.parametrize("name", ["weights.npz", "manifest.json"])
def test_missing_files_are_an_evaluator_error(name: str, weights: Path) -> None:
    (weights / name).unlink()
    with pytest.raises(EvaluatorError) as caught:
        LocalEvaluator(weights).open(conversation(["Hello"]), RUBRIC)
    assert caught.value.message == (
        f"the local evaluator cannot use {weights}: its {name} cannot be read"
    )
    assert caught.value.hint == (
        "reinstall chaperone, or rebuild the weights with its training program"
    )


def test_other_weights_than_the_manifest_describes_are_refused(weights: Path) -> None:
    with (weights / "weights.npz").open("ab") as file:
        file.write(b"x")
    with pytest.raises(EvaluatorError, match=r"is not the file that manifest\.json describes"):
        LocalEvaluator(weights).open(conversation(["Hello"]), RUBRIC)


def test_weights_of_another_format_are_refused(weights: Path) -> None:
    described = json.loads((weights / "manifest.json").read_text("utf-8"))
    described["format"] = 0
    (weights / "manifest.json").write_text(json.dumps(described), "utf-8")
    with pytest.raises(EvaluatorError, match="its format is not 1"):
        LocalEvaluator(weights)


def test_numpy_is_imported_when_a_conversation_is_opened_and_not_before() -> None:
    code = (
        "import sys; from chaperone_cli.evaluators.local import LocalEvaluator; "
        "LocalEvaluator().identity; sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
