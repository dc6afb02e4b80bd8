"""The encoder as it is taught: the same arithmetic as at run time, in torch, with gradients.

A conversation is one row: an utterance attends to itself and the few before it through a mask, so
that each is worked through once, as at run time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
class Rows:
    """Conversations side by side, one a row, padded to the longest; all (rows, pieces)."""

    pieces: Tensor
    places: Tensor
    sides: Tensor
    utterances: Tensor
    """Number of the utterance, -1 for padding."""
    alone: Tensor
    """True where an utterance must do without those before it."""

    @classmethod
    def of(
        cls,
        conversations: Sequence[Sequence[Page]],
        alone: Sequence[Sequence[bool]] | None = None,
    ) -> "Rows":
        """Lays out the pages of conversations."""
        longest = max(sum(len(page.pieces) for page in pages) for pages in conversations)
        numbers = torch.zeros(4, len(conversations), longest, dtype=torch.long)
        numbers[3] = -1
        blind = torch.zeros(len(conversations), longest, dtype=torch.bool)
        for row, pages in enumerate(conversations):
            stop = 0
            for number, page in enumerate(pages):
                start, stop = stop, stop + len(page.pieces)
                numbers[0, row, start:stop] = torch.tensor(page.pieces)
                numbers[1, row, start:stop] = torch.arange(stop - start)
                numbers[2, row, start:stop] = page.side
                numbers[3, row, start:stop] = number
                blind[row, start:stop] = alone is not None and alone[row][number]
        return cls(numbers[0], numbers[1], numbers[2], numbers[3], blind)

    def attention(self) -> Tensor:
        """Gives what is added to the log odds of attention, (rows, heads, pieces, pieces)."""
        far = self.utterances[:, :, None] - self.utterances[:, None, :]
        seen = (far >= 0) & (far <= REACH) & (self.utterances[:, None, :] >= 0)
        seen &= ~((far > 0) & self.alone[:, :, None])
        seen |= torch.eye(far.shape[1], dtype=torch.bool)[None]
        fading = torch.tensor(FADING)[None, :, None, None]
        return (-fading * far[:, None].clamp(0, REACH)).masked_fill(~seen[:, None], FAR)


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

    def forward(self, state: Tensor, attention: Tensor) -> Tensor:
        """Gives the next state, (rows, pieces, width)."""
        rows, pieces, _ = state.shape

        def heads(part: Tensor) -> Tensor:
            return part.view(rows, pieces, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = (heads(part(state)) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=attention.to(query.dtype)
        )
        joined = self.join(mixed.transpose(1, 2).reshape(rows, pieces, WIDTH))
        state = self.join_norm(state + self.dropout(joined))
        wide = functional.gelu(self.widen(state), approximate="tanh")
        narrow: Tensor = self.narrow_norm(state + self.dropout(self.narrow(wide)))
        return narrow


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

    def forward(self, rows: Rows) -> Tensor:
        """Gives the outputs of every utterance, (rows, utterances, outputs)."""
        state = self.meanings(rows.pieces) + self.places(rows.places) + self.sides(rows.sides)
        state = self.dropout(self.norm(state))
        attention = rows.attention()
        for layer in self.layers:
            state = layer(state, attention)
        outputs: Tensor = self.head(self.dropout(_pool(state.float(), rows)))
        return outputs


def _pool(state: Tensor, rows: Rows) -> Tensor:
    """Gives each utterance's first row, mean and maximum side by side."""
    count, most = len(state), int(rows.utterances.max()) + 1
    bins = count * (most + 1)
    number = torch.where(rows.utterances >= 0, rows.utterances, most)
    index = (torch.arange(count)[:, None] * (most + 1) + number).view(-1)
    flat = state.reshape(-1, WIDTH)
    blank = torch.zeros(bins, WIDTH)
    sizes = torch.zeros(bins, 1).index_add(0, index, torch.ones(len(index), 1))
    mean = blank.index_add(0, index, flat) / sizes.clamp(min=1)
    highest = torch.full_like(blank, FAR).scatter_reduce(
        0, index[:, None].expand(-1, WIDTH), flat, "amax"
    )
    opening = ((rows.places == 0) & (rows.utterances >= 0)).view(-1, 1)
    first = blank.index_add(0, index, flat * opening)
    pooled = torch.where(sizes > 0, torch.cat([first, mean, highest], dim=1), 0.0)
    return pooled.view(count, most + 1, -1)[:, :most]


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
