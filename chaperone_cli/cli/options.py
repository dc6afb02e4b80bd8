"""The options that commands share; each has a CHAPERONE_ variable and a settings-file key.

Their defaults are None, because the settings file stands between the options and the built-in
defaults; the help shows the built-in ones.
"""

import inspect
import os
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from chaperone_cli.config import FailOn, Latency, Settings, env_name, key_name
from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.conversation import Sides
from chaperone_cli.domain.screening import REACH

INPUT = "Input"
EVALUATION = "Evaluation"
CLAUDE = "The claude evaluator"
OUTPUT = "Output"
STORE = "Votes already cast"

_DEFAULTS = Settings()


class _Option(NamedTuple):
    """How a setting is given on the command line."""

    type: Any
    panel: str
    metavar: str | None
    help: str
    flags: tuple[str, ...] = ()
    shown: str = ""
    """What the help says in place of the default."""

    def declared(self, name: str) -> Any:
        """Return what declares a parameter that takes the setting `name`."""
        default = self.shown or getattr(_DEFAULTS, name)
        return typer.Option(
            *(self.flags or (f"--{key_name(name)}",)),
            envvar=env_name(name),
            show_envvar=False,  # every option has one, of its own name: the epilog says so once
            help=f"{self.help} Default: {default}." if default else self.help,
            rich_help_panel=self.panel,
            show_default=False,
            metavar=self.metavar,
        )


