"""The encoder as it is taught: the same arithmetic as at run time, in torch, with gradients.

Conversations are worked through side by side: an utterance attends to itself and the few before it,
so that each is worked through once, as at run time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from chaperone_cli.evaluators.local.encoder import (
    FADING,
    HEADS,
    LONGEST,
    REACH,
    TINY,
    Page,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH: Final = 384
WIDER: Final = 1536
LAYERS: Final = 6
VOCABULARY: Final = 30_522
PLACES: Final = 512
DROPOUT: Final = 0.1
FAR: Final = -1e4
"""Log odds of attention to what must not be seen."""
BLOCK: Final = 96
"""Most pieces that attend in one go; a longer utterance does so by itself."""
NUDGE: Final = 0.02
"""Standard deviation of what is added to tell the two sides apart before anything is learned."""

_PARTS: Final = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "join": "attention.output.dense",
    "join_norm": "attention.output.LayerNorm",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
    "narrow_norm": "output.LayerNorm",
}
"""A layer's parts by their names in the published weights."""


@dataclass(frozen=True)
class Batch:
    """Conversations one after another, piece by piece, none of them padded; all (pieces,)."""

    pieces: Tensor
    places: Tensor
    sides: Tensor
    utterances: Tensor
    """Number of the utterance, from 0 on over all conversations."""
    blocks: "Blocks"

    @classmethod
    def of(
        cls,
        conversations: Sequence[Sequence[Page]],
        hidden: Sequence[Sequence[bool]] | None = None,
    ) -> "Batch":
        """Lays out the pages of conversations; those after one that is `hidden` do without it."""
        pages = [page for conversation in conversations for page in conversation]
        sizes = torch.tensor([len(page.pieces) for page in pages])
        unseen = [False] * len(pages) if hidden is None else [one for row in hidden for one in row]
        return cls(
            pieces=torch.tensor([piece for page in pages for piece in page.pieces]),
            places=torch.cat([torch.arange(len(page.pieces)) for page in pages]),
            sides=torch.tensor([page.side for page in pages]).repeat_interleave(sizes),
            utterances=torch.arange(len(pages)).repeat_interleave(sizes),
            blocks=Blocks.of(list(map(len, conversations)), sizes.tolist(), unseen),
        )


@dataclass(frozen=True)
class Blocks:
    """Neighbouring utterances, each block with what it attends to and nothing else.

    Attention among all pieces of a conversation would cost most of the time, nearly all of it for
    pairs that must not see each other.
    """

    asking: list[int]
    """How many pieces each block has; they follow one another in the batch."""
    asked: list[int]
    """How many pieces each block attends to."""
    reached: Tensor
    """Where those are in the batch, block by block."""
    odds: list[Tensor]
    """What is added to the log odds of attention, per block (heads, asking, asked)."""

    @classmethod
    def of(cls, lengths: Sequence[int], sizes: Sequence[int], hidden: Sequence[bool]) -> "Blocks":
        """Divides conversations of `lengths` utterances, which have `sizes` pieces."""
        starts = np.concatenate([[0], np.cumsum(sizes)])
        owner = np.repeat(np.arange(len(sizes)), sizes)
        unseen = np.array(hidden)
        found = cls([], [], torch.empty(0), [])
        reached: list[NDArray[np.intp]] = []
        for opening, first, last in _blocks(lengths, sizes):
            begin, end = starts[max(opening, first - REACH)], starts[last]
            ask = owner[starts[first] : end, None]
            said = owner[None, begin:end]
            far = ask - said
            seen = (far == 0) | ((far > 0) & (far <= REACH) & ~unseen[said])
            odds = -torch.tensor(FADING)[:, None, None] * torch.tensor(far)
            found.odds.append(odds.masked_fill(~torch.tensor(seen), FAR).bfloat16())
            found.asking.append(len(ask))
            found.asked.append(int(end - begin))
            reached.append(np.arange(begin, end))
        return replace(found, reached=torch.tensor(np.concatenate(reached)))


def _blocks(lengths: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Gives each block's conversation's first utterance, its own first, and the one after."""
    opening = 0
    for length in lengths:
        first, end = opening, opening + length
        for number in range(opening + 1, end + 1):
            if number == end or sum(sizes[first : number + 1]) > BLOCK:
                yield opening, first, number
                first = number
        opening = end


class Layer(nn.Module):
    """One layer of the transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.value, self.join = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.join_norm = nn.LayerNorm(WIDTH, TINY)
        self.widen, self.narrow = nn.Linear(WIDTH, WIDER), nn.Linear(WIDER, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, TINY)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, state: Tensor, blocks: Blocks) -> Tensor:
        """Gives the next state, (pieces, width)."""
        asking, (keys, values) = self.query(state), self._asked(state, blocks)
        mixed = [
            functional.scaled_dot_product_attention(*block)
            for block in zip(
                _heads(asking, blocks.asking),
                _heads(keys, blocks.asked),
                _heads(values, blocks.asked),
                (odds.to(asking.dtype) for odds in blocks.odds),
                strict=True,
            )
        ]
        joined = self.join(torch.cat(mixed, 1).transpose(0, 1).flatten(1))
        state = self.join_norm(state + self.dropout(joined))
        wide = functional.gelu(self.widen(state), approximate="tanh")
        narrow: Tensor = self.narrow_norm(state + self.dropout(self.narrow(wide)))
        return narrow

    def _asked(self, state: Tensor, blocks: Blocks) -> Sequence[Tensor]:
        both = torch.cat([self.key(state), self.value(state)], 1)[blocks.reached]
        parts: Sequence[Tensor] = both.chunk(2, 1)
        return parts


