"""Inspect: the samples of an evaluation log, `.eval` (a zip) or `.json`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.chat_messages import add_messages
from chaperone_cli.readers.draft import Draft, Place
from chaperone_cli.readers.interface import DocumentFormat
from chaperone_cli.readers.json_documents import Document
from chaperone_cli.readers.log import Log
from chaperone_cli.readers.values import as_dict, as_text, first_text


@dataclass(frozen=True)
class Inspect(DocumentFormat):
    """A sample with `messages`, `epoch` and `input`; its id names sample and epoch."""

    needs = "samples with `messages`, `epoch` and `input`"
    telltale = frozenset({"messages", "epoch", "input", "target", "scores"})

    def fits(self, document: dict[str, Any]) -> bool:  # noqa: D102
        return {"epoch", "input"} <= document.keys() and (
            isinstance(document.get("messages"), list) or "target" in document
        )

    def read_document(  # noqa: D102
        self, document: Document, log: Log
    ) -> Iterable[Conversation | Problem]:
        # The opening of a long sample, by which a log is recognised, may end before its messages.
        if "messages" in document.value or not self.fits(document.value):
            return super().read_document(document, log)
        return [self.unfit(document, log)]

    def conversations(  # noqa: D102
        self, document: dict[str, Any], place: Place, log: Log
    ) -> Iterator[Conversation | Problem]:
        archive = place.path.split("!")[0]
        sample, epoch = document.get("id"), document.get("epoch")
        own = as_text(document.get("uuid"))
        draft = Draft(place, own or f"{archive}#{sample}-{epoch}")
        add_messages(draft, document.get("messages"))
        usage = as_dict(document.get("model_usage"))
        output = as_dict(document.get("output"))
        draft.facts(
            title=str(sample) if isinstance(sample, str | int) else None,
            created_at=first_text(document, "started_at"),
            updated_at=first_text(document, "completed_at"),
            model=as_text(output.get("model")) or next(iter(usage), None),
            epoch=epoch,
        )
        yield from draft.finish()
