"""`chaperone validate`: every problem of a log, and nothing else."""

from pathlib import Path

from chaperone_cli.cli import options
from chaperone_cli.config import Settings


@options.takes("format", "branches", "config")
def validate(paths: options.Paths, settings: Settings, config: Path | None) -> int:
    """List every problem of logs, with file and line; exit with 3 if something cannot be read."""
    from chaperone_cli.auditing.logs import Checked
    from chaperone_cli.cli import console
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.cli.places import keep_apart
    from chaperone_cli.domain.problem import Problem, Severity
    from chaperone_cli.reports.text import plain, plural

    keep_apart(settings, config, paths)
    out = console.result()
    conversations = turns = 0
    found = dict.fromkeys(Severity, 0)
    reader = Checked(paths, settings)
    for item in reader:
        if isinstance(item, Problem):
            found[item.severity] += 1
            out.print(plain(f"{item.severity}: {item}"), markup=False, soft_wrap=True)
        else:
            conversations += 1
            turns += len(item.turns)
    out.print(
        f"{plural(conversations, 'conversation')} with {plural(turns, 'turn')} can be audited; "
        f"{plural(found[Severity.ERROR], 'error')}, {plural(found[Severity.WARNING], 'warning')}",
        soft_wrap=True,
    )
    if reader.account.seen:
        out.print(str(reader.account), soft_wrap=True)
    return ExitCode.UNREAD if found[Severity.ERROR] else ExitCode.OK
