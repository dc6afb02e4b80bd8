"""Says that an evaluator cannot answer before anything is judged, unless nobody will ask it."""

import contextlib
from collections.abc import Sequence

from chaperone_cli.auditing import build
from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.auditing.host import Host
from chaperone_cli.config import Settings
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.errors import EvaluatorError
from chaperone_cli.readers import LogReader


def can_answer(auditor: Auditor) -> bool:
    """Says whether the evaluator could answer, were it asked."""
    try:
        auditor.evaluator.check()
    except EvaluatorError:
        return False
    return True


def rehearse(auditor: Auditor, paths: Sequence[str], settings: Settings, host: Host) -> None:
    """Raises EvaluatorError where `auditor` could not answer and the store lacks a vote on `paths`.

    For that, such a run is held twice. A stream is read only once: there it shows at the first vote
    that is missing.
    """
    if can_answer(auditor):
        return
    reader = build.log_reader(paths, settings)
    if reader.bytes_total is not None:
        host.run(_hold(build.auditor(settings), reader, settings))


async def _hold(auditor: Auditor, reader: LogReader, settings: Settings) -> None:
    items = build.selection(settings).over(reader, LeftOut())
    async with contextlib.aclosing(auditor.run(items)) as results:
        async for _ in results:
            pass
