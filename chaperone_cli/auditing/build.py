"""Builds the parts of a run from its settings: the only place that knows every evaluator."""

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from chaperone_cli import __version__
from chaperone_cli.auditing.auditor import Auditor
from chaperone_cli.codec import rubric
from chaperone_cli.config import HASH_KEY, Latency, Settings, key_name
from chaperone_cli.domain.pseudonym import HashedNames, Names, PlainNames
from chaperone_cli.domain.rule import Rule
from chaperone_cli.domain.run import Protocol, RunHeader, Usage
from chaperone_cli.domain.screening import REACH, Screening
from chaperone_cli.domain.selection import Condition, Selection, moment
from chaperone_cli.errors import UsageError
from chaperone_cli.evaluators.interface import Evaluator, Screen
from chaperone_cli.evaluators.recorded import beside
from chaperone_cli.readers import LogReader
from chaperone_cli.readers.inputs import Input, find_inputs
from chaperone_cli.store import VoteStore

if TYPE_CHECKING:
    from chaperone_cli.evaluators.claude.evaluator import Options


ATTEMPTS = 5
"""Time for so many attempts, each as long as it may be, is given to a vote."""


def _local(settings: Settings) -> Evaluator:
    from chaperone_cli.evaluators.local.evaluator import LocalEvaluator

    return LocalEvaluator()


def _recorded(settings: Settings) -> Evaluator:
    from chaperone_cli.evaluators.recorded import RecordedEvaluator

    return RecordedEvaluator(settings.recorded_votes)


def _claude(settings: Settings) -> Evaluator:
    from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator

    if settings.batch:
        return _batched(settings)
    if settings.detach:
        raise UsageError("--detach leaves a batch behind", hint="add --batch")
    return ClaudeEvaluator(claude_options(settings))


def _batched(settings: Settings) -> Evaluator:
    from chaperone_cli.evaluators.claude.batches import BatchedClaude

    if settings.no_store:
        raise UsageError(
            "--batch keeps what is handed in beside the votes, and so needs a store",
            hint="leave out --no-store",
        )
    path = settings.store or usual_store()
    return BatchedClaude(claude_options(settings), path, detach=settings.detach)


def claude_options(settings: Settings) -> "Options":
    """Gives what the claude evaluator is told; raises UsageError."""
    from chaperone_cli.codec import prices
    from chaperone_cli.evaluators.claude.caller import Patience
    from chaperone_cli.evaluators.claude.evaluator import MOST_UNDER_WAY, Options

    return Options(
        settings.model,
        settings.base_url,
        prices.load(settings.prices).of(settings.model),
        settings.max_cost,
        settings.max_calls,
        settings.max_cost_total,
        None if settings.no_store else settings.store or usual_store(),
        patience=Patience(settings.timeout, ATTEMPTS * settings.timeout),
        under_way=settings.calls_at_once or MOST_UNDER_WAY,
        kept=not settings.no_store,
    )


EVALUATORS: dict[str, Callable[[Settings], Evaluator]] = {
    "local": _local,
    "claude": _claude,
    "recorded": _recorded,
}


def evaluator(settings: Settings) -> Evaluator:
    """Gives the evaluator that `settings` name, able to cast their votes; raises UsageError."""
    build = EVALUATORS.get(settings.evaluator)
    if build is None:
        raise UsageError(
            f"unknown evaluator {settings.evaluator[:40]!r}", hint=f"use {', '.join(EVALUATORS)}"
        )
    if settings.recorded_votes is not None and settings.evaluator != "recorded":
        raise UsageError(
            f"--recorded-votes does not go with --evaluator {settings.evaluator}",
            hint="add --evaluator recorded",
        )
    for name in ("dry_run", "explain", "batch", "detach"):
        if getattr(settings, name) and settings.evaluator in ("local", "recorded"):
            raise UsageError(
                f"--{key_name(name)} does not go with --evaluator {settings.evaluator}, "
                "which makes no calls",
                hint="add --evaluator claude",
            )
    built = build(settings)
    if built.max_passes is not None and settings.votes > built.max_passes:
        raise UsageError(
            f"the {settings.evaluator} evaluator has {built.max_passes} votes, "
            f"but --votes asks for {settings.votes}",
            hint=f"ask for at most --votes {built.max_passes}",
        )
    return built


NO_SCREEN = "none"


def _local_screen() -> Screen:
    from chaperone_cli.evaluators.local.screen import LocalScreen

    return LocalScreen()


SCREENS: dict[str, Callable[[], Screen]] = {"local": _local_screen}


def screen(settings: Settings) -> Screen | None:
    """Gives the screen that `settings` name, None for none; raises UsageError."""
    if settings.screen is None:
        for name in ("screen_level", "screen_reach"):
            if getattr(settings, name) is not None:
                raise UsageError(f"--{key_name(name)} needs a screen", hint="add --screen local")
    if settings.screen in (None, NO_SCREEN):
        return None
    if settings.screen not in SCREENS:
        raise UsageError(
            f"unknown screen {settings.screen[:40]!r}",
            hint=f"use {', '.join((*SCREENS, NO_SCREEN))}",
        )
    if settings.screen == settings.evaluator:
        raise UsageError(
            f"--screen {settings.screen} reads before another evaluator, not before itself",
            hint=f"add --evaluator claude, or --screen {NO_SCREEN}",
        )
    return SCREENS[settings.screen]()


def screening(settings: Settings, chosen: Screen) -> Screening:
    """Says how a run by `settings` screens with the screen `chosen`."""
    return Screening(
        chosen.identity.name,
        chosen.identity.version,
        chosen.level if settings.screen_level is None else settings.screen_level,
        REACH if settings.screen_reach is None else settings.screen_reach,
    )