def _heads(rows: Tensor, sizes: list[int]) -> Sequence[Tensor]:
    """Divides rows among blocks, each (heads, pieces, size)."""
    parts: Sequence[Tensor] = torch.split(rows.view(len(rows), HEADS, -1).transpose(0, 1), sizes, 1)
    return parts


class Network(nn.Module):
    """The whole network; starts from the published weights in `base`."""

    def __init__(self, base: Path, outputs: int) -> None:
        super().__init__()
        self.meanings, self.places = (
            nn.Embedding(VOCABULARY, WIDTH),
            nn.Embedding(PLACES, WIDTH),
        )
        self.sides, self.norm = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH, TINY)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.dropout = nn.Dropout(DROPOUT)
        self.head = nn.Linear(3 * WIDTH, outputs)
        nn.init.normal_(self.head.weight, std=NUDGE)
        nn.init.constant_(self.head.bias, -2.0)
        self._start(load_file(base))

    def _start(self, published: Mapping[str, Tensor]) -> None:
        with torch.no_grad():
            for part, name in (("meanings", "word"), ("places", "position")):
                getattr(self, part).weight.copy_(published[f"embeddings.{name}_embeddings.weight"])
            self.sides.weight.normal_(std=NUDGE)
            self.sides.weight += published["embeddings.token_type_embeddings.weight"][0]
            self.norm.weight.copy_(published["embeddings.LayerNorm.weight"])
            self.norm.bias.copy_(published["embeddings.LayerNorm.bias"])
            for number, layer in enumerate(self.layers):
                for part, name in _PARTS.items():
                    for kind in ("weight", "bias"):
                        getattr(getattr(layer, part), kind).copy_(
                            published[f"encoder.layer.{number}.{name}.{kind}"]
                        )

    def forward(self, batch: Batch) -> Tensor:
        """Gives the outputs of every utterance, (utterances, outputs)."""
        state = self.meanings(batch.pieces) + self.places(batch.places) + self.sides(batch.sides)
        state = self.dropout(self.norm(state))
        for layer in self.layers:
            state = layer(state, batch.blocks)
        outputs: Tensor = self.head(self.dropout(_pool(state.float(), batch)))
        return outputs


def _pool(state: Tensor, batch: Batch) -> Tensor:
    """Gives each utterance's first row, mean and maximum side by side."""
    first = (batch.places == 0).nonzero()[:, 0]
    blank = torch.zeros(len(first), WIDTH)
    sizes = torch.bincount(batch.utterances)[:, None]
    mean = blank.index_add(0, batch.utterances, state) / sizes
    which = batch.utterances[:, None].expand(-1, WIDTH)
    highest = torch.full_like(blank, FAR).scatter_reduce(0, which, state, "amax")
    return torch.cat([state[first], mean, highest], dim=1)


def pack(
    network: Network, vocabulary: Sequence[str], kept: Sequence[Sequence[int]]
) -> "dict[str, NDArray[Any]]":
    """Gives the arrays of the encoder's weights file; matrices have eight bits, by output row.

    `kept` names the outputs that are given for a prompt, and for a response.
    """

    def plain(tensor: Tensor) -> "NDArray[np.float32]":
        array: NDArray[np.float32] = tensor.detach().numpy().astype(np.float32)
        return array

    def part(weight: Tensor, bias: Tensor) -> "NDArray[np.float32]":
        return np.stack([plain(weight), plain(bias)])

    found: dict[str, NDArray[Any]] = {
        "vocabulary": np.frombuffer("\n".join(vocabulary).encode(), np.uint8),
        "layers": np.array([len(network.layers)], np.int32),
        "places": plain(network.places.weight)[:LONGEST],
        "sides": plain(network.sides.weight),
        "norm": part(network.norm.weight, network.norm.bias),
        "head": np.stack([plain(network.head.weight)[own].T for own in kept]),
        "head_bias": np.stack([plain(network.head.bias)[own] for own in kept]),
    }
    found["embeddings"], found["embeddings_scale"] = _small(plain(network.meanings.weight))
    for number, layer in enumerate(network.layers):
        attend: list[nn.Linear] = [getattr(layer, name) for name in ("query", "key", "value")]
        matrices = {
            "attend": (
                np.concatenate([plain(linear.weight) for linear in attend]),
                np.concatenate([plain(linear.bias) for linear in attend]),
            ),
            **{
                name: (
                    plain(getattr(layer, name).weight),
                    plain(getattr(layer, name).bias),
                )
                for name in ("join", "widen", "narrow")
            },
        }
        for name, (weight, bias) in matrices.items():
            small, scale = _small(weight)
            found[f"{number}.{name}"], found[f"{number}.{name}_scale"] = small, scale
            found[f"{number}.{name}_bias"] = bias
        for name in ("join_norm", "narrow_norm"):
            norm: nn.LayerNorm = getattr(layer, name)
            found[f"{number}.{name}"] = part(norm.weight, norm.bias)
    return found


def _small(
    matrix: "NDArray[np.float32]",
) -> "tuple[NDArray[np.int8], NDArray[np.float32]]":
    scale = np.maximum(np.abs(matrix).max(axis=1), 1e-12) / 127
    return np.rint(matrix / scale[:, None]).astype(np.int8), scale.astype(np.float32)
