"""`chaperone evaluate`: how good an evaluator is, on a log that says what is right."""

from typing import TYPE_CHECKING, Annotated

import typer

from chaperone_cli.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chaperone_cli.config import Settings

VOTES_SUFFIXES = (".votes.jsonl", ".votes.jsonl.gz")

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Labelled logs; or one .votes.jsonl file that names label and side of each turn.",
        show_default=False,
    ),
]
Output = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--output",
        help="Write the figures to a .json file (evaluation.v1). Repeatable.",
        rich_help_panel=options.OUTPUT,
        show_default=False,
    ),
]


def evaluate(
    paths: Paths,
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
    rubric: options.RubricName = None,
    votes: options.Votes = None,
    rule: options.RuleName = None,
    sides: options.SidesOption = None,
    concurrency: options.Concurrency = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    max_cost: options.MaxCost = None,
    max_calls: options.MaxCalls = None,
    prices: options.Prices = None,
    output: Output = None,
    store: options.Store = None,
    no_store: options.NoStore = None,
) -> None:
    """Measure an evaluator on labelled logs: the paper's tables, for every rule, with intervals."""
    from chaperone_cli.cli.places import keep_apart

    # Every rule is computed from one set of votes, which must therefore be whole.
    whole = {"all_votes": True, "until_block": False, "screen": "none"}
    settings = options.settings({**locals(), **whole, "output": None})
    keep_apart(settings, config, paths, outputs=output or ())
    raise typer.Exit(_run(paths, settings, output or []))


def _run(paths: "Sequence[str]", settings: "Settings", outputs: "Sequence[str]") -> int:
    from chaperone_cli.cli import console, exit_codes
    from chaperone_cli.cli.measuring import measure_logs, measure_votes_file, writer
    from chaperone_cli.cli.places import place
    from chaperone_cli.codec.paper import published
    from chaperone_cli.reports.terminal.evaluation import render_evaluation

    writers = [writer(path) for path in outputs]
    if any(path.endswith(VOTES_SUFFIXES) for path in paths):
        measured = measure_votes_file(paths, settings)
    else:
        measured = measure_logs(paths, settings)
    if measured.error is not None:
        raise measured.error
    evaluation = measured.evaluation()
    render_evaluation(console.result(), evaluation, measured.header, published())
    for path, write in zip(outputs, writers, strict=True):
        write(evaluation, measured)
        console.note(f"wrote {place(path, measured.summary.ending)}")
    return exit_codes.of_measurement(measured.summary)
