"""The local evaluator as a screen: how near its most suspicious member is to a yes."""

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.evaluators.interface import Identity, Screen
from chaperone_cli.evaluators.local import model
from chaperone_cli.evaluators.local.listener import Listener

if TYPE_CHECKING:
    from pathlib import Path


class LocalScreen(Screen):
    """Reads with the local evaluator's members, and gives their odds instead of their votes."""

    level = -2.9
    rubrics = ("parasocial",)

    def __init__(self, folder: "Path | None" = None) -> None:
        """Names the folder with the weights, by default the package's own; reads only its manifest.

        Raises EvaluatorError where there is none.
        """
        self._source = model.Source.at(folder)

    @property
    def identity(self) -> Identity:  # noqa: D102
        return Identity("local", self._source.version)

    @property
    def remarks(self) -> tuple[str, ...]:  # noqa: D102
        return self._source.remarks

    def suspicions(self, conversation: Conversation) -> Iterator[float]:  # noqa: D102
        return _read(self._source.model, conversation)


def _read(loaded: "model.Model", conversation: Conversation) -> Iterator[float]:
    listener = Listener(loaded, conversation.turns)
    given = 0
    while given < len(conversation.turns):
        heard = listener.read_on()
        given += len(heard.reasons)
        for margins, reason in zip(heard.margins, heard.reasons, strict=True):
            yield max(margins) if reason is None else inf
