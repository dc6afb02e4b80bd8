"""`chaperone audit`: the main job."""

from typing import TYPE_CHECKING

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chaperone_cli.config import Settings
    from chaperone_cli.reporters.interface import Reporter


def audit(
    paths: options.Paths,
    format: options.Format = None,
    config: options.Config = None,
    evaluator: options.Evaluator = None,
    recorded_votes: options.RecordedVotes = None,
    rubric: options.RubricName = None,
    votes: options.Votes = None,
    rule: options.RuleName = None,
    sides: options.SidesOption = None,
    all_votes: options.AllVotes = None,
    until_block: options.UntilBlock = None,
    concurrency: options.Concurrency = None,
    output: options.Output = None,
    quote: options.Quote = None,
    rows: options.Rows = None,
    fail_on: options.FailOnOption = None,
    store: options.Store = None,
    no_store: options.NoStore = None,
) -> None:
    """Audit logs: which conversations crossed the line, at which turn, and whose turn it was."""
    settings = options.settings(
        config,
        format=format,
        evaluator=evaluator,
        recorded_votes=recorded_votes,
        rubric=rubric,
        votes=votes,
        rule=rule,
        sides=sides,
        all_votes=all_votes,
        until_block=until_block,
        concurrency=concurrency,
        output=output,
        quote=quote,
        rows=rows,
        fail_on=fail_on,
        store=store,
        no_store=no_store,
    )
    raise typer.Exit(_run(paths, settings))


def _run(paths: "Sequence[str]", settings: "Settings") -> int:
    from chaperone_cli.cli import exit_codes, progress, wiring
    from chaperone_cli.cli.console import complain, note
    from chaperone_cli.cli.running import Run
    from chaperone_cli.readers import LogReader

    reader = LogReader(paths, format=settings.format)
    auditor = wiring.auditor(settings)
    run = Run(auditor, _reporters(settings), quote=settings.quote)
    with progress.shown(auditor.progress, reader):
        run.over(wiring.header(auditor, paths), reader)
    for path in settings.output:
        note(f"wrote {path}")
    if run.error is not None:
        complain(run.error)
        return exit_codes.of_error(run.error)
    return exit_codes.of_run(run.summary, settings.fail_on)


def _reporters(settings: "Settings") -> "list[Reporter]":
    from chaperone_cli import reporters
    from chaperone_cli.cli import console
    from chaperone_cli.reporters.terminal import TerminalReporter

    files = reporters.for_paths(settings.output)
    # Last, so that a terminal that went away leaves every file complete.
    return [*files, TerminalReporter(console.result(), settings.rows, settings.quote)]
