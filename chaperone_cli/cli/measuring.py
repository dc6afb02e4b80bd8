"""Measures an evaluator: gathers all votes on labelled logs and adds them up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chaperone_cli.cli import console, wiring
from chaperone_cli.cli.running import Run
from chaperone_cli.cli.selecting import log_reader, selection, tell_left_out
from chaperone_cli.config import Settings
from chaperone_cli.domain.metrics.evaluate import EvaluationBuilder
from chaperone_cli.domain.metrics.figures import Evaluation
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.run import Protocol, RunHeader, Summary, Usage
from chaperone_cli.domain.selection import LeftOut, Selection
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.engine.recount import recount
from chaperone_cli.errors import ChaperoneError, UsageError
from chaperone_cli.evaluators import recorded
from chaperone_cli.reporters.interface import Quotes, Reporter


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


class _Adding(Reporter):
    """Adds verdicts up, and tells of problems at once."""

    def __init__(self, protocol: Protocol) -> None:
        self.builder = EvaluationBuilder(protocol.passes, protocol.rule)

    def open(self, header: RunHeader) -> None:
        pass

    def add(self, verdict: ConversationVerdict, quotes: Quotes) -> None:
        self.builder.add(verdict)

    def add_problem(self, problem: Problem) -> None:
        console.report_problem(problem)

    def close(self, summary: Summary, usage: Usage) -> None:
        pass

    def abandon(self) -> None:
        pass


def measure_logs(paths: Sequence[str], settings: Settings) -> Measured:
    """Puts the logs at `paths` to the evaluator that `settings` name."""
    from chaperone_cli.cli import progress

    chosen, reader = selection(settings), log_reader(paths, settings)
    auditor = wiring.auditor(settings)
    adding = _Adding(auditor.protocol)
    header = wiring.header(auditor, paths)
    run = Run(auditor, [adding])
    items = chosen.over(reader, run.summary.left_out)
    run.over(header, items, progress.shown(auditor.progress, reader))
    tell_left_out(run.summary.left_out)
    return Measured(header, adding.builder, run.summary, run.error)


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
    adding, summary = _Adding(auditor.protocol), Summary(settings.votes)
    for verdict in recount(str(path), recorded.read(path), auditor.protocol):
        adding.builder.add(verdict)
        summary.add(verdict)
    return Measured(wiring.header(auditor, paths), adding.builder, summary)


def writer(path: str) -> Callable[[Evaluation, RunHeader, LeftOut], None]:
    """Gives what writes figures to `path`; raises UsageError unless it is a .json file."""
    if not path.endswith(".json"):
        raise UsageError(
            f"cannot write figures to {path!r}", hint="name a .json file with --output"
        )

    def write(evaluation: Evaluation, header: RunHeader, left_out: LeftOut) -> None:
        from chaperone_cli.codec.evaluation import encode
        from chaperone_cli.codec.fields import dumps
        from chaperone_cli.codec.paper import published
        from chaperone_cli.reporters.target import Target

        target = Target(Path(path))
        target.open()
        target.write(dumps(encode(evaluation, header, published(), left_out)) + b"\n")
        target.commit()

    return write
