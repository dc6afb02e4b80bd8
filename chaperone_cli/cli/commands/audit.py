"""`chaperone audit`: the main job."""

from pathlib import Path
from typing import TYPE_CHECKING

from chaperone_cli.cli import options
from chaperone_cli.config import Settings

if TYPE_CHECKING:
    from chaperone_cli.auditing.host import Host
    from chaperone_cli.domain.pseudonym import Names
    from chaperone_cli.reports.interface import Reporter


@options.takes(
    *(*options.SELECTION, "config", "evaluator", "recorded_votes", *options.SCREEN, "rubric"),
    *("votes", "rule", "sides", "all_votes", "until_block", "concurrency"),
    *("model", "base_url", "timeout", "calls_at_once", "latency", "max_cost", "max_cost_total"),
    *("max_calls", "prices", "dry_run", "explain", "batch", "detach"),
    *("output", "quote", "rows", "fail_on", "baseline", "changes", "hash_ids", "hash_key_file"),
    *("store", "no_store", "keep_abstentions"),
)
def audit(paths: options.Paths, settings: Settings, config: Path | None) -> int:
    """Audit logs: which conversations crossed the line, at which turn, and whose turn it was."""
    from chaperone_cli.auditing import build
    from chaperone_cli.auditing.rehearse import rehearse
    from chaperone_cli.auditing.run import Run
    from chaperone_cli.cli import exit_codes, forecast
    from chaperone_cli.cli.baseline import Baseline
    from chaperone_cli.cli.console import complain, note
    from chaperone_cli.cli.host import Terminal
    from chaperone_cli.cli.places import keep_apart, place
    from chaperone_cli.errors import VotesPending

    outputs, host = (*settings.output, *settings.changes), Terminal()
    keep_apart(settings, config, paths, outputs=outputs, folders=True)
    if settings.dry_run:
        return forecast.show(paths, settings)
    chosen, key = build.selection(settings), build.hash_key(settings)
    names, reader = build.names(settings, key), build.log_reader(paths, settings)
    auditor = build.auditor(settings)
    rehearse(auditor, paths, settings, host)
    baseline = Baseline.of(settings, host)
    reporters = [*_files(paths, settings, names, host), *baseline.reporters, _terminal(settings)]
    run = Run(auditor, reporters, quote=settings.quote, names=names, key=key, host=host)
    run.over(build.header(auditor, paths), reader, chosen)
    if run.reported:
        for path in outputs:
            note(f"wrote {place(path, run.summary.ending)}")
        baseline.show()
    elif settings.output and not isinstance(run.error, VotesPending):
        note("note: nothing was audited, so no report was written; one of an earlier run stays")
    if run.error is not None:
        complain(run.error)
        return exit_codes.of_error(run.error)
    return exit_codes.of_run(run.summary, settings.fail_on, baseline.comparison)


def _files(paths: list[str], settings: Settings, names: "Names", host: "Host") -> "list[Reporter]":
    from chaperone_cli import reports
    from chaperone_cli.auditing.evidence_folder import evidence
    from chaperone_cli.cli.places import is_folder

    folders = [path for path in settings.output if is_folder(path)]
    files = [reports.for_path(path) for path in settings.output if path not in folders]
    return [*files, *(evidence(path, paths, settings, names, host) for path in folders)]


def _terminal(settings: Settings) -> "Reporter":
    """Return the reporter that comes last: a terminal that went away leaves every file complete."""
    from chaperone_cli.cli import console
    from chaperone_cli.reports.terminal.run import TerminalReporter

    return TerminalReporter(console.result(), settings.rows, settings.quote)
