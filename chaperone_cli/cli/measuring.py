"""Measures an evaluator: gathers all votes on labelled logs and adds them up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chaperone_cli.cli import wiring
from chaperone_cli.cli.figures import Adding, json_file
from chaperone_cli.cli.rehearsing import rehearse
from chaperone_cli.cli.running import Run
from chaperone_cli.cli.selecting import log_reader, selection, tell_left_out
from chaperone_cli.config import Settings
from chaperone_cli.domain.metrics.evaluate import EvaluationBuilder
from chaperone_cli.domain.metrics.figures import Evaluation
from chaperone_cli.domain.run import RunHeader, Summary
from chaperone_cli.domain.selection import Selection
from chaperone_cli.engine.auditor import Auditor
from chaperone_cli.engine.recount import recount
from chaperone_cli.errors import ChaperoneError, UsageError
from chaperone_cli.evaluators import recorded


@dataclass(frozen=True)
class Measured:
    """What was measured, before it is put into figures."""

    header: RunHeader
    builder: EvaluationBuilder
    summary: Summary
    error: ChaperoneError | None = None
    """What ended the measurement before its end."""

    def evaluation(self) -> Evaluation:
        """Gives the figures."""
        return self.builder.evaluation()


def measure_logs(paths: Sequence[str], settings: Settings) -> Measured:
    """Puts the logs at `paths` to the evaluator that `settings` name."""
    from chaperone_cli.cli import progress

    chosen, reader = selection(settings), log_reader(paths, settings)
    auditor = wiring.auditor(settings)
    builder = _builder(auditor)
    rehearse(auditor, paths, settings)
    header = wiring.header(auditor, paths)
    run = Run(auditor, [Adding(builder.add)])
    items = chosen.over(reader, run.summary.left_out)
    run.over(header, items, progress.shown(auditor.progress, reader))
    tell_left_out(run.summary.left_out)
    return Measured(header, builder, run.summary, run.error)


def measure_votes_file(paths: Sequence[str], settings: Settings) -> Measured:
    """Adds up the votes of one votes file that says label and side of each turn itself."""
    if len(paths) != 1:
        raise UsageError(
            "a votes file is evaluated by itself", hint="give one .votes.jsonl file, or only logs"
        )
    if replace(selection(settings), seed=0) != Selection():
        raise UsageError(
            "conversations of a votes file cannot be selected: it tells nothing else of them",
            hint="evaluate the log with --evaluator recorded, or leave the selection out",
        )
    path = Path(paths[0])
    voted = replace(settings, evaluator="recorded", recorded_votes=path)
    auditor = wiring.auditor(voted)
    builder, summary = _builder(auditor), Summary(settings.votes)
    for verdict in recount(str(path), recorded.read(path), auditor.protocol):
        builder.add(verdict)
        summary.add(verdict)
    return Measured(wiring.header(auditor, paths), builder, summary)


def _builder(auditor: Auditor) -> EvaluationBuilder:
    protocol, rubric = auditor.protocol, auditor.protocol.rubric
    if len(rubric.labels) != 1:
        raise UsageError(
            f"rubric {rubric.id!r} has {len(rubric.labels)} labels; an evaluation is of one",
            hint="use a rubric with one label",
        )
    return EvaluationBuilder(protocol.passes, protocol.rule, rubric.labels[0].id)


def writer(path: str) -> Callable[[Evaluation, Measured], None]:
    """Gives what writes figures to `path`; raises UsageError unless it is a .json file."""
    put = json_file(path)

    def write(evaluation: Evaluation, measured: Measured) -> None:
        from chaperone_cli.codec.evaluation import encode
        from chaperone_cli.codec.paper import published

        summary = measured.summary
        document = encode(evaluation, measured.header, published(), summary.left_out)
        put(document, summary.ending)

    return write
