"""`chaperone show`: one conversation with its votes beside each turn."""

from pathlib import Path
from typing import Annotated

import typer

from chaperone_cli.cli import options
from chaperone_cli.config import Settings

Conversation = Annotated[
    str | None,
    typer.Option(
        "--conversation",
        metavar="ID",
        help="The conversation to show; may be left out where there is only one.",
        show_default=False,
    ),
]


@options.takes(
    *("*", "format", "branches", "config", "evaluator", "recorded_votes", *options.SCREEN),
    *("rubric", "votes", "rule", "sides", "all_votes", "until_block", "store", "no_store"),
)
def show(
    path: options.OnePath,
    settings: Settings,
    config: Path | None,
    conversation: Conversation = None,
) -> int:
    """Read one conversation with each turn's votes and evidence beside it.

    From a log, the conversation is judged now and shown with its text; from a saved report, votes
    and evidence are shown without it.
    """
    from chaperone_cli.auditing.find import judged, saved
    from chaperone_cli.cli import console
    from chaperone_cli.cli.host import Terminal
    from chaperone_cli.cli.places import keep_apart
    from chaperone_cli.reports.terminal.transcript import render_transcript

    keep_apart(settings, config, [path])
    shown = saved(path, conversation) or judged(path, conversation, settings, Terminal())
    render_transcript(console.result(), *shown)
    return 0
