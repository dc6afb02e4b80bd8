"""How the encoder is taught: every number that decides what it learns, beside its shape."""

from typing import Final

EPOCHS: Final = 2.5
"""How often every dialogue is taught; in the last round, half of them."""
PIECES: Final = 1_600
"""Most pieces in a step."""
RATE: Final = 1e-4
HEAD_RATE: Final = 1e-3
"""Steps of the weights that start from the published ones, and of those that start from nothing."""
WARM_UP: Final = 0.06
"""Share of the steps in which the rates rise, at first and when neurons were taken out; else they
fall evenly."""
THINNED: Final = 0.6
"""Share of the steps after which neurons are taken out; what was begun with knows better how."""
NEURONS: Final = 1_152
"""Neurons left in the wide half of each layer, of 1,536."""
LOOKED_AT: Final = 96
"""Dialogues by which it is chosen which ones."""
DECAY: Final = 0.01
LOUDEST: Final = 4.0
"""Most that a rare cue's presence counts more than its absence."""
CUE_WEIGHT: Final = 4.0
"""Weight of an utterance's cues, all together, beside its trigger."""
MASKED: Final = 0.04
"""Share of pieces hidden, so that nothing hangs on one word."""
UNREAD: Final = (0.6, 0.2)
"""Share of utterances that those after them must do without, as where the gate is shut to them at
run time: of those without a cue of a bond, and of those with one."""
DOUBT: Final = 0.5
"""Weight of dialogues in which the chatbot alone crosses a line and gets a yes for it."""
FIRM: Final = 2
"""The first so many members go by the votes even there; to the others, such a dialogue has no
bond."""
EARLY: Final = 3
"""Turns from the first yes on that count more, so that it is not learned to wait."""
HASTE: Final = 2.0
"""How much more."""
BLANK: Final = 103
"""Number of the piece that stands for a hidden one."""
SPECIAL: Final = 104
"""Numbers below are no words."""
SMOOTHING: Final = 0.02
"""How far from certain a trigger is taught to stay; some labels are wrong."""
UNHEARD: Final = -6.0
"""Trigger of a response for the member that hears prompts only."""


def as_data() -> dict[str, float | tuple[float, ...]]:
    """Gives these numbers by name, for the record."""
    return {name.lower(): value for name, value in globals().items() if name.isupper()}
