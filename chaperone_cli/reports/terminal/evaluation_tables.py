"""The tables of an evaluation: a column for every rule, the paper's figures beside ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.metrics.distribution import Distribution
from chaperone_cli.domain.metrics.figures import Evaluation, LabelFigures, RuleFigures
from chaperone_cli.domain.metrics.paper import Paper, PaperLabel
from chaperone_cli.domain.metrics.proportion import Interval, Proportion
from chaperone_cli.reports.text import plain

ABSENT = "—"
TIMES = "\N{MULTIPLICATION SIGN}"
TO = "\N{EN DASH}"
ASCII = str.maketrans({ABSENT: "-", TIMES: "x", TO: "-"})
"""What stands for these where the output's encoding has only ASCII."""
MUTED = "dim"
MOST_VALUES = 8
"""A distribution with more values is written in ranges."""
RANGE_STARTS = (-20, -10, -5, -2, -1, 0, 1, 2, 3, 4, 6, 11, 21, 51, 101)
NO_FIGURES = PaperLabel()


def rate_or_absent(rate: float | None) -> str:
    """Writes a rate so that 0 % and 100 % mean none and all."""
    if rate is None:
        return ABSENT
    text = f"{100 * rate:.0f}"
    if text == "0" and rate > 0:
        return "<1 %"
    if text == "100" and rate < 1:
        return ">99 %"
    return f"{text} %"


def span(interval: Interval | None) -> str:
    """Writes an interval of rates."""
    if interval is None:
        return ABSENT
    return f"{100 * interval.low:.0f}{TO}{100 * interval.high:.0f} %"


def of(proportion: Proportion) -> str:
    """Writes a proportion as its count and its total."""
    return f"{proportion.count}/{proportion.total}"


def decimal(value: float | None) -> str:
    """Writes a mean or median with one or two decimals."""
    if value is None:
        return ABSENT
    # The sum turns a rounded -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}".removesuffix("0")


def kappa(value: float | None) -> str:
    """Writes kappa so that 1 means perfect agreement."""
    if value is None:
        return ABSENT
    text = f"{value:.2f}"
    return ">0.99" if text == "1.00" and value < 1 else text


def spread(distribution: Distribution) -> str:
    """Writes how often each value occurred, a 2 that occurred six times as 2 times 6."""
    counts = distribution.counts
    if len(counts) > MOST_VALUES:
        return " ".join(f"{name}{TIMES}{count}" for name, count in _ranges(distribution).items())
    return " ".join(f"{value}{TIMES}{count}" for value, count in counts) or ABSENT


def _ranges(distribution: Distribution) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value, count in distribution.counts:
        name = _range(value)
        counts[name] = counts.get(name, 0) + count
    return counts


def _range(value: int) -> str:
    if value < RANGE_STARTS[0]:
        return f"<{RANGE_STARTS[0]}"
    for start, following in pairwise(RANGE_STARTS):
        if value < following:
            return str(start) if following == start + 1 else f"{start}..{following - 1}"
    return f"{RANGE_STARTS[-1]}+"


def count_or_absent(value: int | None) -> str:
    """Writes a count that may not have been published."""
    return ABSENT if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Cells:
    """Lays out the cells of one evaluation."""

    wide: bool
    """Notes stand beside their figure rather than below it."""
    beside_paper: bool
    """The paper's figure follows ours in parentheses."""

    def cell(self, figure: str, paper: str | None, *notes: str) -> Text:
        """Builds a cell from a figure, the paper's and what qualifies ours; empty notes vanish."""
        text = Text(figure)
        if self.beside_paper and paper is not None:
            text.append(f" ({paper})", style=MUTED)
        for note in filter(None, notes):
            text.append("  " if self.wide else "\n").append(note, style=MUTED)
        return text


class Titled(NamedTuple):
    """A table and its title, which may be wider than the table."""

    title: str
    table: Table


