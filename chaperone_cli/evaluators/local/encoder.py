"""The second stage: a small transformer that reads an utterance with the ones before it.

It has the shape and started from the weights of all-MiniLM-L6-v2 (Wang et al., 2020), and was then
taught on the labelled dialogues. An utterance attends to itself and, ever more faintly, to the few
before it, whose keys and values are kept: each utterance is worked through once, at a cost that
does not depend on the length of the conversation. What is called an utterance here is a part of one
where it is long. Written in numpy, with weights of eight bits that are widened when loaded: the
runtimes that would do it faster weigh more than all the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chaperone_cli.evaluators.local.wordpiece import WordPieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LONGEST: Final = 128
"""Pieces that are read of a text, marks included; of more, its beginning and its end, half each."""
REACH: Final = 4
"""Utterances before it that an utterance attends to, where they were worked through."""
HEADS: Final = 12
FADING: Final = (0.0,) * 3 + (0.5,) * 3 + (1.5,) * 3 + (6.0,) * 3
"""By how much each head's attention falls with every utterance further back (log odds)."""
TINY: Final = 1e-12
"""Keeps the normalisation of a constant row finite."""


class Page(NamedTuple):
    """One utterance as the encoder takes it."""

    pieces: tuple[int, ...]
    side: int
    """0 for a prompt, 1 for a response."""


class Memory(NamedTuple):
    """What later utterances may attend to of an utterance: per layer, (heads, size, pieces)."""

    keys: "list[Floats]"
    values: "list[Floats]"
    """Per layer, (heads, pieces, size)."""


@dataclass(frozen=True)
class Layer:
    """The weights of one layer; matrices are (in, out)."""

    attend: "Floats"
    """Queries, keys and values side by side."""
    attend_bias: "Floats"
    join: "Floats"
    join_bias: "Floats"
    join_norm: "Floats"
    """Scale and shift, (2, width)."""
    widen: "Floats"
    widen_bias: "Floats"
    narrow: "Floats"
    narrow_bias: "Floats"
    narrow_norm: "Floats"


