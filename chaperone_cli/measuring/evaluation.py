"""Measures an evaluator: gathers all votes on labelled logs and adds them up."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chaperone_cli.auditing import build
from chaperone_cli.auditing.host import Host
from chaperone_cli.auditing.rehearse import rehearse
from chaperone_cli.auditing.run import Run
from chaperone_cli.auditing.turn_loop import TurnLoop
from chaperone_cli.codec.vote import RecordedTurn
from chaperone_cli.config import Settings
from chaperone_cli.domain.conversation import Conversation, Message, Role, Side, Sides, Source
from chaperone_cli.domain.metrics.evaluate import EvaluationBuilder
from chaperone_cli.domain.metrics.figures import Evaluation
from chaperone_cli.domain.run import Protocol, RunHeader, Summary
from chaperone_cli.domain.selection import Selection
from chaperone_cli.domain.verdict import ConversationVerdict
from chaperone_cli.errors import ChaperoneError, InputError, UsageError
from chaperone_cli.evaluators.recorded import read
from chaperone_cli.measuring.figures import Adding, json_file


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


def measure_logs(paths: Sequence[str], settings: Settings, host: Host) -> Measured:
    """Puts the logs at `paths` to the evaluator that `settings` name."""
    chosen, reader = build.selection(settings), build.log_reader(paths, settings)
    auditor = build.auditor(settings)
    builder = builder_for(auditor.protocol)
    rehearse(auditor, paths, settings, host)
    header = build.header(auditor, paths)
    run = Run(auditor, [Adding(builder.add, host)], host=host)
    run.over(header, reader, chosen)
    return Measured(header, builder, run.summary, run.error)


def measure_votes_file(paths: Sequence[str], settings: Settings) -> Measured:
    """Adds up the votes of one votes file that says label and side of each turn itself."""
    if len(paths) != 1:
        raise UsageError(
            "a votes file is evaluated by itself", hint="give one .votes.jsonl file, or only logs"
        )
    if replace(build.selection(settings), seed=0) != Selection():
        raise UsageError(
            "conversations of a votes file cannot be selected: it tells nothing else of them",
            hint="evaluate the log with --evaluator recorded, or leave the selection out",
        )
    path = Path(paths[0])
    voted = replace(settings, evaluator="recorded", recorded_votes=path)
    auditor = build.auditor(voted)
    builder, summary = builder_for(auditor.protocol), Summary(settings.votes)
    for verdict in recount(str(path), read(path), auditor.protocol):
        builder.add(verdict)
        summary.add(verdict)
    return Measured(build.header(auditor, paths), builder, summary)


def builder_for(protocol: Protocol) -> EvaluationBuilder:
    """Return what adds up verdicts under `protocol`; raises UsageError unless it has one label."""
    rubric = protocol.rubric
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


_ROLES = {Side.PROMPT: Role.USER, Side.RESPONSE: Role.ASSISTANT}


def recount(
    path: str, rows: Iterable[tuple[int, RecordedTurn]], protocol: Protocol
) -> Iterator[ConversationVerdict]:
    """Yields the verdict of every conversation in the votes file `path`, with all its votes.

    `rows` are its lines with their numbers, which must name each turn's side. Raises InputError
    naming the line where one does not fit.
    """
    protocol = replace(protocol, sides=Sides.BOTH, all_votes=True, until_block=False)
    conversations: dict[str, list[tuple[int, RecordedTurn]]] = {}
    for line, row in rows:
        conversations.setdefault(row.conversation, []).append((line, row))
    for name, recorded in conversations.items():
        messages = [_message(path, line, row, protocol.passes) for line, row in recorded]
        _check_order(path, recorded)
        (line, first), *_ = recorded
        loop = TurnLoop(Conversation(name, messages, Source(path, line), first.label), protocol)
        for wave in loop.waves():
            loop.cast(wave, recorded[wave.turn.number - 1][1].votes)
        yield loop.verdict()


def _message(path: str, line: int, row: RecordedTurn, passes: int) -> Message:
    """Stands for the turn that `row` has all votes on."""
    if row.side is None:
        raise InputError(
            f"{path}:{line}: a votes file without its log must name each turn's `side`",
            hint="name the log instead, with --evaluator recorded",
        )
    if (count := len(row.votes)) != passes:
        noun = "vote" if count == 1 else "votes"
        raise InputError(
            f"{path}:{line}: {count} {noun}, where {passes} are expected",
            hint="say with --votes how many votes each turn has",
        )
    return Message(_ROLES[row.side], "")


def _check_order(path: str, recorded: list[tuple[int, RecordedTurn]]) -> None:
    for expected, (line, row) in enumerate(recorded, start=1):
        if row.turn != expected:
            raise InputError(
                f"{path}:{line}: turn {row.turn} of conversation {row.conversation!r} stands "
                f"where turn {expected} is expected",
                hint="list the turns of each conversation in order, from 1",
            )
