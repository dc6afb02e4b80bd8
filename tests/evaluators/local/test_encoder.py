import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chaperone_cli.evaluators.local import model
from chaperone_cli.evaluators.local.context import Context
from chaperone_cli.evaluators.local.encoder import LONGEST, REACH, Encoder
from chaperone_cli.evaluators.local.evaluator import LocalSession
from tests.evaluators.local.judging import ALL, conversation, sides


@pytest.fixture(scope="module")
def encoder(loaded: model.Model) -> Encoder:
    assert loaded.encoder is not None
    return loaded.encoder


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Embeddings!", ["em", "##bed", "##ding", "##s", "!"]),
        ("naïve CAFÉ", ["naive", "cafe"]),
        ("don't", ["don", "'", "t"]),
        ("東京 tower", ["東", "京", "tower"]),
        ("a\u200bb\tc\n", ["ab", "c"]),
        ("x" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_text_is_split_as_the_base_model_was_taught(
    text: str, pieces: list[str], loaded: model.Model, encoder: Encoder
) -> None:
    with np.load(model.Source.at(None).folder / model.ENCODER) as arrays:
        names = arrays["vocabulary"].tobytes().decode("utf-8").split("\n")
    assert [names[number] for number in encoder.words.numbers(text)] == pieces


def test_of_a_text_of_many_pieces_both_ends_are_read(encoder: Encoder) -> None:
    middle = "filler " * 5_000
    page = encoder.page(f"I love you {middle} goodbye", 0)
    assert len(page.pieces) == LONGEST
    assert page.pieces[1:4] == tuple(encoder.words.numbers("I love you"))
    assert page.pieces[-2:-1] == tuple(encoder.words.numbers("goodbye"))


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_outputs_do_not_depend_on_how_turns_are_bundled(
    data: st.DataObject, encoder: Encoder, dialogues: Sequence[Sequence[str]]
) -> None:
    texts = dialogues[data.draw(st.integers(0, len(dialogues) - 1))]
    drawn = data.draw(st.integers(0, 2 ** len(texts) - 1))
    wanted = [bool(drawn >> place & 1) for place in range(len(texts))]
    cut = data.draw(st.integers(0, len(texts)))
    whole = Context(encoder).advance(texts, sides(texts), wanted)
    context = Context(encoder)
    parts = [
        context.advance(texts[part], sides(texts)[part], wanted[part])
        for part in (slice(0, cut), slice(cut, None))
    ]
    close(np.concatenate(parts), whole)
    assert np.array_equal(np.isnan(whole).any(axis=1), ~np.array(wanted))


@pytest.mark.parametrize("asked_too", [True, False])
@pytest.mark.parametrize("far", range(1, 10))
def test_an_utterance_is_read_with_those_asked_about_shortly_before(
    far: int, asked_too: bool, encoder: Encoder
) -> None:
    texts = [f"Sentence number {n}, about nothing much." for n in range(10)]
    other = list(texts)
    other[9 - far] = "I love you more than anyone."
    wanted = [place == 9 or (asked_too and place == 9 - far) for place in range(10)]
    one, two = (Context(encoder).advance(said, sides(said), wanted)[-1] for said in (texts, other))
    assert np.allclose(one, two, atol=1e-4) == (far > REACH or not asked_too)


def test_a_conversation_holds_on_to_no_more_than_the_last_utterances(encoder: Encoder) -> None:
    context = Context(encoder)
    texts = ["I miss you.", "I miss you too."] * 30
    context.advance(texts, sides(texts), [True] * len(texts))
    assert len(context._recent) == REACH


def test_without_the_encoder_the_first_stage_votes_alone(
    dialogues: Sequence[Sequence[str]],
) -> None:
    source = model.Source.at(None)
    words = model.Source(source.folder, source.digests, encoder=False).model
    assert words.encoder is None

    async def last(texts: Sequence[str]) -> int:
        asked = conversation(texts)
        found = await LocalSession(words, asked).vote(asked.turns[-1], ALL)
        return sum(vote.answer.value == "yes" for vote in found)

    counts = [asyncio.run(last(texts)) for texts in dialogues]
    assert 5 in counts
    assert 0 in counts


def close(found: Any, expected: Any) -> None:
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.allclose(np.nan_to_num(found), np.nan_to_num(expected), atol=1e-4)
