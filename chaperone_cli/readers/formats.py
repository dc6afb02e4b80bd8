"""Every format that can be read, by its name on the command line."""

from chaperone_cli.readers.canonical import Canonical
from chaperone_cli.readers.foreign import foreign_kind, unknown_kind
from chaperone_cli.readers.interface import Format
from chaperone_cli.readers.log import Head
from chaperone_cli.readers.rows import Rows

FORMATS: dict[str, Format] = {
    "canonical": Canonical(),
    "rows": Rows(),
}
"""The first one that recognises a log reads it."""


def choose_format(head: Head, wanted: Format | None) -> Format | str:
    """Gives the format of a log that begins with `head`, or a sentence on what it is instead.

    `wanted` is the format that the user named: it is taken even where the beginning is defective,
    but not for a file that is no log at all.
    """
    candidates = FORMATS.values() if wanted is None else (wanted,)
    for candidate in candidates:
        if candidate.recognises(head):
            return candidate
    if kind := foreign_kind(head):
        return kind
    # What the canonical reader finds wrong with it, line by line, says most.
    return wanted or unknown_kind(head) or FORMATS["canonical"]
