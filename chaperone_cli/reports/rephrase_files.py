"""Rewrites as files: a `rephrase.v1` document, or preference pairs, one a line."""

from collections.abc import Callable
from pathlib import Path

import orjson

from chaperone_cli.codec import rephrase
from chaperone_cli.codec.fields import dumps, spelled
from chaperone_cli.codec.rephrase import RephraseRun
from chaperone_cli.errors import UsageError
from chaperone_cli.reports.files import AtomicFile


def _document(run: RephraseRun) -> bytes:
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return spelled(orjson.dumps(rephrase.encode(run), option=options))


def _pairs(run: RephraseRun) -> bytes:
    lines = rephrase.pairs(run.results)
    return b"".join(dumps(line) + b"\n" for line in lines)


FORMATS: dict[str, Callable[[RephraseRun], bytes]] = {".json": _document, ".jsonl": _pairs}
"""What each suffix holds."""


def holds_pairs(path: str) -> bool:
    """Whether a file of this name holds preference pairs."""
    return FORMATS.get(Path(path).suffix.lower()) is _pairs


def writer(path: str) -> Callable[[RephraseRun], None]:
    """What writes a run to `path`; raises UsageError for a suffix that stands for nothing.

    Raises OutputError on writing.
    """
    build = FORMATS.get(Path(path).suffix.lower())
    if build is None:
        raise UsageError(
            f"cannot tell what to write to {path}",
            hint="name a .json file (rephrase.v1) or a .jsonl file (preference pairs)",
        )

    file = AtomicFile(Path(path))

    def write(run: RephraseRun) -> None:
        file.open()
        file.write(build(run))
        file.commit(run.ending)

    return write
