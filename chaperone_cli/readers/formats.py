"""Every format that can be read, by its name on the command line."""

from chaperone_cli.readers.canonical import Canonical
from chaperone_cli.readers.character_ai import CharacterAI
from chaperone_cli.readers.chatgpt import ChatGPT
from chaperone_cli.readers.claude import Claude
from chaperone_cli.readers.csv_table import CSV
from chaperone_cli.readers.foreign import foreign_kind, keys_in, nothing_told
from chaperone_cli.readers.inspect_ai import Inspect
from chaperone_cli.readers.interface import DocumentFormat, Format
from chaperone_cli.readers.langfuse import Langfuse
from chaperone_cli.readers.langsmith import LangSmith
from chaperone_cli.readers.log import Head
from chaperone_cli.readers.oasst import OpenAssistant
from chaperone_cli.readers.openai import OpenAI
from chaperone_cli.readers.otel import OpenTelemetry
from chaperone_cli.readers.parquet import Parquet
from chaperone_cli.readers.plain_text import PlainText
from chaperone_cli.readers.rows import Rows
from chaperone_cli.readers.sharegpt import ShareGPT
from chaperone_cli.readers.sillytavern import SillyTavern

FORMATS: dict[str, Format] = {
    "canonical": Canonical(),
    "rows": Rows(),
    "chatgpt": ChatGPT(),
    "claude": Claude(),
    "sharegpt": ShareGPT(),
    "openai": OpenAI(),
    "oasst": OpenAssistant(),
    "langsmith": LangSmith(),
    "langfuse": Langfuse(),
    "otel": OpenTelemetry(),
    "characterai": CharacterAI(),
    "sillytavern": SillyTavern(),
    "inspect": Inspect(),
    "csv": CSV(),
    "text": PlainText(),
}
"""The one that recognises a log reads it."""

# Rows of a Parquet table may themselves be documents of the others.
FORMATS["parquet"] = Parquet([one for one in FORMATS.values() if isinstance(one, DocumentFormat)])


def choose_format(head: Head, wanted: Format | None) -> Format | str:
    """Gives the format of a log that begins with `head`, or a sentence on what it is instead.

    `wanted` is the format that the user named: it is taken even where the beginning is defective,
    but not for a file that is no log at all.
    """
    if wanted is not None:
        return wanted if wanted.recognises(head) else foreign_kind(head) or wanted
    found = _recognised(head)
    if len(found) == 1:
        return FORMATS[found[0]]
    if found:
        return f"this could be {' or '.join(found)}; say which with --format"
    if kind := foreign_kind(head):
        return kind
    # What the canonical reader finds wrong with it, line by line, says most.
    return FORMATS["canonical"] if nothing_told(head) else unknown(head)


def is_recognised(head: Head, wanted: Format | None) -> bool:
    """Says whether a log that begins with `head` is of the `wanted` format, or of any."""
    return bool(_recognised(head)) if wanted is None else wanted.recognises(head)


def unknown(head: Head) -> str:
    """Says that a log is in no known format, and which one comes closest."""
    what = "JSON of an unknown kind" if head.documents else "text of an unknown kind"
    looked = f"this is {what}; looked for {', '.join(FORMATS)}"
    keys = keys_in(head.documents)
    scores = {
        name: len(one.telltale & keys) / len(one.telltale)
        for name, one in FORMATS.items()
        if one.telltale
    }
    closest = max(scores, key=lambda name: scores[name])
    if not scores[closest]:
        return looked
    missing = sorted(FORMATS[closest].telltale - keys)
    lacks = f", and here lacks {', '.join(f'`{key}`' for key in missing)}" if missing else ""
    return f"{looked}; closest is {closest}, which needs {FORMATS[closest].needs}{lacks}"


def _recognised(head: Head) -> list[str]:
    """Names the formats of the first document that is of any; of the log, if it is no JSON."""
    for document in head.documents:
        if found := [name for name, one in FORMATS.items() if one.fits(document)]:
            return found
    return [name for name, one in FORMATS.items() if one.recognises(head)]