@dataclass(frozen=True)
class EvaluationPage:
    """One evaluation as it is laid out; `paper` is None where its figures do not compare."""

    evaluation: Evaluation
    paper: Paper | None
    cells: Cells
    encoding: str
    """What the terminal or file can show."""

    @property
    def positive(self) -> str:
        """The rubric's label."""
        return plain(self.evaluation.design.positive, self.encoding)

    def label(self, label: str) -> Text:
        """Writes a label of the log, which may hold anything."""
        # Folded, as two labels that are cut short could look the same.
        return Text(plain(label, self.encoding), overflow="fold")

    def theirs(self, rule: RuleFigures, label: str) -> PaperLabel:
        """The paper's figures for `label` under `rule`."""
        return self.paper.of(rule.rule.name, label) if self.paper else NO_FIGURES

    def by_label(self) -> Iterator[tuple[str, list[tuple[RuleFigures, LabelFigures]]]]:
        """Every label with its figures under each rule."""
        rules = self.evaluation.rules
        for row in zip(*(rule.labels for rule in rules), strict=True):
            yield row[0].label, list(zip(rules, row, strict=True))

    def table(self) -> Table:
        """Starts a table with a column for every rule."""
        table = _table("")
        for rule in self.evaluation.rules:
            table.add_column(f"{rule_name(rule)}\n{rule.threshold} of {self.evaluation.passes} yes")
        return table


def rule_name(rule: RuleFigures) -> str:
    """Names a rule as a heading does."""
    name = rule.rule.name
    return f"at least {name}" if name.isdigit() else name


def tables(page: EvaluationPage) -> Iterator[Titled]:
    """The tables in order; those that need labels only where there are labels."""
    if page.evaluation.rules[0].labels:
        yield Titled("Conversations blocked", _blocked(page))
        yield Titled("First blocking turn", _first_block(page))
        if page.evaluation.rules[0].lag.conversations:
            title = "From the labelled onset to the first block, in turns"
            yield Titled(f"{title} ({page.positive} conversations)", _lag(page))
        yield Titled(f"Turns judged {page.positive}", _turns_blocked(page))
        yield Titled("Side of the first blocking turn", _attribution(page))
    yield Titled("Agreement among the passes, over all judged turns", _agreement(page))
    yield Titled("Votes needed with early stopping, of all cast", _votes(page))


def _blocked(page: EvaluationPage) -> Table:
    table = page.table()
    for label, row in page.by_label():
        table.add_row(page.label(label), *(_blocked_cell(page, *figures) for figures in row))
    table.add_section()
    rules = page.evaluation.rules
    table.add_row("accuracy", *(_accuracy(page, rule) for rule in rules))
    table.add_row("precision", *(_rate(page, rule.precision) for rule in rules))
    table.add_row("recall", *(_rate(page, rule.recall) for rule in rules))
    table.add_row("F1", *(decimal(rule.f1) for rule in rules))
    return table


def _blocked_cell(page: EvaluationPage, rule: RuleFigures, figures: LabelFigures) -> Text:
    theirs = count_or_absent(page.theirs(rule, figures.label).blocked)
    notes = (span(figures.blocked.interval), _undecided(figures.undecided))
    return page.cells.cell(of(figures.blocked), theirs, *notes)


def _accuracy(page: EvaluationPage, rule: RuleFigures) -> Text:
    theirs = rate_or_absent(page.paper.accuracy(rule.rule.name)) if page.paper else None
    return _rate(page, rule.accuracy, theirs, _undecided(rule.undecided))


def _rate(
    page: EvaluationPage, ours: Proportion, theirs: str | None = None, note: str = ""
) -> Text:
    notes = (of(ours), span(ours.interval), note) if ours.total else ()
    return page.cells.cell(rate_or_absent(ours.rate), theirs, *notes)