def protocol(settings: Settings, screen: Screen | None = None) -> Protocol:
    """Gives the protocol that `settings` describe, with `screen` if one is in use.

    Raises UsageError, also where the screen goes by another question than the rubric's.
    """
    plan = _protocol(settings)
    if screen is None:
        return plan
    if screen.rubrics is not None and plan.rubric.id not in screen.rubrics:
        raise UsageError(
            f"the {settings.screen} screen cannot screen for rubric {plan.rubric.id!r}",
            hint=f"it screens for {', '.join(screen.rubrics)}; leave out --screen",
        )
    return replace(plan, screening=screening(settings, screen))


def _protocol(settings: Settings) -> Protocol:
    rule = Rule.parse(settings.rule)
    rule.threshold(settings.votes)
    return Protocol(
        rubric.load(settings.rubric),
        rule,
        settings.votes,
        settings.sides,
        settings.all_votes,
        settings.until_block,
        settings.explain,
    )


def store(settings: Settings, voter: Evaluator) -> VoteStore | None:
    """Opens the store, unless `voter` is free to ask again or the user wants none."""
    if voter.free_to_repeat or settings.no_store:
        return None
    # Every run of --detach but the first goes on with the votes that the last one collected.
    kept = settings.keep_abstentions or settings.detach
    return VoteStore(settings.store or usual_store(), keep_abstentions=kept)


def auditor(settings: Settings, voter: Evaluator | None = None) -> Auditor:
    """Return the auditor that `settings` describe, with another evaluator than theirs if given.

    Raises UsageError, and EvaluatorError where its evaluator could answer nothing and no vote is
    stored.
    """
    reads_first = screen(settings)
    plan = protocol(settings, reads_first)
    voter = voter or evaluator(settings)
    if voter.rubrics is not None and plan.rubric.id not in voter.rubrics:
        raise UsageError(
            f"the {voter.identity.name} evaluator cannot answer rubric {plan.rubric.id!r}",
            hint=f"it answers {', '.join(voter.rubrics)}; choose another --evaluator",
        )
    kept = store(settings, voter)
    if kept is None or kept.is_empty:
        voter.check()
    return Auditor(
        replace(plan, all_votes=plan.all_votes or voter.answers_at_once),
        voter,
        kept,
        settings.concurrency or voter.concurrency,
        Usage(spend=voter.spend),
        screen=reads_first,
        fast=settings.latency is Latency.FAST,
    )


def header(auditor: Auditor, inputs: Sequence[str]) -> RunHeader:
    """Gives the header of a run that starts now over `inputs`."""
    identity = auditor.evaluator.identity
    return RunHeader(
        __version__,
        datetime.now(UTC).isoformat(timespec="seconds"),
        f"Python {platform.python_version()}, {platform.system()}",
        identity.name,
        identity.version,
        identity.settings,
        auditor.protocol,
        tuple(inputs),
    )


def usual_store() -> Path:
    """Names the file that keeps votes where nobody says otherwise."""
    from platformdirs import user_state_path

    return user_state_path("chaperone", appauthor=False) / "votes.sqlite3"


def log_reader(paths: Sequence[str], settings: Settings) -> LogReader:
    """Gives the reader of the logs at `paths`; raises UsageError for an unknown format."""
    return LogReader(paths, format=settings.format, branches=settings.branches)


def selection(settings: Settings) -> Selection:
    """Gives what of the logs is to be taken; raises UsageError."""
    since, until = settings.since, settings.until
    return Selection(
        tuple(Condition.parse(text) for text in settings.where),
        None if since is None else moment(since),
        None if until is None else moment(until, end_of_day=True),
        settings.sample,
        settings.seed,
        settings.limit,
    )


def files_read(logs: Sequence[str], settings: Settings) -> Iterator[str]:
    """Gives every file that auditing `logs` reads: the logs themselves, and recorded votes."""
    found = [item for item in find_inputs(logs) if isinstance(item, Input)]
    for item in found:
        yield item.path
    if settings.recorded_votes is not None:
        yield str(settings.recorded_votes)
    elif settings.evaluator == "recorded":
        for item in found:
            try:
                votes = beside(item.path)
            except UsageError:
                continue
            if votes.is_file():
                yield str(votes)


SHORTEST_KEY = 16
"""Bytes below which a key could be found by trying."""

_KEY_HINT = (
    f"set {HASH_KEY} or name a file with --hash-key-file; make a key once, for example with "
    "openssl rand -hex 32, and keep it: the same key gives the same hashes in the next run"
)


def hash_key(settings: Settings) -> bytes:
    """Gives the key; empty where there is none.

    Raises UsageError where the key is too short or its file cannot be read.
    """
    if settings.hash_key_file is not None:
        place = str(settings.hash_key_file)
        try:
            found = settings.hash_key_file.read_bytes().strip()
        except OSError as exc:
            raise UsageError(
                f"{place}: the key cannot be read: {exc.strerror or exc}", hint=_KEY_HINT
            ) from exc
    else:
        place, found = HASH_KEY, os.fsencode(os.environ.get(HASH_KEY, "").strip())
    if found and len(found) < SHORTEST_KEY:
        raise UsageError(f"{place}: a key needs at least {SHORTEST_KEY} bytes", hint=_KEY_HINT)
    return found


def names(settings: Settings, key: bytes) -> Names:
    """Return how ids and paths are shown; raises UsageError where they are hashed without a `key`.

    A key made up for one run would make every conversation look new in the next, so none is.
    """
    if not settings.hash_ids:
        return PlainNames()
    if not key:
        raise UsageError("--hash-ids needs a key, and there is none", hint=_KEY_HINT)
    return HashedNames(key)