class Encoder:
    """The trained network; the same for every conversation."""

    def __init__(self, arrays: "Mapping[str, NDArray[Any]]") -> None:
        """Takes the arrays of the encoder's weights file."""
        import numpy as np

        self.words = WordPieces(arrays["vocabulary"].tobytes().decode("utf-8").split("\n"))
        self._embeddings = arrays["embeddings"]
        self._embedding_scale = arrays["embeddings_scale"].astype(np.float32)
        self._places = arrays["places"].astype(np.float32)
        """(pieces, width): what is added by position."""
        self._sides = arrays["sides"].astype(np.float32)
        self._norm = arrays["norm"].astype(np.float32)
        self._layers = [_layer(arrays, number) for number in range(int(arrays["layers"][0]))]
        self._head = arrays["head"].astype(np.float32)
        self._head_bias = arrays["head_bias"].astype(np.float32)
        self.outputs = self._head.shape[2]
        """Numbers given per utterance."""

    def page(self, text: str, side: int) -> Page:
        """Splits an utterance into the pieces that are read of it."""
        room = LONGEST - 2
        pieces = self.words.numbers(text)
        if len(pieces) > room:
            pieces = [*pieces[: room // 2], *pieces[len(pieces) - (room - room // 2) :]]
        return Page((self.words.start, *pieces, self.words.end), side)

    def read(
        self, pages: Sequence[Page], reaches: Sequence[Sequence[int]], before: Sequence[Memory]
    ) -> "tuple[Floats, list[Memory]]":
        """Works through utterances in one go.

        `reaches` gives, per page and by distance 1 upwards, which utterances it attends to, as
        numbers into `before` followed by `pages`; -1 where one was not worked through. A page
        attends only to earlier ones. Gives the outputs of the pages, (pages, outputs), and what
        later ones may attend to of each.
        """
        import numpy as np

        lengths = [len(page.pieces) for page in pages]
        stops = np.cumsum(lengths).tolist()
        spans = [(stop - length, stop) for length, stop in zip(lengths, stops, strict=True)]
        state = self._embed(pages)
        memories = [Memory([], []) for _ in pages]
        known = [*before, *memories]
        sizes = [*(memory.keys[0].shape[2] for memory in before), *lengths]
        seen = [
            [(own, 0), *((at, far) for far, at in enumerate(reach, 1) if at >= 0)]
            for own, reach in enumerate(reaches, len(before))
        ]
        fading = [_fading([(far, sizes[at]) for at, far in row]) for row in seen]
        for number, layer in enumerate(self._layers):
            query, key, value = _split(_linear(state, layer.attend, layer.attend_bias))
            for memory, (start, stop) in zip(memories, spans, strict=True):
                memory.keys.append(np.ascontiguousarray(key[:, start:stop].transpose(0, 2, 1)))
                memory.values.append(np.ascontiguousarray(value[:, start:stop]))
            mixtures: list[Floats] = []
            for row, faded, (start, stop) in zip(seen, fading, spans, strict=True):
                keys = np.concatenate([known[at].keys[number] for at, _ in row], axis=2)
                values = np.concatenate([known[at].values[number] for at, _ in row], axis=1)
                weights = query[:, start:stop] @ keys
                weights -= faded
                weights -= weights.max(axis=2, keepdims=True)
                np.exp(weights, out=weights)
                mixed = weights @ values
                mixed /= weights.sum(axis=2, keepdims=True)
                mixtures.append(mixed.transpose(1, 0, 2).reshape(stop - start, -1))
            joined = _linear(np.concatenate(mixtures), layer.join, layer.join_bias)
            joined += state
            state = _norm(joined, layer.join_norm)
            wide = _gelu(_linear(state, layer.widen, layer.widen_bias))
            narrow = _linear(wide, layer.narrow, layer.narrow_bias)
            narrow += state
            state = _norm(narrow, layer.narrow_norm)
        pooled = _pool(state, [start for start, _ in spans])
        sides = [page.side for page in pages]
        outputs = np.einsum("pw,pwo->po", pooled, self._head[sides]) + self._head_bias[sides]
        return outputs, memories

    def _embed(self, pages: Sequence[Page]) -> "Floats":
        import numpy as np

        pieces = np.concatenate([page.pieces for page in pages])
        places = np.concatenate([np.arange(len(page.pieces)) for page in pages])
        sides = np.repeat([page.side for page in pages], [len(page.pieces) for page in pages])
        meanings = self._embeddings[pieces] * self._embedding_scale[pieces, None]
        return _norm(meanings + self._places[places] + self._sides[sides], self._norm)


def _layer(arrays: "Mapping[str, NDArray[Any]]", number: int) -> Layer:
    import numpy as np

    def matrix(name: str) -> "Floats":
        small = arrays[f"{number}.{name}"].astype(np.float32)
        return np.ascontiguousarray((small * arrays[f"{number}.{name}_scale"][:, None]).T)

    def vector(name: str) -> "Floats":
        return arrays[f"{number}.{name}"].astype(np.float32)

    return Layer(
        matrix("attend"),
        vector("attend_bias"),
        matrix("join"),
        vector("join_bias"),
        vector("join_norm"),
        matrix("widen"),
        vector("widen_bias"),
        matrix("narrow"),
        vector("narrow_bias"),
        vector("narrow_norm"),
    )


def _fading(seen: Sequence[tuple[int, int]]) -> "Floats":
    """What attention falls by, (heads, 1, pieces), from distances and sizes of what is seen."""
    import numpy as np

    far, sizes = np.array(seen).T
    return np.array(FADING, np.float32)[:, None, None] * np.repeat(far, sizes).astype(np.float32)


def _linear(rows: "Floats", weights: "Floats", bias: "Floats") -> "Floats":
    found: Floats = rows @ weights
    found += bias
    return found


def _split(projected: "Floats") -> "tuple[Floats, Floats, Floats]":
    """Gives queries, already scaled, keys and values, each (heads, pieces, size)."""
    import numpy as np

    rows, width = projected.shape
    size = width // 3 // HEADS
    parts = projected.reshape(rows, 3, HEADS, size).transpose(1, 2, 0, 3)
    query = parts[0] * np.float32(size**-0.5)
    return query, parts[1], parts[2]


def _norm(rows: "Floats", by: "Floats") -> "Floats":
    import numpy as np

    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows)[:, None] / rows.shape[1]
    rows /= np.sqrt(variance + np.float32(TINY))
    rows *= by[0]
    rows += by[1]
    return rows


def _gelu(rows: "Floats") -> "Floats":
    """The Gaussian error linear unit in its tanh form (Hendrycks and Gimpel, 2016)."""
    import numpy as np

    inner = rows * rows
    inner *= np.float32(0.044715)
    inner += 1
    inner *= rows
    inner *= np.float32((2 / np.pi) ** 0.5)
    np.tanh(inner, out=inner)
    inner += 1
    inner *= rows
    inner *= np.float32(0.5)
    return inner


def _pool(state: "Floats", starts: Sequence[int]) -> "Floats":
    """Gives each utterance's first row, mean and maximum side by side."""
    import numpy as np

    counts = np.diff(starts, append=len(state))[:, None].astype(np.float32)
    mean = np.add.reduceat(state, starts, axis=0) / counts
    return np.concatenate([state[starts], mean, np.maximum.reduceat(state, starts, axis=0)], axis=1)
