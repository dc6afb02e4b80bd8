"""Teaches the encoder: the cues of each utterance, and when a conversation shows a bond so far.

A trigger says by how much an utterance, in the light of the few before it, settles the question.
It is taught through its highest value so far, which is compared with the language model's vote at
every turn: which utterances settle it is left for the encoder to find (learning from bags of
instances; Dietterich, Lathrop and Lozano-Pérez, 1997).
"""

import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from chaperone_cli.domain.conversation import Side
from chaperone_cli.evaluators.local.cues import CUES, ENCODED, TRIGGERS
from chaperone_cli.evaluators.local.encoder import Encoder, Page
from chaperone_cli.evaluators.local.parts import divide
from training import base, network, recipe, thinning
from training.dialogues import Dialogue

if TYPE_CHECKING:
    from numpy.typing import NDArray

OUTPUTS: Final = 2 * (CUES + TRIGGERS) + 1
"""Cues of prompts, of responses; triggers on prompts, on responses; the vote, only to learn by."""
KEPT: Final = [
    [
        *range(side * CUES, (side + 1) * CUES),
        *range(2 * CUES + side * TRIGGERS, 2 * CUES + (side + 1) * TRIGGERS),
    ]
    for side in (0, 1)
]
"""The outputs that are used, for a prompt and for a response."""


@dataclass(frozen=True)
class Lesson:
    """One dialogue as the encoder is taught it."""

    pages: Sequence[Page]
    """One a part."""
    turns: Tensor
    """(pages,): the number of the turn that each is part of."""
    telling: Sequence[bool]
    """Per page: whether the turn that it is part of carries a cue of a bond."""
    cues: Tensor
    """(turns, sides x cues)."""
    asked: Tensor
    """(turns, sides x cues): 1 for the cues of the side that speaks."""
    votes: Tensor
    wanted: Tensor
    """(turns, members): what each member should have said so far."""
    prompts: Tensor
    weights: Tensor
    """How much it counts for each member."""
    onset: Tensor
    """How much each turn counts."""

    @property
    def size(self) -> int:
        """Pieces in all."""
        return sum(len(page.pieces) for page in self.pages)


