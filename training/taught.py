"""What encoders say of dialogues they were not taught on, kept beside the dialogues.

Teaching encoders takes an hour or so; what they said is kept, so that the decision over turns can
be fitted anew in a minute.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from chaperone_cli.errors import InputError
from chaperone_cli.evaluators.local.context import Context
from chaperone_cli.evaluators.local.encoder import Encoder
from chaperone_cli.evaluators.local.parts import divide
from training import gates, npz
from training.dialogues import Dialogue, part_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")
NAME: Final = "out_of_fold.npz"
BY_FILE: Final = "by_file.npz"
"""The same of encoders that never saw the file that the dialogue in question is from."""
DECIMALS: Final = 3
WITHOUT: Final = "without"
"""The array of a kept encoder that says which dialogues it was not taught on."""
WHOLE: Final = -1
"""Number of the encoder that no fold was kept from."""
SHARES: Final = 4
"""Shares of a fold that are heard by themselves, so that all cores are busy to the end."""


@dataclass(frozen=True)
class Taught:
    """Outputs of encoders that never saw the dialogue in question."""

    every: "dict[str, NDArray[np.float64]]"
    """By dialogue: (parts, cues and triggers), where the encoder is asked about every part."""
    asked: "dict[str, NDArray[np.float64]]"
    """The same where it is asked about what passes the gate, NaN elsewhere."""
    torch: str
    """The version of the library that taught it."""

    def pack(self) -> bytes:
        """Gives the file's bytes."""
        lengths = [len(rows) for rows in self.every.values()]
        return npz.pack(
            {
                "ids": np.frombuffer("\n".join(self.every).encode(), np.uint8),
                "lengths": np.array(lengths, np.int32),
                "every": np.concatenate(list(self.every.values())).astype(np.float32),
                "asked": np.concatenate(list(self.asked.values())).astype(np.float32),
                "torch": np.frombuffer(self.torch.encode(), np.uint8),
            }
        )

    def of(
        self, dialogues: Sequence[Dialogue]
    ) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Gives `every` and `asked` of dialogues, one after another.

        Raises InputError where something else, or nothing, was kept of one.
        """
        for dialogue, length in zip(dialogues, part_counts(dialogues), strict=True):
            if len(self.every.get(dialogue.id, ())) != length:
                raise InputError(
                    f"no encoder's outputs were kept of dialogue {dialogue.id} as it is",
                    hint="teach the encoder with --teach",
                )
        return (
            np.concatenate([self.every[dialogue.id] for dialogue in dialogues]),
            np.concatenate([self.asked[dialogue.id] for dialogue in dialogues]),
        )


def load(path: Path) -> Taught:
    """Reads what was kept; raises InputError where it cannot be read."""
    try:
        with np.load(path) as stored:
            arrays = dict(stored)
        ids = arrays["ids"].tobytes().decode("utf-8").split("\n")
        cuts = np.cumsum(arrays["lengths"])[:-1]
        torch = arrays["torch"].tobytes().decode("ascii")
        every, asked = (
            dict(zip(ids, np.split(arrays[name].astype(np.float64), cuts), strict=True))
            for name in ("every", "asked")
        )
    except (OSError, ValueError, LookupError) as error:
        raise InputError(
            f"{path} cannot be read: {error}", hint="teach the encoder with --teach"
        ) from error
    return Taught(every, asked, torch)


def teach(
    dialogues: Sequence[Dialogue],
    fold: "NDArray[np.intp]",
    seed: int,
    jobs: int,
    whole: bool,
) -> "dict[int, dict[str, NDArray[Any]]]":
    """Teaches one encoder without each fold, and if `whole` one on everything, as number WHOLE.

    Gives the arrays of each. At most `jobs` are taught at a time, each on one core.
    """
    from training import encoding

    # The longest first, so that all cores are busy to the end.
    numbers = [*([WHOLE] if whole else []), *np.unique(fold).tolist()]
    parts = [[dialogues[n] for n in (fold != number).nonzero()[0]] for number in numbers]
    names = ["all" if number == WHOLE else f"without part {number + 1}" for number in numbers]
    found = _spread(encoding.fit, jobs, parts, [seed] * len(parts), names)
    return dict(zip(numbers, found, strict=True))


def save(
    encoders: "dict[int, dict[str, NDArray[Any]]]",
    folder: Path,
    dialogues: Sequence[Dialogue],
    fold: "NDArray[np.intp]",
) -> None:
    """Keeps the encoders of folds, so that they can be heard again without the hour of teaching."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, arrays in encoders.items():
        named = {**arrays, WITHOUT: _named(dialogues, fold, number)}
        _kept_in(folder, number).write_bytes(npz.pack(named, compress=False))


