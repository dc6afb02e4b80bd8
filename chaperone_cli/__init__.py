"""Audits exported chat logs for parasocial relationships between user and chatbot, turn by turn.

    import chaperone_cli as chaperone

    for verdict in chaperone.audit("log.jsonl"):
        print(verdict.conversation, verdict.verdict)

The names in `__all__` are the library; nothing else is public.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chaperone_cli.library import (
        Audit,
        audit,
        evaluate,
        load_report,
        open_evaluator,
        read_logs,
        rephrase,
        write_report,
    )

__version__ = "0.1.0"
__all__ = [
    "Audit",
    "audit",
    "evaluate",
    "load_report",
    "open_evaluator",
    "read_logs",
    "rephrase",
    "write_report",
]


def __getattr__(name: str) -> Any:
    # Imported where it is first used: the command line starts without it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from chaperone_cli import library

    return getattr(library, name)