# fmt: off
_OPTIONS = {
    "format": _Option(
        str, INPUT, "NAME",
        "Format of the logs: canonical, rows, chatgpt, claude, sharegpt, openai, oasst, "
        "langsmith, langfuse, otel, characterai, sillytavern, inspect, csv, text or parquet.",
        shown='by content',
    ),
    "branches": _Option(
        Branches, INPUT, "last|all",
        "Of conversations that fork: the branch seen last, or all, each under its own id.",
    ),
    "where": _Option(
        list[str], INPUT, "FACT=VALUE",
        "Only conversations of which this holds, such as meta.model=gpt-4* or label!=neutral."
        " Repeatable.",
    ),
    "since": _Option(str, INPUT, "TIME", "Only conversations that went on then or later."),
    "until": _Option(
        str, INPUT, "TIME",
        "Only conversations that began before; a date counts whole.",
    ),
    "limit": _Option(int, INPUT, "N", "Only the first N of those selected."),
    "sample": _Option(int, INPUT, "N", "Only N drawn at random, the same ones each time."),
    "seed": _Option(int, INPUT, "S", "Another number draws another sample."),
    "evaluator": _Option(
        str, EVALUATION, "NAME",
        "Who votes: local (offline), claude or recorded.",
    ),
    "recorded_votes": _Option(
        Path, EVALUATION, "FILE",
        "File of recorded votes for --evaluator recorded.",
        shown='LOG.votes.jsonl beside each log',
    ),
    "screen": _Option(
        str, EVALUATION, "local|none",
        "Who reads first: with local, only suspicious turns and those around them are voted "
        "on. The default, none, has every turn voted on.",
    ),
    "screen_level": _Option(
        float, EVALUATION, "LEVEL",
        "The suspicion from which a turn is voted on: log odds, 0 where the screen itself "
        "would see one yes vote; lower screens out less.",
        shown='what suits the screen',
    ),
    "screen_reach": _Option(
        int, EVALUATION, "K",
        "Turns before and after a suspicious one that are voted on too.",
        shown=str(REACH),
    ),
    "rubric": _Option(
        str, EVALUATION, "ID|FILE",
        "The question to answer: a rubric's id, or a .toml file.",
    ),
    "votes": _Option(int, EVALUATION, "N", "N, the votes on each turn."),
    "rule": _Option(
        str, EVALUATION, "RULE",
        "When a turn blocks: unanimous, balanced, conservative, or a number of yes votes.",
    ),
    "sides": _Option(
        Sides, EVALUATION, "SIDES",
        "Turns that are voted on: prompts, responses or both.",
    ),
    "all_votes": _Option(
        bool, EVALUATION, None,
        "Cast all N votes even where the verdict is settled, and report every rule.",
        flags=("--all-votes/--no-all-votes",),
    ),
    "until_block": _Option(
        bool, EVALUATION, None,
        "Leave each conversation at its first blocking turn.",
        flags=("--until-block/--no-until-block",),
    ),
    "concurrency": _Option(
        int, EVALUATION, "N",
        "Conversations under way at the same time.",
        shown='what suits the evaluator',
    ),
    "model": _Option(str, CLAUDE, "ID", "The model that is asked: any id."),
    "base_url": _Option(
        str, CLAUDE, "URL",
        "Another server that speaks the Messages API, such as http://localhost:11434.",
    ),
    "max_cost": _Option(
        float, CLAUDE, "USD",
        "US dollars: the run stops before it costs more, and can be continued.",
    ),
    "max_cost_total": _Option(
        float, CLAUDE, "USD",
        "US dollars for this run and all earlier ones on the same vote store together.",
    ),
    "max_calls": _Option(
        int, CLAUDE, "N",
        "Calls: the run stops before it makes more, and can be continued.",
    ),
    "dry_run": _Option(
        bool, CLAUDE, None,
        "Only say what the audit would take: calls, tokens and dollars.",
        flags=("--dry-run/--no-dry-run",),
    ),
    "explain": _Option(
        bool, CLAUDE, None,
        "Have each first block explained by one more call.",
        flags=("--explain/--no-explain",),
    ),
    "batch": _Option(
        bool, CLAUDE, None,
        "Ask in message batches, within hours: half the price of a token, but less of a request is "
        "found in the cache, so that a run may cost more; --dry-run compares. An interrupted run "
        "goes on later.",
        flags=("--batch/--no-batch",),
    ),
    "detach": _Option(
        bool, CLAUDE, None,
        "With --batch, leave once the votes are asked for; run again to collect them.",
        flags=("--detach/--no-detach",),
    ),
    "timeout": _Option(
        float, CLAUDE, "SECONDS",
        "Seconds after which a call is made again; a vote is given up after five times as "
        "many.",
    ),
    "calls_at_once": _Option(
        int, CLAUDE, "N",
        "Calls under way at the same time at most; how many the server takes is found by "
        "trying.",
        shown='256',
    ),
    "latency": _Option(
        Latency, CLAUDE, "normal|fast",
        "With fast, all votes on a turn are asked for at once after a first yes where a block"
        " is likely: by the turn before, or by the screen. The verdicts are the same.",
    ),
    "prices": _Option(
        Path, CLAUDE, "FILE",
        "A .toml file of prices that come before the shipped ones.",
    ),
    "output": _Option(
        list[str], OUTPUT, "FILE",
        "Write a report; the suffix chooses its format: .json, .jsonl, .csv, .html, .sarif, "
        ".xml (JUnit), .md, .parquet. An audit writes a folder of evidence where the name "
        "ends in /. Repeatable.",
        flags=("-o", "--output",),
    ),
    "quote": _Option(
        bool, OUTPUT, None,
        "Let the reports hold the flagged spans, at most 140 characters each.",
        flags=("--quote/--no-quote",),
    ),
    "rows": _Option(int, OUTPUT, "N", "Conversations that the terminal table shows at most."),
    "fail_on": _Option(
        FailOn, OUTPUT, "WHEN",
        "What exits with 10 or 11: undecided (and blocked) turns, block, or never.",
    ),
    "hash_ids": _Option(
        bool, OUTPUT, None,
        "Show keyed hashes instead of conversation ids and file names, everywhere. Needs a "
        "key in CHAPERONE_HASH_KEY or --hash-key-file.",
        flags=("--hash-ids/--plain-ids",),
    ),
    "hash_key_file": _Option(Path, OUTPUT, "FILE", "File with the key for --hash-ids."),
    "baseline": _Option(
        Path, OUTPUT, "FILE",
        "An earlier .json or .jsonl report: show what changed, and let only what is new make "
        "the exit code 10 or 11.",
    ),
    "changes": _Option(
        list[str], OUTPUT, "FILE",
        "With --baseline, write what changed: .json (comparison.v1) or .md. Repeatable.",
    ),
    "store": _Option(
        Path, STORE, "FILE",
        "The file that keeps them.",
        shown="this system's state folder",
    ),
    "no_store": _Option(
        bool, STORE, None,
        "Keep no votes, and use none that were kept.",
        flags=("--no-store/--with-store",),
    ),
    "keep_abstentions": _Option(
        bool, STORE, None,
        "Take refused and unreadable votes of earlier runs as they are, instead of asking "
        "again.",
        flags=("--keep-abstentions/--ask-abstentions-again",),
    ),
}
# fmt: on
SELECTION = ("format", "branches", "where", "since", "until", "limit", "sample", "seed")
SCREEN = ("screen", "screen_level", "screen_reach")
MODEL = ("model", "base_url", "timeout", "max_cost", "max_calls", "prices")

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Logs: files, folders, glob patterns, .gz, or - for standard input.",
        show_default=False,
    ),
]
OnePath = Annotated[
    str,
    typer.Argument(
        metavar="PATH", help="A log, or a saved .json or .jsonl report.", show_default=False
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        envvar="CHAPERONE_CONFIG",
        show_envvar=False,
        help="Settings file, instead of chaperone.toml or pyproject.toml in this folder.",
        show_default=False,
        rich_help_panel=INPUT,
    ),
]


