"""The trained weights as they are stored, and as they are used."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from chaperone_cli.errors import EvaluatorError
from chaperone_cli.evaluators.local.encoder import Encoder
from chaperone_cli.evaluators.local.features import Index
from chaperone_cli.evaluators.local.gate import Gate
from chaperone_cli.evaluators.local.lexicon import Lexicon
from chaperone_cli.evaluators.local.members import Panel
from chaperone_cli.evaluators.local.scoring import COLUMNS, Scorer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT: Final = 3
"""Changes whenever older weights can no longer be read."""
WEIGHTS: Final = "weights.npz"
ENCODER: Final = "encoder.npz"
MANIFEST: Final = "manifest.json"
WORDS_ALONE: Final = (
    "the encoder's weights are not installed: the local evaluator goes by words alone, "
    "and misses more; reinstall chaperone to have both stages"
)


@dataclass(frozen=True)
class Model:
    """Everything learned, ready for use."""

    scorer: Scorer
    panel: Panel
    levels: "NDArray[np.float64]"
    """(both sides' cues): evidence from which a cue may be named; infinite where it never is."""
    gate: Gate
    encoder: Encoder | None
    """None where the first stage works alone."""


@dataclass(frozen=True)
class Source:
    """Where weights lie, known by their digest before anything else of them is read."""

    folder: Path
    digests: Mapping[str, str]
    """SHA-256 of each weights file, hexadecimal, as the manifest states it."""
    encoder: bool
    """Whether the encoder's weights are there."""

    @property
    def version(self) -> str:
        """What changes with the weights in use."""
        used = (WEIGHTS, ENCODER) if self.encoder else (WEIGHTS,)
        return sha256("".join(self.digests[name] for name in used).encode()).hexdigest()[:16]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know of how it works here, a line each."""
        return () if self.encoder else (WORDS_ALONE,)

    @classmethod
    def at(cls, folder: Path | None) -> Self:
        """Reads the manifest in `folder`; None stands for the package's own.

        Raises EvaluatorError where there is no manifest that this version can read.
        """
        place = folder or package_folder()
        try:
            manifest: dict[str, Any] = json.loads((place / MANIFEST).read_text("utf-8"))
            known = manifest["format"] == FORMAT
            digests = {name: manifest["files"][name]["sha256"] for name in (WEIGHTS, ENCODER)}
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise _damaged(place, f"its {MANIFEST} cannot be read") from error
        if not known:
            raise _damaged(place, f"its format is not {FORMAT}")
        return cls(place, digests, (place / ENCODER).exists())

    @cached_property
    def model(self) -> Model:
        """The weights, read once; raises EvaluatorError where they differ from the manifest's."""
        encoder = Encoder(self._read(ENCODER)) if self.encoder else None
        return build(self._read(WEIGHTS), encoder)

    def __getstate__(self) -> dict[str, Any]:
        """Gives what a copy in another process needs, which reads the weights for itself."""
        return {name: value for name, value in vars(self).items() if name != "model"}

    def _read(self, name: str) -> "dict[str, NDArray[Any]]":
        import numpy as np

        try:
            data = (self.folder / name).read_bytes()
        except OSError as error:
            raise _damaged(self.folder, f"its {name} cannot be read") from error
        if sha256(data).hexdigest() != self.digests[name]:
            raise _damaged(self.folder, f"{name} is not the file that {MANIFEST} describes")
        with np.load(BytesIO(data)) as arrays:
            return dict(arrays)


def package_folder() -> Path:
    """Gives the folder with the shipped weights."""
    return Path(str(resources.files("chaperone_cli") / "data" / "local"))


def build(arrays: "Arrays", encoder: Encoder | None) -> Model:
    """Builds the model from the arrays of the weights file, with or without the second stage."""
    stages = "both" if encoder else "words"
    names = ("ledger_weights", "mixing", "thresholds")
    panel = Panel(*(arrays[f"{stages}.{name}"] for name in names))
    gate = Gate(arrays["gate_weights"], arrays["gate_bias"])
    return Model(scorer(arrays), panel, arrays[f"{stages}.levels"], gate, encoder)


def _damaged(folder: Path, what: str) -> EvaluatorError:
    return EvaluatorError(
        f"the local evaluator cannot use {folder}: {what}",
        hint="reinstall chaperone, or rebuild the weights with its training program",
    )


Arrays = Mapping[str, "NDArray[Any]"]
"""What the weights file holds, by name."""


def scorer(arrays: Arrays) -> Scorer:
    """Builds the scorer from the arrays of the weights file.

    The table's rows are: an empty one, the words, the pairs, the gaps, the patterns of classes.
    """
    import numpy as np

    words = _lines(arrays["words"])
    pieces = _lines(arrays["pieces"])
    pairs, gaps, patterns = arrays["pairs"], arrays["gaps"], arrays["patterns"]
    word_count = len(words) + 1
    groups = int(arrays["group_count"][0])
    pattern_rows = np.zeros(groups**3, np.intp)
    start = word_count + len(pairs) + len(gaps)
    pattern_rows[patterns] = np.arange(start, start + len(patterns))
    index = Index(
        words=np.arange(word_count),
        pair_keys=pairs.astype(np.int64),
        pairs=np.arange(word_count, word_count + len(pairs)),
        gap_keys=gaps.astype(np.int64),
        gaps=np.arange(word_count + len(pairs), start),
        groups=pattern_rows,
        group_count=groups,
    )
    lexicon = Lexicon(
        {word: number for number, word in enumerate(words, 1)},
        arrays["groups"].astype(np.int32),
        {piece: row for row, piece in enumerate(pieces)},
        arrays["piece_table"].astype(np.float32),
        frozenset(_lines(arrays["english"])),
        frozenset(_lines(arrays["foreign"])),
    )
    return Scorer(
        lexicon,
        index,
        arrays["table"].astype(np.float32).reshape(-1, COLUMNS),
        arrays["scale"].astype(np.float64),
        arrays["bias"].astype(np.float64),
    )


def _lines(blob: "NDArray[Any]") -> list[str]:
    return blob.tobytes().decode("utf-8").split("\n")
