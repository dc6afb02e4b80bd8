"""The options that commands share; each has a CHAPERONE_ variable and a settings-file key.

Their defaults are None, because the settings file stands between the options and the built-in
defaults; the help shows the built-in ones.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from chaperone_cli.config import FailOn, Settings, env_name, key_name
from chaperone_cli.domain.conversation import Sides

INPUT = "Input"
EVALUATION = "Evaluation"
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
        "Format of the logs: canonical or rows.",
        shown="by content",
        metavar="NAME",
    ),
]
Evaluator = Annotated[
    str | None,
    _option(
        "evaluator",
        EVALUATION,
        "Who votes: local (offline) or recorded.",
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
        "N, the independent votes on each turn.",
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
        metavar="N",
    ),
]
Output = Annotated[
    list[str] | None,
    _option(
        "output",
        OUTPUT,
        "Write a report; the suffix chooses its format: .json, .jsonl, .csv. Repeatable.",
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


def settings(config: Path | None, **overrides: Any) -> Settings:
    """Gives the settings in force for a command that was given `overrides`."""
    import os

    from chaperone_cli.config import load

    if overrides.get("output") is not None:
        overrides["output"] = tuple(overrides["output"]) or None
    return load(overrides, os.environ, Path.cwd(), config)