def own(
    help: str, *flags: str, panel: str | None = None, metavar: str | None = None, **more: Any
) -> Any:
    """Declares an option that belongs to one command alone and is no setting."""
    return typer.Option(
        *flags, help=help, metavar=metavar, rich_help_panel=panel, show_default=False, **more
    )


def declared(name: str) -> Any:
    """Return what declares a parameter that takes the setting `name`."""
    return _OPTIONS[name].declared(name)


def takes(*names: str, **fixed: object) -> Callable[[Callable[..., int]], Callable[..., None]]:
    """Lets a command take the options of the settings `names`, and `--config` where it stands.

    Around those stand the command's own parameters: those without a default come first, the others
    last, in the place of `*` or of their name. The command is called with them, with `config`, and
    with the `settings` in force, in which `fixed` ones are what they are. It returns the exit code.
    """

    def take(command: Callable[..., int]) -> Callable[..., None]:
        mine = [
            parameter
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name not in ("settings", "config")
        ]
        first = [one for one in mine if one.default is one.empty]
        rest = [one for one in mine if one.default is not one.empty]
        shared: list[inspect.Parameter] = []
        for name in names if "*" in names else (*names, "*"):
            if name == "*":
                shared += [one for one in rest if one.name not in names]
            else:
                shared.append(next((o for o in rest if o.name == name), None) or _parameter(name))
        parameters = [one.replace(kind=one.KEYWORD_ONLY) for one in (*first, *shared)]

        @wraps(command)
        def called(**given: Any) -> None:
            shared = {name: value for name, value in given.items() if name in _OPTIONS}
            if any(one.name == "output" for one in mine):
                shared["output"] = None
            settings = _settings({**shared, **fixed}, given.get("config"))
            own = {one.name: given[one.name] for one in mine}
            raise typer.Exit(command(**own, settings=settings, config=given.get("config")))

        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        return called

    return take


def _parameter(name: str) -> inspect.Parameter:
    annotation = (
        Config if name == "config" else Annotated[_OPTIONS[name].type | None, declared(name)]
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )


def _settings(overrides: Mapping[str, Any], config: Path | None) -> Settings:
    from chaperone_cli.config import load

    given = dict(overrides)
    for name in ("output", "changes", "where"):
        if given.get(name) is not None:
            given[name] = tuple(given[name]) or None
    return load(given, os.environ, Path.cwd(), config)
