"""The options that commands share; each has a CHAPERONE_ variable and a settings-file key.

Their defaults are None, because the settings file stands between the options and the built-in
defaults; the help shows the built-in ones.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

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


def _option(name: str, panel: str, help: str, *flags: str, shown: str = "", **more: Any) -> Any:
    """Declares the option of the setting `name`; `shown` replaces its default in the help."""
    default = shown or getattr(_DEFAULTS, name)
    return typer.Option(
        *(flags or (f"--{key_name(name)}",)),
        envvar=env_name(name),
        show_envvar=False,  # every option has one, of its own name: the epilog says so once
        help=f"{help} Default: {default}." if default else help,
        rich_help_panel=panel,
        show_default=False,
        **more,
    )


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
Format = Annotated[
    str | None,
    _option(
        "format",
        INPUT,
        "Format of the logs: canonical, rows, chatgpt, claude, sharegpt, openai, oasst, langsmith, "
        "langfuse, otel, characterai, sillytavern, inspect, csv, text or parquet.",
        shown="by content",
        metavar="NAME",
    ),
]
BranchesOption = Annotated[
    Branches | None,
    _option(
        "branches",
        INPUT,
        "Of conversations that fork: the branch seen last, or all, each under its own id.",
        metavar="last|all",
    ),
]
Where = Annotated[
    list[str] | None,
    _option(
        "where",
        INPUT,
        "Only conversations of which this holds, such as meta.model=gpt-4* or label!=neutral. "
        "Repeatable.",
        metavar="FACT=VALUE",
    ),
]
Since = Annotated[
    str | None,
    _option("since", INPUT, "Only conversations that went on then or later.", metavar="TIME"),
]
Until = Annotated[
    str | None,
    _option(
        "until", INPUT, "Only conversations that began before; a date counts whole.", metavar="TIME"
    ),
]
Limit = Annotated[
    int | None, _option("limit", INPUT, "Only the first N of those selected.", metavar="N")
]
Sample = Annotated[
    int | None,
    _option("sample", INPUT, "Only N drawn at random, the same ones each time.", metavar="N"),
]
Seed = Annotated[
    int | None, _option("seed", INPUT, "Another number draws another sample.", metavar="S")
]
Evaluator = Annotated[
    str | None,
    _option(
        "evaluator",
        EVALUATION,
        "Who votes: local (offline), claude or recorded.",
        metavar="NAME",
    ),
]
RecordedVotes = Annotated[
    Path | None,
    _option(
        "recorded_votes",
        EVALUATION,
        "File of recorded votes for --evaluator recorded.",
        shown="LOG.votes.jsonl beside each log",
        metavar="FILE",
    ),
]
ScreenName = Annotated[
    str | None,
    _option(
        "screen",
        EVALUATION,
        "Who reads first: with local, only suspicious turns and those around them are voted on. "
        "The default, none, has every turn voted on.",
        metavar="local|none",
    ),
]
ScreenLevel = Annotated[
    float | None,
    _option(
        "screen_level",
        EVALUATION,
        "The suspicion from which a turn is voted on: log odds, 0 where the screen itself would "
        "see one yes vote; lower screens out less.",
        shown="what suits the screen",
        metavar="LEVEL",
    ),
]
ScreenReach = Annotated[
    int | None,
    _option(
        "screen_reach",
        EVALUATION,
        "Turns before and after a suspicious one that are voted on too.",
        shown=str(REACH),
        metavar="K",
    ),
]
RubricName = Annotated[
    str | None,
    _option(
        "rubric",
        EVALUATION,
        "The question to answer: a rubric's id, or a .toml file.",
        metavar="ID|FILE",
    ),
]
Votes = Annotated[
    int | None,
    _option(
        "votes",
        EVALUATION,
        "N, the votes on each turn.",
        metavar="N",
    ),
]
RuleName = Annotated[
    str | None,
    _option(
        "rule",
        EVALUATION,
        "When a turn blocks: unanimous, balanced, conservative, or a number of yes votes.",
        metavar="RULE",
    ),
]
SidesOption = Annotated[
    Sides | None,
    _option(
        "sides", EVALUATION, "Turns that are voted on: prompts, responses or both.", metavar="SIDES"
    ),
]
AllVotes = Annotated[
    bool | None,
    _option(
        "all_votes",
        EVALUATION,
        "Cast all N votes even where the verdict is settled, and report every rule.",
        "--all-votes/--no-all-votes",
    ),
]
UntilBlock = Annotated[
    bool | None,
    _option(
        "until_block",
        EVALUATION,
        "Leave each conversation at its first blocking turn.",
        "--until-block/--no-until-block",
    ),
]
Concurrency = Annotated[
    int | None,
    _option(
        "concurrency",
        EVALUATION,
        "Conversations under way at the same time.",
        shown="what suits the evaluator",
        metavar="N",
    ),
]
Model = Annotated[
    str | None, _option("model", CLAUDE, "The model that is asked: any id.", metavar="ID")
]
BaseUrl = Annotated[
    str | None,
    _option(
        "base_url",
        CLAUDE,
        "Another server that speaks the Messages API, such as http://localhost:11434.",
        metavar="URL",
    ),
]
MaxCost = Annotated[
    float | None,
    _option(
        "max_cost",
        CLAUDE,
        "US dollars: the run stops before it costs more, and can be continued.",
        metavar="USD",
    ),
]
MaxCostTotal = Annotated[
    float | None,
    _option(
        "max_cost_total",
        CLAUDE,
        "US dollars for this run and all earlier ones on the same vote store together.",
        metavar="USD",
    ),
]
MaxCalls = Annotated[
    int | None,
    _option(
        "max_calls",
        CLAUDE,
        "Calls: the run stops before it makes more, and can be continued.",
        metavar="N",
    ),
]
DryRun = Annotated[
    bool | None,
    _option(
        "dry_run",
        CLAUDE,
        "Only say what the audit would take: calls, tokens and dollars.",
        "--dry-run/--no-dry-run",
    ),
]
Explain = Annotated[
    bool | None,
    _option(
        "explain",
        CLAUDE,
        "Have each first block explained by one more call.",
        "--explain/--no-explain",
    ),
]
Batch = Annotated[
    bool | None,
    _option(
        "batch",
        CLAUDE,
        "Ask in message batches, within hours: half the price of a token, but less of a request is "
        "found in the cache, so that a run may cost more; --dry-run compares. An interrupted run "
        "goes on later.",
        "--batch/--no-batch",
    ),
]
Detach = Annotated[
    bool | None,
    _option(
        "detach",
        CLAUDE,
        "With --batch, leave once the votes are asked for; run again to collect them.",
        "--detach/--no-detach",
    ),
]
Timeout = Annotated[
    float | None,
    _option(
        "timeout",
        CLAUDE,
        "Seconds after which a call is made again; a vote is given up after five times as many.",
        metavar="SECONDS",
    ),
]
CallsAtOnce = Annotated[
    int | None,
    _option(
        "calls_at_once",
        CLAUDE,
        "Calls under way at the same time at most; how many the server takes is found by trying.",
        shown="256",
        metavar="N",
    ),
]
LatencyOption = Annotated[
    Latency | None,
    _option(
        "latency",
        CLAUDE,
        "With fast, all votes on a turn are asked for at once after a first yes where a block is "
        "likely: by the turn before, or by the screen. The verdicts are the same.",
        metavar="normal|fast",
    ),
]
Prices = Annotated[
    Path | None,
    _option(
        "prices",
        CLAUDE,
        "A .toml file of prices that come before the shipped ones.",
        metavar="FILE",
    ),
]
Output = Annotated[
    list[str] | None,
    _option(
        "output",
        OUTPUT,
        "Write a report; the suffix chooses its format: .json, .jsonl, .csv, .html, .sarif, .xml "
        "(JUnit), .md, .parquet. An audit writes a folder of evidence where the name ends in /. "
        "Repeatable.",
        "-o",
        "--output",
        metavar="FILE",
    ),
]
Quote = Annotated[
    bool | None,
    _option(
        "quote",
        OUTPUT,
        "Let the reports hold the flagged spans, at most 140 characters each.",
        "--quote/--no-quote",
    ),
]
Rows = Annotated[
    int | None,
    _option("rows", OUTPUT, "Conversations that the terminal table shows at most.", metavar="N"),
]
FailOnOption = Annotated[
    FailOn | None,
    _option(
        "fail_on",
        OUTPUT,
        "What exits with 10 or 11: undecided (and blocked) turns, block, or never.",
        metavar="WHEN",
    ),
]
HashIds = Annotated[
    bool | None,
    _option(
        "hash_ids",
        OUTPUT,
        "Show keyed hashes instead of conversation ids and file names, everywhere. Needs a key in "
        "CHAPERONE_HASH_KEY or --hash-key-file.",
        "--hash-ids/--plain-ids",
    ),
]
HashKeyFile = Annotated[
    Path | None,
    _option("hash_key_file", OUTPUT, "File with the key for --hash-ids.", metavar="FILE"),
]
Baseline = Annotated[
    Path | None,
    _option(
        "baseline",
        OUTPUT,
        "An earlier .json or .jsonl report: show what changed, and let only what is new make the "
        "exit code 10 or 11.",
        metavar="FILE",
    ),
]
Changes = Annotated[
    list[str] | None,
    _option(
        "changes",
        OUTPUT,
        "With --baseline, write what changed: .json (comparison.v1) or .md. Repeatable.",
        metavar="FILE",
    ),
]
Store = Annotated[
    Path | None,
    _option(
        "store",
        STORE,
        "The file that keeps them.",
        shown="this system's state folder",
        metavar="FILE",
    ),
]
NoStore = Annotated[
    bool | None,
    _option(
        "no_store",
        STORE,
        "Keep no votes, and use none that were kept.",
        "--no-store/--with-store",
    ),
]
KeepAbstentions = Annotated[
    bool | None,
    _option(
        "keep_abstentions",
        STORE,
        "Take refused and unreadable votes of earlier runs as they are, instead of asking again.",
        "--keep-abstentions/--ask-abstentions-again",
    ),
]


def settings(given: Mapping[str, Any]) -> Settings:
    """Gives the settings in force for a command.

    `given` holds the command's parameters by name, as its `locals()` do; those that are no setting
    play no part, and None means that nothing was said.
    """
    import os

    from chaperone_cli.config import NAMES, load

    overrides = {name: value for name, value in given.items() if name in NAMES}
    for name in ("output", "changes", "where"):
        if overrides.get(name) is not None:
            overrides[name] = tuple(overrides[name]) or None
    return load(overrides, os.environ, Path.cwd(), given["config"])
