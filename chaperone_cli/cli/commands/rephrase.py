"""`chaperone rephrase`: rewrites flagged responses, and judges each rewrite in its place."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chaperone_cli.cli import options
from chaperone_cli.cli import rephrase_options as own
from chaperone_cli.config import Settings

if TYPE_CHECKING:
    from chaperone_cli.rephrasing.responses import Wanted
    from chaperone_cli.rephrasing.run import Rephrased


@options.takes(
    *("*", "format", "config", "evaluator", *options.SCREEN, "rubric", "votes", "rule"),
    *("concurrency", *options.MODEL, "output", "hash_ids", "hash_key_file", "store", "no_store"),
)
def rephrase(
    path: own.Log,
    settings: Settings,
    config: Path | None,
    conversation: own.Conversation = None,
    turn: own.Turn = None,
    first_block: own.FirstBlock = False,
    all: own.All = False,
    report: own.Report = None,
    force: own.Force = False,
    rewriter: own.Rewriter = "prune",
    strategy: own.StrategyName = None,
    compare: own.Compare = None,
    attempts: own.Attempts = 3,
    locale: own.Locale = None,
    output: own.Output = None,
) -> int:
    """Rewrite a flagged response, and judge the rewrite in its place by the same votes.

    Exits with 10 if no rewrite passes.
    """
    from chaperone_cli.cli import exit_codes
    from chaperone_cli.cli.places import keep_apart
    from chaperone_cli.rephrasing.responses import Wanted, strategies

    names = strategies(strategy, compare)
    which = (path, conversation, turn, first_block, all, report, force)
    wanted = Wanted(*which, rewriter, names, attempts, locale)
    files = [Path(name) for name in names if name.endswith(".toml")]
    keep_apart(settings, config, [path], outputs=output or (), also_read=[report, *files])
    return exit_codes.of_rephrasing(_run(wanted, settings, output or []))


def _run(wanted: "Wanted", settings: Settings, outputs: Sequence[str]) -> "Rephrased":
    from chaperone_cli.cli import console
    from chaperone_cli.cli.host import Terminal
    from chaperone_cli.cli.places import place
    from chaperone_cli.domain.ranking import rank
    from chaperone_cli.rephrasing.run import Rephrase
    from chaperone_cli.reports import rephrase_files
    from chaperone_cli.reports.terminal import rephrasing as terminal

    writers = [rephrase_files.writer(path) for path in outputs]
    run = Rephrase(wanted, settings, Terminal())
    screen, header = console.result(), run.header()
    show = terminal.render_line if wanted.every else terminal.render_rephrasing
    done = run.run(lambda one: show(screen, one, settings.votes))
    if done.results and (wanted.every or len(run.strategies) > 1):
        terminal.render_ranking(screen, rank(done.results))
    if done.results or done.error is None:
        for path, write in zip(outputs, writers, strict=True):
            write(run.document(header))
            console.note(f"wrote {place(path, done.ending)}")
            for line in done.unpaired() if rephrase_files.holds_pairs(path) else ():
                console.note(f"note: {line}")
    if done.error is not None:
        console.complain(done.error)
    return done
