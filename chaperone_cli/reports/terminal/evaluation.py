"""Shows an evaluation in a terminal: what was measured, what was left out, and the tables."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from chaperone_cli.domain.conversation import Sides
from chaperone_cli.domain.metrics.figures import Design, Evaluation, RuleFigures
from chaperone_cli.domain.metrics.paper import Paper
from chaperone_cli.domain.run import RunHeader
from chaperone_cli.reports.terminal.evaluation_tables import (
    ASCII,
    MUTED,
    Cells,
    EvaluationPage,
    rule_name,
    tables,
)
from chaperone_cli.reports.text import plain

LABEL_WIDTH, RULE_WIDTH = 24, 34
"""Columns that labels and each rule need for a figure's notes to stand on its own line."""


def render_evaluation(
    console: Console, evaluation: Evaluation, header: RunHeader, paper: Paper | None
) -> None:
    """Prints `evaluation`; the figures of `paper` stand beside it if its log has their design."""
    beside = paper if paper is not None and paper.compares_with(evaluation) else None
    wide = console.width >= LABEL_WIDTH + RULE_WIDTH * len(evaluation.rules)
    page = EvaluationPage(evaluation, beside, Cells(wide, beside is not None), console.encoding)
    console.print(Spelled(Group(*_parts(page, header, paper))))


@dataclass(frozen=True)
class Spelled:
    """Spells a renderable with the signs that the output's encoding has, one for one."""

    renderable: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        signs = ASCII if options.ascii_only else {}
        for text, style, control in console.render(self.renderable, options):
            yield Segment(text.translate(signs), style, control)


def _parts(
    page: EvaluationPage, header: RunHeader, paper: Paper | None
) -> Iterator[RenderableType]:
    yield _heading(page, header)
    for warning in _warnings(page, header.protocol.sides):
        yield Text(f"! {warning}", style="yellow")
    for title, table in tables(page):
        yield Text(f"\n{title}", style="bold")
        yield table
    yield ""
    for note in _notes(page, paper):
        yield Text(note, style=MUTED)


def _heading(page: EvaluationPage, header: RunHeader) -> Text:
    evaluation, rubric = page.evaluation, header.protocol.rubric
    evaluator = plain(f"{header.evaluator} {header.evaluator_version}", page.encoding)
    return Text.assemble(
        "Evaluator ",
        (evaluator, "bold"),
        f", rubric {plain(rubric.id, page.encoding)} version {rubric.version}: ",
        f"{_many(evaluation.conversations, 'conversation')}, ",
        f"{_many(evaluation.agreement.turns, 'turn')} judged, N = {evaluation.passes}",
    )


def _warnings(page: EvaluationPage, sides: Sides) -> Iterator[str]:
    """Says what the figures leave out and what stands unsettled in them."""
    evaluation = page.evaluation
    if sides is not Sides.BOTH:
        yield f"Only {sides.value} were judged"
    yield from _about_labels(page)
    if evaluation.unjudged:
        yield f"{_many(evaluation.unjudged, 'conversation')} without any judged turn left out"
    if evaluation.turns_unjudged:
        yield f"{_many(evaluation.turns_unjudged, 'turn')} that should be judged were not"
    if undecided := _per_rule(evaluation, lambda rule: rule.undecided):
        yield f"Conversations left undecided by abstentions, counted as not blocked: {undecided}"
    if before := _per_rule(evaluation, lambda rule: rule.undecided_before_block):
        yield (
            "Blocked conversations with an undecided turn before the first blocking one, which "
            f"might have come earlier: {before}"
        )


def _about_labels(page: EvaluationPage) -> Iterator[str]:
    labels, unlabelled = [label for label, _ in page.by_label()], page.evaluation.unlabelled
    if not labels:
        yield (
            "No judged conversation has a label: nothing says which should be blocked, and only "
            "agreement and votes can be shown"
        )
        return
    positive = page.positive
    if positive not in labels:
        yield f"No conversation is labelled {positive}: recall cannot be measured"
    for label in labels:
        if label != positive and label.strip().casefold() == positive:
            yield (
                f'The label "{plain(label, page.encoding)}" is not "{positive}", so blocks of its '
                "conversations count as wrong: write it in small letters and without spaces"
            )
    if unlabelled:
        yield f"{_many(unlabelled, 'conversation')} without a label left out of rates"


def _per_rule(evaluation: Evaluation, count: Callable[[RuleFigures], int]) -> str:
    """Writes a count under every rule; nothing where it is 0 under all."""
    counts = [(rule_name(rule), count(rule)) for rule in evaluation.rules]
    if not any(number for _, number in counts):
        return ""
    return ", ".join(f"{name}: {number}" for name, number in counts)


def _notes(page: EvaluationPage, paper: Paper | None) -> Iterator[str]:
    if page.evaluation.rules[0].labels:
        yield (
            "Ranges are 95 % Wilson intervals over conversations; turns of one conversation are "
            "not independent and get none. Precision depends on this log's mix of labels."
        )
    if page.paper is not None:
        yield f"In parentheses: {page.paper.citation} (evaluator {page.paper.evaluator})."
    elif paper is not None:
        difference = _difference(page.evaluation, paper.design)
        yield f"The paper's figures do not stand beside these: {difference}."


def _difference(evaluation: Evaluation, theirs: Design) -> str:
    """Names the first point in which the log departs from the paper's design."""
    ours = evaluation.design
    if ours.positive != theirs.positive:
        return f"it asks for {theirs.positive}"
    if ours.labels != theirs.labels:
        wanted = ", ".join(f"{count} {label}" for label, count in theirs.labels)
        return f"its log has {wanted} conversations and no others"
    if ours.passes != theirs.passes:
        return f"it casts N = {theirs.passes} votes on each turn, here N = {ours.passes}"
    if ours.turns != theirs.turns:
        return f"its conversations have {theirs.turns[0]} turns each"
    return "there prompts and responses alternate, prompts first, and every turn is judged"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
