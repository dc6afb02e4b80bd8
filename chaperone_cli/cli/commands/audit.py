"""`chaperone audit`: the main job."""

from typing import TYPE_CHECKING

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chaperone_cli.config import Settings
    from chaperone_cli.domain.pseudonym import Names
    from chaperone_cli.reports.interface import Reporter


def audit(
    paths: options.Paths,
    format: options.Format = None,
    branches: options.BranchesOption = None,
    where: options.Where = None,
    since: options.Since = None,
    until: options.Until = None,
    limit: options.Limit = None,
    sample: options.Sample = None,
    seed: options.Seed = None,
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
    concurrency: options.Concurrency = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    calls_at_once: options.CallsAtOnce = None,
    latency: options.LatencyOption = None,
    max_cost: options.MaxCost = None,
    max_cost_total: options.MaxCostTotal = None,
    max_calls: options.MaxCalls = None,
    prices: options.Prices = None,
    dry_run: options.DryRun = None,
    explain: options.Explain = None,
    batch: options.Batch = None,
    detach: options.Detach = None,
    output: options.Output = None,
    quote: options.Quote = None,
    rows: options.Rows = None,
    fail_on: options.FailOnOption = None,
    baseline: options.Baseline = None,
    changes: options.Changes = None,
    hash_ids: options.HashIds = None,
    hash_key_file: options.HashKeyFile = None,
    store: options.Store = None,
    no_store: options.NoStore = None,
    keep_abstentions: options.KeepAbstentions = None,
) -> None:
    """Audit logs: which conversations crossed the line, at which turn, and whose turn it was."""
    from chaperone_cli.cli.places import keep_apart

    settings = options.settings(locals())
    outputs = (*settings.output, *settings.changes)
    keep_apart(settings, config, paths, outputs=outputs, folders=True)
    raise typer.Exit(_forecast(paths, settings) if settings.dry_run else _run(paths, settings))


def _forecast(paths: "Sequence[str]", settings: "Settings") -> int:
    from chaperone_cli.cli.console import result
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.cli.forecast import forecast, show

    foretold = forecast(paths, settings)
    show(foretold, settings, result())
    return ExitCode.UNREAD if foretold.problems else ExitCode.OK


def _run(paths: "Sequence[str]", settings: "Settings") -> int:
    from chaperone_cli.cli import exit_codes, hashing, progress, wiring
    from chaperone_cli.cli.comparison.baseline import Baseline
    from chaperone_cli.cli.console import complain, note
    from chaperone_cli.cli.places import place
    from chaperone_cli.cli.running import Run
    from chaperone_cli.cli.selecting import log_reader, selection
    from chaperone_cli.errors import VotesPending

    chosen = selection(settings)
    key = hashing.key(settings)
    names = hashing.names(settings, key)
    reader = log_reader(paths, settings)
    auditor = wiring.auditor(settings)
    baseline = Baseline.of(settings)
    reporters = [*_files(paths, settings, names), *baseline.reporters, _terminal(settings)]
    run = Run(auditor, reporters, quote=settings.quote, names=names, key=key)
    items = chosen.over(reader, run.summary.left_out)
    run.over(wiring.header(auditor, paths), items, progress.shown(auditor.progress, reader))
    if run.reported:
        for path in (*settings.output, *settings.changes):
            note(f"wrote {place(path, run.summary.ending)}")
        baseline.show()
    elif settings.output and not isinstance(run.error, VotesPending):
        note("note: nothing was audited, so no report was written; one of an earlier run stays")
    if run.error is not None:
        complain(run.error)
        return exit_codes.of_error(run.error)
    return exit_codes.of_run(run.summary, settings.fail_on, baseline.comparison)


def _files(paths: "Sequence[str]", settings: "Settings", names: "Names") -> "list[Reporter]":
    from chaperone_cli import reports
    from chaperone_cli.cli.gathering import evidence
    from chaperone_cli.cli.places import is_folder

    folders = [path for path in settings.output if is_folder(path)]
    files = [reports.for_path(path) for path in settings.output if path not in folders]
    return [*files, *(evidence(path, paths, settings, names) for path in folders)]


def _terminal(settings: "Settings") -> "Reporter":
    """Gives the reporter that comes last: a terminal that went away leaves every file complete."""
    from chaperone_cli.cli import console
    from chaperone_cli.reports.terminal.run import TerminalReporter

    return TerminalReporter(console.result(), settings.rows, settings.quote)
