"""`chaperone show`: one conversation with its votes beside each turn."""

from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
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


def show(
    path: options.OnePath,
    conversation: Conversation = None,
    format: options.Format = None,
    branches: options.BranchesOption = None,
    config: options.Config = None,
    evaluator: options.Evaluator = None,
    recorded_votes: options.RecordedVotes = None,
    screen: options.ScreenName = None,
    screen_level: options.ScreenLevel = None,
    screen_reach: options.ScreenReach = None,
    rubric: options.RubricName = None,
    votes: options.Votes = None,
    rule: options.RuleName = None,
    sides: options.SidesOption = None,
    all_votes: options.AllVotes = None,
    until_block: options.UntilBlock = None,
    store: options.Store = None,
    no_store: options.NoStore = None,
) -> None:
    """Read one conversation with each turn's votes and evidence beside it.

    From a log, the conversation is judged now and shown with its text; from a saved report, votes
    and evidence are shown without it.
    """
    from chaperone_cli.cli.places import keep_apart

    settings = options.settings(locals())
    keep_apart(settings, config, [path])
    raise typer.Exit(_run(path, conversation, settings))


def _run(path: str, name: str | None, settings: "Settings") -> int:
    from chaperone_cli.cli import console
    from chaperone_cli.cli.looking_up import judged, saved
    from chaperone_cli.reports.terminal.transcript import render_transcript

    shown = saved(path, name) or judged(path, name, settings)
    render_transcript(console.result(), *shown)
    return 0
