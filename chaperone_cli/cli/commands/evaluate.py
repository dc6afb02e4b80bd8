"""`chaperone evaluate`: how good an evaluator is, on a log that says what is right."""

from pathlib import Path
from typing import Annotated

import typer

from chaperone_cli.cli import options
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
    options.own(
        "Write the figures to a .json file (evaluation.v1). Repeatable.",
        *("-o", "--output"),
        panel=options.OUTPUT,
    ),
]


# Every rule is computed from one set of votes, which must therefore be whole.
@options.takes(
    *(*options.SELECTION, "config", "evaluator", "recorded_votes", "rubric", "votes", "rule"),
    *("sides", "concurrency", *options.MODEL, "*", "store", "no_store"),
    all_votes=True,
    until_block=False,
    screen="none",
)
def evaluate(paths: Paths, settings: Settings, config: Path | None, output: Output = None) -> int:
    """Measure an evaluator on labelled logs: the paper's tables, for every rule, with intervals."""
    from chaperone_cli.cli import console, exit_codes
    from chaperone_cli.cli.host import Terminal, tell_left_out
    from chaperone_cli.cli.places import keep_apart, place
    from chaperone_cli.codec.paper import published
    from chaperone_cli.measuring.evaluation import measure_logs, measure_votes_file, writer
    from chaperone_cli.reports.terminal.evaluation import render_evaluation

    outputs = output or []
    keep_apart(settings, config, paths, outputs=outputs)
    writers = [writer(path) for path in outputs]
    if any(path.endswith(VOTES_SUFFIXES) for path in paths):
        measured = measure_votes_file(paths, settings)
    else:
        measured = measure_logs(paths, settings, Terminal())
        tell_left_out(measured.summary.left_out)
    if measured.error is not None:
        raise measured.error
    evaluation = measured.evaluation()
    render_evaluation(console.result(), evaluation, measured.header, published())
    for path, write in zip(outputs, writers, strict=True):
        write(evaluation, measured)
        console.note(f"wrote {place(path, measured.summary.ending)}")
    return exit_codes.of_measurement(measured.summary)
