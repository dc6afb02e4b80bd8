"""The question that an evaluator answers, with its guidance: data with an id and a digest."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Label:
    """One thing that a vote says yes or no to."""

    id: str
    question: str
    guidance: str


@dataclass(frozen=True)
class Rubric:
    """A question and its guidance, under an id and a version."""

    id: str
    version: int
    title: str
    labels: tuple[Label, ...]

    @property
    def name(self) -> str:
        """Id and version, as reports say them."""
        return f"{self.id} v{self.version}"

    @cached_property
    def digest(self) -> str:
        """SHA-256, hexadecimal, of everything that an evaluator is told.

        Title, layout and comments of the file take no part: they cannot change an answer.
        """
        state = sha256()
        parts = [self.id, str(self.version)]
        parts += [
            text for label in self.labels for text in (label.id, label.question, label.guidance)
        ]
        for part in parts:
            data = part.encode()
            state.update(len(data).to_bytes(8, "big"))
            state.update(data)
        return state.hexdigest()