def fit(dialogues: Sequence[Dialogue], seed: int, name: str) -> "dict[str, NDArray[Any]]":
    """Teaches an encoder; gives the arrays of its weights file. Progress is told under `name`.

    One thread works on it: the same seed gives the same weights on the same kind of processor,
    however many cores there are, and several encoders can be taught side by side.
    """
    torch.set_num_threads(1)
    taught = _network(seed)
    reader = Encoder(_packed(taught))
    known = [_lesson(reader, dialogue) for dialogue in dialogues]
    taught.train()
    draw = random.Random(seed)
    shares = _shares(len(known), seed)
    louder = _louder(known)
    plan = _plan(known, draw)
    thinned = min(round(recipe.THINNED * len(plan)), len(plan) - 1)
    optimiser, schedule = _optimiser(taught, 0, len(plan))
    start, total = time.monotonic(), 0.0
    for step, batch in enumerate(plan, 1):
        if step - 1 == thinned:
            some = draw.sample(known, min(recipe.LOOKED_AT, len(known)))
            thinning.thin(taught, network.Batch.of([one.pages for one in some]), recipe.NEURONS)
            optimiser, schedule = _optimiser(taught, thinned, len(plan))
        laid_out = network.Batch.of(*_disturbed([known[n] for n in batch], draw))
        with torch.autocast("cpu", torch.bfloat16):
            outputs = taught(laid_out)
        loss = _loss(outputs, [known[n] for n in batch], shares[batch], louder)
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(taught.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        total += float(loss.detach())
        if step % 50 == 0 or step == len(plan):
            passed = time.monotonic() - start
            sys.stderr.write(
                f"{name}: step {step}/{len(plan)} loss {total / step:.3f} {passed:.0f} s\n"
            )
    return _packed(taught)


def _optimiser(
    taught: network.Network, begun: int, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    """Gives what changes the weights from step number `begun` of `steps` on."""
    rates = {True: recipe.RATE, False: recipe.HEAD_RATE}
    groups: dict[bool, list[nn.Parameter]] = {True: [], False: []}
    for part, weight in taught.named_parameters():
        if weight.requires_grad:
            groups[not part.startswith(("head", "sides"))].append(weight)
    optimiser = torch.optim.AdamW(
        [{"params": weights, "lr": rates[start]} for start, weights in groups.items()],
        weight_decay=recipe.DECAY,
        fused=True,
    )
    return optimiser, torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: _rate(step, begun, steps)
    )


def _network(seed: int) -> network.Network:
    """Gives what is taught: all but what words and places mean at first, of which few are seen."""
    torch.manual_seed(seed)
    taught = network.Network(base.folder() / base.WEIGHTS, OUTPUTS)
    for part in (taught.meanings, taught.places):
        part.requires_grad_(False)
    return taught


def _packed(taught: network.Network) -> "dict[str, NDArray[Any]]":
    return network.pack(taught, base.vocabulary(), KEPT)


def _lesson(reader: Encoder, dialogue: Dialogue) -> Lesson:
    cues = np.zeros((len(dialogue.texts), 2, CUES), np.float32)
    asked = np.zeros_like(cues)
    for turn, side in enumerate(dialogue.sides):
        names = ENCODED[Side.RESPONSE if side else Side.PROMPT]
        cues[turn, side] = [dialogue.target(turn, name) for name in names]
        asked[turn, side] = 1
    votes = torch.tensor(dialogue.votes, dtype=torch.float32)
    wanted = votes[:, None].repeat(1, TRIGGERS)
    doubt = recipe.DOUBT if dialogue.disputed else 1.0
    if dialogue.disputed:
        wanted[:, recipe.FIRM :] = 0
    said = divide(dialogue.texts, dialogue.sides)
    telling = np.array([dialogue.target(turn, "bond") for turn in range(len(dialogue.texts))])
    return Lesson(
        pages=[reader.page(*part) for part in zip(said.texts, said.sides, strict=True)],
        turns=torch.tensor(said.each(np.arange(len(dialogue.texts)))),
        telling=said.each(telling).tolist(),
        cues=torch.tensor(cues).flatten(1),
        asked=torch.tensor(asked).flatten(1),
        votes=votes,
        wanted=wanted,
        prompts=torch.tensor(dialogue.sides)[:, None] == 0,
        onset=_onset(dialogue),
        weights=torch.tensor([doubt] * recipe.FIRM + [1.0] * (TRIGGERS - recipe.FIRM)),
    )


def _onset(dialogue: Dialogue) -> Tensor:
    weights = torch.ones(len(dialogue.votes))
    if dialogue.first_yes is not None:
        weights[dialogue.first_yes - 1 : dialogue.first_yes - 1 + recipe.EARLY] = recipe.HASTE
    return weights


def _shares(count: int, seed: int) -> Tensor:
    """Draws how much each dialogue counts for each member, (dialogues, members).

    A smooth bootstrap (Rubin, 1981): what lets members differ. The first goes by all alike.
    """
    drawn = np.random.default_rng(seed).gamma(1.0, 1.0, (count, TRIGGERS)).clip(0.1, 3.0)
    drawn[:, 0] = 1.0
    return torch.tensor(drawn, dtype=torch.float32)


def _louder(known: Sequence[Lesson]) -> Tensor:
    """Gives by how much each cue's presence counts more than its absence."""
    present = torch.cat([lesson.cues for lesson in known]).sum(dim=0)
    asked = torch.cat([lesson.asked for lesson in known]).sum(dim=0)
    return ((asked - present) / present.clamp(min=1)).sqrt().clamp(1.0, recipe.LOUDEST)


def _plan(known: Sequence[Lesson], draw: random.Random) -> list[list[int]]:
    """Gives all steps; a last round that is not whole ends early."""
    rounds = math.ceil(recipe.EPOCHS)
    steps = [batch for _ in range(rounds) for batch in _batches(known, draw)]
    return steps[: round(len(steps) * recipe.EPOCHS / rounds)]


def _batches(known: Sequence[Lesson], draw: random.Random) -> list[list[int]]:
    """Divides dialogues into steps, in a new order every time."""
    found: list[list[int]] = [[]]
    size = 0
    for number in draw.sample(range(len(known)), len(known)):
        if found[-1] and size + known[number].size > recipe.PIECES:
            found.append([])
            size = 0
        found[-1].append(number)
        size += known[number].size
    return found


def _disturbed(
    batch: Sequence[Lesson], draw: random.Random
) -> tuple[list[list[Page]], list[list[bool]]]:
    """Hides some pieces, and from what comes after some utterances as a whole."""
    pages = [[Page(_hidden(page.pieces, draw), page.side) for page in one.pages] for one in batch]
    shares = ([recipe.UNREAD[tells] for tells in one.telling] for one in batch)
    return pages, [[draw.random() < share for share in row] for row in shares]


def _hidden(pieces: Sequence[int], draw: random.Random) -> tuple[int, ...]:
    return tuple(
        recipe.BLANK if piece >= recipe.SPECIAL and draw.random() < recipe.MASKED else piece
        for piece in pieces
    )


def _rate(since: int, begun: int, steps: int) -> float:
    """Gives by how much a rate is reduced, `since` so many steps after it was begun."""
    warm = min(1.0, (since + 1) / (recipe.WARM_UP * steps))
    return warm * max(0.02, 1 - (begun + since) / steps)


def _loss(outputs: Tensor, batch: Sequence[Lesson], shares: Tensor, louder: Tensor) -> Tensor:
    total = torch.zeros(())
    rows = torch.split(outputs, [len(lesson.pages) for lesson in batch])
    for parts, lesson, share in zip(rows, batch, shares, strict=True):
        row = _highest(parts, lesson)
        cues, own = row[:, : 2 * CUES], row[:, 2 * CUES :]
        cue_loss = functional.binary_cross_entropy_with_logits(
            cues, lesson.cues, pos_weight=louder, reduction="none"
        )
        vote_loss = functional.binary_cross_entropy_with_logits(
            own[:, -1], lesson.votes, reduction="none"
        )
        triggers = torch.where(lesson.prompts, own[:, :TRIGGERS], own[:, TRIGGERS:-1])
        deaf = ~lesson.prompts & (torch.arange(TRIGGERS) == TRIGGERS - 1)
        so_far = triggers.masked_fill(deaf, recipe.UNHEARD).cummax(dim=0).values
        trigger_loss = functional.binary_cross_entropy_with_logits(
            so_far,
            lesson.wanted * (1 - 2 * recipe.SMOOTHING) + recipe.SMOOTHING,
            reduction="none",
        )
        total = total + (
            (cue_loss * lesson.asked).sum() * recipe.CUE_WEIGHT / CUES
            + vote_loss.sum() * lesson.weights[0] / 2
            + (trigger_loss * share * lesson.weights * lesson.onset[:, None]).sum() / TRIGGERS
        )
    return total / sum(len(lesson.votes) for lesson in batch)


def _highest(parts: Tensor, lesson: Lesson) -> Tensor:
    """Gives for each turn the highest outputs of its parts."""
    turns = lesson.turns[:, None].expand(-1, OUTPUTS)
    blank = parts.new_full((len(lesson.votes), OUTPUTS), -torch.inf)
    found: Tensor = blank.scatter_reduce(0, turns, parts, "amax")
    return found
