"""Saved runs: opened, and played to reporters as if the run took place again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from chaperone_cli import __version__
from chaperone_cli.auditing.host import QUIET, Host
from chaperone_cli.codec import saved_run
from chaperone_cli.codec.report import CitedRubric
from chaperone_cli.codec.saved_run import SavedRun
from chaperone_cli.codec.verdict import SavedVerdict
from chaperone_cli.config import Settings
from chaperone_cli.domain.problem import Problem
from chaperone_cli.domain.pseudonym import Names
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol, RunHeader, Summary, Usage
from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.domain.vote import Tally
from chaperone_cli.errors import InputError, UsageError
from chaperone_cli.readers.log_reader import seems_a_log
from chaperone_cli.reports.interface import Reporter

UNKNOWN = "unknown"


def open_run(path: Path) -> SavedRun:
    """Opens the run saved at `path`; raises InputError, with what to do instead for a log.

    Raises UsageError for a stream, because a saved run is read more than once.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise UsageError(
            f"{path}: this is a stream, and a saved run is read more than once",
            hint="write it to a file, and name that",
        )
    try:
        return saved_run.open_run(path)
    except InputError as error:
        if not seems_a_log(path):
            raise
        raise InputError(
            f"{path}: this is a log, not a saved report",
            hint=f"judge it first: chaperone audit {path} -o report.json",
        ) from error


def render(
    saved: SavedRun,
    header: RunHeader,
    reporters: Sequence[Reporter],
    names: Names,
    *,
    quote: bool,
    host: Host = QUIET,
) -> None:
    """Gives `saved` to `reporters`, with its quotes only if `quote` says so.

    Raises InputError for a damaged run, whose reports are then not written.
    """
    summary = Summary.of(header.protocol)
    opened: list[Reporter] = []
    try:
        for reporter in reporters:
            reporter.open(names.header(header))
            opened.append(reporter)
        for item in host.counting(saved, "rendering"):
            _give(item, opened, names, summary, quote=quote)
        usage = saved.usage or Usage()
        totals = _checked(saved, summary)
        for reporter in opened:
            reporter.close(totals, usage)
    except BaseException:
        for reporter in opened:
            reporter.abandon()
        raise


def _give(
    item: SavedVerdict | Problem,
    reporters: Iterable[Reporter],
    names: Names,
    summary: Summary,
    *,
    quote: bool,
) -> None:
    if isinstance(item, Problem):
        summary.add_problem(item)
        for reporter in reporters:
            reporter.add_problem(names.problem(item))
        return
    summary.add(item.verdict)
    verdict = names.verdict(item.verdict)
    for reporter in reporters:
        reporter.add(verdict, item.quotes if quote else {})


_FOLLOWING = (
    *("conversations", "partial", "turns_unreached", "empty", "attribution"),
    *("turns_selected", "turns_judged", "turns_blocked"),
    *("turns_undecided", "votes_cast", "abstentions", "blocked_by_rule", "problems"),
    "screened_out",
    *("tampering", "tampering_turns", "pairs"),
)
"""Totals that follow from what is saved with them; the others say what was read, and its end."""


def _checked(saved: SavedRun, counted: Summary) -> Summary:
    """Gives the totals that were saved, if they are those of what was saved with them."""
    told = saved.summary
    if told is None:
        return counted
    if not told.tampering:
        # Reports that were written before this was counted do not tell it, nor what is below.
        told = replace(told, tampering=counted.tampering, tampering_turns=counted.tampering_turns)
    if not told.pairs.turns:
        told = replace(told, pairs=counted.pairs)
    if any(getattr(counted, name) != getattr(told, name) for name in _FOLLOWING):
        raise InputError(
            f"{saved.path}: its totals are not those of its conversations",
            hint="the report was changed after it was written; audit again",
        )
    return told


def header_of(saved: SavedRun, settings: Settings) -> RunHeader:
    """Gives the header of a saved run; where only verdicts were saved, what they themselves tell.

    Their rule is the one that `settings` name if it explains every verdict, else the one that does.
    """
    if saved.header is not None:
        return saved.header
    passes, fitting = _explaining(saved, settings)
    rule = Rule.parse(settings.rule)
    if rule.name.isdigit() or rule.threshold(passes) not in fitting:
        rule = Rule(str(max(fitting)))
    rubric = CitedRubric(UNKNOWN, 0, "a rubric that the verdicts do not name", (), cited="")
    protocol = Protocol(rubric, rule, passes, settings.sides)
    return RunHeader(__version__, "", UNKNOWN, UNKNOWN, "", {}, protocol, (str(saved.path),))


def _explaining(saved: SavedRun, settings: Settings) -> tuple[int, set[int]]:
    """Gives N and every number of yes votes that, as a rule, explains all saved verdicts."""
    told: set[int] = set()
    tallies: set[tuple[Tally, Verdict]] = set()
    for item in saved.verdicts():
        told.add(item.passes)
        tallies.update((turn.tally, turn.verdict) for turn in item.verdict.turns)
    passes = max(told, default=settings.votes)
    fitting = {
        k
        for k in range(1, passes + 1)
        if all(Rule(str(k)).decide(tally, passes) is verdict for tally, verdict in tallies)
    }
    if not fitting or len(told) > 1:
        raise InputError(
            f"{saved.path}: no rule over {passes} votes gives all of its verdicts",
            hint="it may hold verdicts of several runs; render each by itself",
        )
    return passes, fitting
