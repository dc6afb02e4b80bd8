"""`chaperone validate`: every problem of a log, and nothing else."""

import typer

from chaperone_cli.cli import options


def validate(
    paths: options.Paths,
    format: options.Format = None,
    branches: options.BranchesOption = None,
    config: options.Config = None,
) -> None:
    """List every problem of logs, with file and line; exit with 3 if something cannot be read."""
    from chaperone_cli.cli import console
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.cli.places import keep_apart
    from chaperone_cli.cli.selecting import undated_turn
    from chaperone_cli.domain.problem import Problem, Severity
    from chaperone_cli.readers import LogReader
    from chaperone_cli.reports.text import plain, plural

    settings = options.settings(locals())
    keep_apart(settings, config, paths)
    out = console.result()
    conversations = turns = 0
    found = dict.fromkeys(Severity, 0)
    for item in LogReader(
        paths, format=settings.format, problem_limit=None, branches=settings.branches
    ):
        if isinstance(item, Problem):
            found[item.severity] += 1
            out.print(plain(f"{item.severity}: {item}"), markup=False, soft_wrap=True)
        else:
            conversations += 1
            turns += len(item.turns)
            if (undated := undated_turn(item)) is not None:
                found[undated.severity] += 1
                out.print(plain(f"{undated.severity}: {undated}"), markup=False, soft_wrap=True)
    out.print(
        f"{plural(conversations, 'conversation')} with {plural(turns, 'turn')} can be audited; "
        f"{plural(found[Severity.ERROR], 'error')}, {plural(found[Severity.WARNING], 'warning')}",
        soft_wrap=True,
    )
    raise typer.Exit(ExitCode.UNREAD if found[Severity.ERROR] else ExitCode.OK)
