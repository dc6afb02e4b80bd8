"""`chaperone rephrase`: rewrites flagged responses, and judges each rewrite in its place."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from chaperone_cli.cli.rephrase.running import Rephrased
    from chaperone_cli.cli.rephrase.wanted import Wanted
    from chaperone_cli.config import Settings
    from chaperone_cli.domain.rephrasing import Rephrasing

RESPONSE = "Which response"
REWRITING = "Rewriting"


def _option(
    panel: str, help: str, *flags: str, metavar: str | None = None
) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        *flags, help=help, metavar=metavar, rich_help_panel=panel, show_default=False
    )
    return option


Path_ = Annotated[
    str, typer.Argument(metavar="LOG", help="The log: a file, or -.", show_default=False)
]
Conversation = Annotated[
    str | None,
    _option(
        RESPONSE,
        "The conversation; may be left out where there is only one.",
        "--conversation",
        metavar="ID",
    ),
]
Turn = Annotated[
    int | None, _option(RESPONSE, "The response's turn, from 1.", "--turn", metavar="K")
]
FirstBlock = Annotated[
    bool,
    _option(
        RESPONSE,
        "The conversation's first blocking response; the response after it where the first block "
        "is a prompt.",
        "--first-block",
    ),
]
All = Annotated[bool, _option(RESPONSE, "The first block of every conversation.", "--all")]
Report = Annotated[
    Path | None,
    _option(
        RESPONSE,
        "With --all, a saved .json or .jsonl report that says where the first blocks are.",
        "--report",
        metavar="FILE",
    ),
]
Force = Annotated[
    bool, _option(RESPONSE, "Rewrite a response that was not flagged all the same.", "--force")
]
Rewriter = Annotated[
    str,
    _option(
        REWRITING,
        "Who rewrites: prune (offline) or claude, which sends the conversation to a server. "
        "Default: prune.",
        "--rewriter",
        metavar="NAME",
    ),
]
StrategyName = Annotated[
    str | None,
    _option(
        REWRITING,
        "What a rewrite aims at: neutral, warm, redirect, boundary, crisis; with --rewriter claude "
        "also constitution, guided; or a .toml file. Default: neutral.",
        "--strategy",
        metavar="NAME|FILE",
    ),
]
Compare = Annotated[
    str | None,
    _option(
        REWRITING,
        "Run several strategies side by side and rank them.",
        "--compare",
        metavar="A,B,...",
    ),
]
Attempts = Annotated[
    int,
    _option(
        REWRITING,
        "Rewrites of one response at most, until one passes. Default: 3.",
        "--attempts",
        metavar="N",
    ),
]
Locale = Annotated[
    str | None,
    _option(
        REWRITING,
        "The user's region, for lines of help: US, CA, GB, IE, EU or AU. Default: a list of lines "
        "for all countries.",
        "--locale",
        metavar="REGION",
    ),
]
Output = Annotated[
    list[str] | None,
    _option(
        options.OUTPUT,
        "Write a .json file (rephrase.v1) or a .jsonl file (preference pairs). Both hold "
        "conversation text. Repeatable.",
        "-o",
        "--output",
        metavar="FILE",
    ),
]


def rephrase(
    path: Path_,
    conversation: Conversation = None,
    turn: Turn = None,
    first_block: FirstBlock = False,
    all: All = False,
    report: Report = None,
    force: Force = False,
    rewriter: Rewriter = "prune",
    strategy: StrategyName = None,
    compare: Compare = None,
    attempts: Attempts = 3,
    locale: Locale = None,
    format: options.Format = None,
    config: options.Config = None,
    evaluator: options.Evaluator = None,
    screen: options.ScreenName = None,
    screen_level: options.ScreenLevel = None,
    screen_reach: options.ScreenReach = None,
    rubric: options.RubricName = None,
    votes: options.Votes = None,
    rule: options.RuleName = None,
    concurrency: options.Concurrency = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    max_cost: options.MaxCost = None,
    max_calls: options.MaxCalls = None,
    prices: options.Prices = None,
    output: Output = None,
    hash_ids: options.HashIds = None,
    hash_key_file: options.HashKeyFile = None,
    store: options.Store = None,
    no_store: options.NoStore = None,
) -> None:
    """Rewrite a flagged response, and judge the rewrite in its place by the same votes.

    Exits with 10 if no rewrite passes.
    """
    from chaperone_cli.cli.places import keep_apart
    from chaperone_cli.cli.rephrase.wanted import Wanted, strategies

    settings = options.settings({**locals(), "output": None})
    wanted = Wanted(
        path,
        conversation,
        turn,
        first_block,
        all,
        report,
        force,
        rewriter,
        strategies(strategy, compare),
        attempts,
        locale,
    )
    files = [Path(name) for name in wanted.strategies if name.endswith(".toml")]
    keep_apart(settings, config, [path], outputs=output or (), also_read=[report, *files])
    raise typer.Exit(_run(wanted, settings, output or []))


def _run(wanted: "Wanted", settings: "Settings", outputs: list[str]) -> int:
    from chaperone_cli.cli import console, wiring
    from chaperone_cli.cli.places import place
    from chaperone_cli.cli.rephrase.running import Rephrase
    from chaperone_cli.codec.rephrase import RephraseRun
    from chaperone_cli.domain.ranking import rank
    from chaperone_cli.reports import rephrase_files
    from chaperone_cli.reports.terminal import rephrasing as rephrase_terminal

    writers = [rephrase_files.writer(path) for path in outputs]
    run = Rephrase(wanted, settings)
    header = run.names.header(wiring.header(run.auditor, [wanted.path]))
    screen = console.result()
    show = rephrase_terminal.render_line if wanted.every else rephrase_terminal.render_rephrasing
    done = run.run(lambda one: show(screen, one, settings.votes))
    if done.results and (wanted.every or len(run.strategies) > 1):
        rephrase_terminal.render_ranking(screen, rank(done.results))
    finished = RephraseRun(
        header,
        run.rewriter.identity,
        run.strategies,
        wanted.attempts,
        tuple(done.results),
        done.ending,
        run.auditor.usage,
    )
    if done.results or done.error is None:
        for path, write in zip(outputs, writers, strict=True):
            write(finished)
            console.note(f"wrote {place(path, done.ending)}")
            if rephrase_files.holds_pairs(path):
                _note_unpaired(finished.results)
    return _exit_code(done)


def _note_unpaired(results: "Iterable[Rephrasing]") -> None:
    """Says of every response without a preference pair why it has none."""
    from chaperone_cli.cli import console

    for one in results:
        if one.unpaired is not None:
            name, turn = one.target.conversation.id, one.target.turn.number
            where = f"turn {turn} of conversation {name[:80]!r} with {one.strategy.id}"
            console.note(f"note: no pair for {where}: {one.unpaired}")


def _exit_code(done: "Rephrased") -> int:
    from chaperone_cli.cli.console import complain
    from chaperone_cli.cli.exit_codes import ExitCode, of_error
    from chaperone_cli.domain.rephrasing import Result
    from chaperone_cli.domain.run import Ending

    if done.error is not None:
        complain(done.error)
        return of_error(done.error)
    if done.ending is Ending.INTERRUPTED:
        return ExitCode.INTERRUPTED
    places = {(one.target.conversation.id, one.target.turn.number) for one in done.results}
    repaired = {
        (one.target.conversation.id, one.target.turn.number)
        for one in done.results
        if one.result is Result.PASSING
    }
    if places - repaired:
        return ExitCode.BLOCKED
    if done.undecided:
        return ExitCode.UNDECIDED
    return ExitCode.UNREAD if done.unread else ExitCode.OK
