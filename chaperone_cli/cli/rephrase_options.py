"""The options of `chaperone rephrase` that no other command has."""

from pathlib import Path
from typing import Annotated

import typer

from chaperone_cli.cli import options

RESPONSE = "Which response"
REWRITING = "Rewriting"

Log = Annotated[
    str, typer.Argument(metavar="LOG", help="The log: a file, or -.", show_default=False)
]
Conversation = Annotated[
    str | None,
    options.own(
        "The conversation; may be left out where there is only one.",
        "--conversation",
        panel=RESPONSE,
        metavar="ID",
    ),
]
Turn = Annotated[
    int | None,
    options.own("The response's turn, from 1.", "--turn", panel=RESPONSE, metavar="K"),
]
FirstBlock = Annotated[
    bool,
    options.own(
        "The conversation's first blocking response; the response after it where the first block "
        "is a prompt.",
        "--first-block",
        panel=RESPONSE,
    ),
]
All = Annotated[
    bool,
    options.own(
        "The first block of every conversation.",
        "--all",
        panel=RESPONSE,
    ),
]
Report = Annotated[
    Path | None,
    options.own(
        "With --all, a saved .json or .jsonl report that says where the first blocks are.",
        "--report",
        panel=RESPONSE,
        metavar="FILE",
    ),
]
Force = Annotated[
    bool,
    options.own(
        "Rewrite a response that was not flagged all the same.",
        "--force",
        panel=RESPONSE,
    ),
]
Rewriter = Annotated[
    str,
    options.own(
        "Who rewrites: prune (offline) or claude, which sends the conversation to a server. "
        "Default: prune.",
        "--rewriter",
        panel=REWRITING,
        metavar="NAME",
    ),
]
StrategyName = Annotated[
    str | None,
    options.own(
        "What a rewrite aims at: neutral, warm, redirect, boundary, crisis; with --rewriter claude "
        "also constitution, guided; or a .toml file. Default: neutral.",
        "--strategy",
        panel=REWRITING,
        metavar="NAME|FILE",
    ),
]
Compare = Annotated[
    str | None,
    options.own(
        "Run several strategies side by side and rank them.",
        "--compare",
        panel=REWRITING,
        metavar="A,B,...",
    ),
]
Attempts = Annotated[
    int,
    options.own(
        "Rewrites of one response at most, until one passes. Default: 3.",
        "--attempts",
        panel=REWRITING,
        metavar="N",
    ),
]
Locale = Annotated[
    str | None,
    options.own(
        "The user's region, for lines of help: US, CA, GB, IE, EU or AU. Default: a list of lines "
        "for all countries.",
        "--locale",
        panel=REWRITING,
        metavar="REGION",
    ),
]
Output = Annotated[
    list[str] | None,
    options.own(
        "Write a .json file (rephrase.v1) or a .jsonl file (preference pairs). Both hold "
        "conversation text. Repeatable.",
        *(
            "-o",
            "--output",
        ),
        panel=options.OUTPUT,
        metavar="FILE",
    ),
]