def _first_block(page: EvaluationPage) -> Table:
    table = _table("rule", "label", "mean", "median", f"turn{TIMES}conversations")
    for rule in page.evaluation.rules:
        blocked = [figures for figures in rule.labels if figures.first_block.size]
        for figures in blocked:
            found = figures.first_block
            theirs = decimal(page.theirs(rule, figures.label).mean_first_block)
            mean = page.cells.cell(decimal(found.mean), theirs)
            name = rule_name(rule) if figures is blocked[0] else ""
            table.add_row(
                name, page.label(figures.label), mean, decimal(found.median), spread(found)
            )
        if not blocked:
            table.add_row(rule_name(rule), "nothing blocked")
    return table


def _lag(page: EvaluationPage) -> Table:
    table = _table("rule", "mean", "median", "before onset", "never", f"lag{TIMES}conversations")
    for rule in page.evaluation.rules:
        turns, never = rule.lag.turns, rule.lag.never
        figures = (decimal(turns.mean), decimal(turns.median), str(turns.below(0)), str(never))
        table.add_row(rule_name(rule), *figures, spread(turns))
    return table


def _turns_blocked(page: EvaluationPage) -> Table:
    table = page.table()
    for label, row in page.by_label():
        for side in Side:
            cells = (_turns(page, rule, figures, side) for rule, figures in row)
            table.add_row(page.label(f"{label} {side.value}s"), *cells)
    return table


def _turns(page: EvaluationPage, rule: RuleFigures, figures: LabelFigures, side: Side) -> Text:
    ours, theirs = figures.side(side), page.theirs(rule, figures.label).blocked_turns(side)
    blocked = of(Proportion(ours.blocked, ours.judged)) if ours.judged else ABSENT
    return page.cells.cell(blocked, count_or_absent(theirs), _undecided(ours.undecided))


def _attribution(page: EvaluationPage) -> Table:
    table = page.table()
    for label, row in page.by_label():
        if any(figures.blocked.count for _, figures in row):
            for side in Side:
                cells = (_first_blocks(page, rule, figures, side) for rule, figures in row)
                table.add_row(page.label(f"{label} {side.value}s"), *cells)
    if not table.row_count:
        table.add_row("nothing blocked")
    return table


def _first_blocks(
    page: EvaluationPage, rule: RuleFigures, figures: LabelFigures, side: Side
) -> Text:
    theirs = page.theirs(rule, figures.label).first_blocks(side)
    ours = Proportion(figures.side(side).first_blocks, figures.blocked.count)
    # The paper gives few of these: where it gives none there is nothing to put beside ours.
    paper = None if theirs is None else str(theirs)
    return page.cells.cell(of(ours) if ours.total else ABSENT, paper)


def _agreement(page: EvaluationPage) -> Table:
    found = page.evaluation.agreement
    split = Proportion(found.split, found.turns)
    table = _table("", "")
    table.show_header = False
    table.add_row("Fleiss kappa", kappa(found.kappa))
    table.add_row("split turns", f"{of(split)}  {rate_or_absent(split.rate)}")
    alike = found.pairs.alike
    table.add_row("pairs alike", f"{of(alike)}  {rate_or_absent(alike.rate)}")
    table.add_row("correlation", kappa(found.pairs.correlation))
    table.add_row("independent votes", decimal(found.pairs.independent_votes))
    rate = rate_or_absent(found.abstentions.rate)
    table.add_row("abstaining votes", f"{of(found.abstentions)}  {rate}")
    table.add_row(f"yes votes{TIMES}turns", spread(found.scores))
    return table


def _votes(page: EvaluationPage) -> Table:
    table = page.table()
    rules, cast = page.evaluation.rules, page.evaluation.votes_cast
    every = (_needed(page, Proportion(rule.votes_needed, cast)) for rule in rules)
    until = (_needed(page, Proportion(rule.votes_until_block, cast)) for rule in rules)
    table.add_row("on every turn", *every)
    table.add_row("until first block", *until)
    return table


def _needed(page: EvaluationPage, needed: Proportion) -> Text:
    return page.cells.cell(of(needed), None, rate_or_absent(needed.rate))


def _undecided(count: int) -> str:
    return f"{count} undecided" if count else ""


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