def restore(
    folder: Path, dialogues: Sequence[Dialogue], fold: "NDArray[np.intp]"
) -> "dict[int, dict[str, NDArray[Any]]]":
    """Reads what `save` kept of each fold.

    Raises InputError where one cannot be read, or was taught without other dialogues: dialogues
    that come or go move the rest to other folds, and their encoders would know them.
    """
    found: dict[int, dict[str, NDArray[Any]]] = {}
    for number in np.unique(fold).tolist():
        path = _kept_in(folder, number)
        found[number] = _read(path)
        without = found[number].pop(WITHOUT, np.empty(0, np.uint8))
        if not np.array_equal(without, _named(dialogues, fold, number)):
            raise InputError(
                f"{path} was not taught without the dialogues that it is to be asked about",
                hint="dialogues have changed since; teach anew with --teach",
            )
    return found


def _named(
    dialogues: Sequence[Dialogue], fold: "NDArray[np.intp]", number: int
) -> "NDArray[np.uint8]":
    """Gives the SHA-256 of the dialogues of a fold: their ids and what is said in them."""
    held = [dialogues[n] for n in (fold == number).nonzero()[0].tolist()]
    text = json.dumps([[one.id, *one.texts] for one in held])
    return np.frombuffer(sha256(text.encode()).digest(), np.uint8)


def _kept_in(folder: Path, number: int) -> Path:
    return folder / f"without_{number + 1}.npz"


def _read(path: Path) -> "dict[str, NDArray[Any]]":
    try:
        with np.load(path) as stored:
            return dict(stored)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read: {error}",
            hint="--teach keeps encoders in the folder that --fold-encoders names",
        ) from error


def hear(
    dialogues: Sequence[Dialogue],
    numbers: "NDArray[np.float64]",
    fold: "NDArray[np.intp]",
    encoders: "dict[int, dict[str, NDArray[Any]]]",
    jobs: int,
) -> Taught:
    """Asks each fold's encoder about the dialogues of that fold.

    `numbers` are what the gate goes by, (parts, gate.SIZE). At most `jobs` ask at a time, each on
    one core.
    """
    lengths = part_counts(dialogues)
    cuts = np.cumsum(lengths)[:-1]
    everything = np.ones(sum(lengths), bool)
    every = _heard(dialogues, np.split(everything, cuts), fold, encoders, jobs)
    wanted = gates.out_of_fold(dialogues, numbers, np.concatenate(list(every.values())), fold)
    asked = _heard(dialogues, np.split(wanted, cuts), fold, encoders, jobs)
    return Taught(every, asked, version("torch"))


def _heard(
    dialogues: Sequence[Dialogue],
    wanted: "Sequence[NDArray[np.bool_]]",
    fold: "NDArray[np.intp]",
    encoders: "dict[int, dict[str, NDArray[Any]]]",
    jobs: int,
) -> "dict[str, NDArray[np.float64]]":
    shares = [
        (number, share.tolist())
        for number in encoders
        for share in np.array_split((fold == number).nonzero()[0], SHARES)
    ]
    orders = (
        [encoders[number] for number, _ in shares],
        [[dialogues[n] for n in share] for _, share in shares],
        [[wanted[n] for n in share] for _, share in shares],
    )
    found: dict[int, NDArray[np.float64]] = {}
    for (_, share), outputs in zip(shares, _spread(_listen, jobs, *orders), strict=True):
        found.update(zip(share, outputs, strict=True))
    return {dialogue.id: found[number] for number, dialogue in enumerate(dialogues)}


def _listen(
    arrays: "dict[str, NDArray[Any]]",
    dialogues: Sequence[Dialogue],
    wanted: "Sequence[NDArray[np.bool_]]",
) -> "list[NDArray[np.float64]]":
    threadpool_limits(1, user_api="blas")
    encoder = Encoder(arrays)
    found: list[NDArray[np.float64]] = []
    for dialogue, parts in zip(dialogues, wanted, strict=True):
        texts, sides, _ = divide(dialogue.texts, dialogue.sides)
        rows = Context(encoder).advance(texts, sides, parts.tolist())
        found.append(np.round(rows, DECIMALS))
    return found


def _spread(work: Callable[..., T], jobs: int, *orders: Sequence[Any]) -> list[T]:
    """Does `work` on all orders, in as many processes as there are `jobs`."""
    if jobs == 1:
        return list(map(work, *orders))
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        return list(pool.map(work, *orders))
