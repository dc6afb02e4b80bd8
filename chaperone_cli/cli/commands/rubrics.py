"""`chaperone rubrics`: the questions that evaluators can be asked."""

from typing import Annotated

import typer

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[ID|FILE]",
        help="The rubric to show; without it, all are listed.",
        show_default=False,
    ),
]


def rubrics(name: Name = None) -> None:
    """List the rubrics, or show one: its question, its guidance and its digest."""
    from chaperone_cli.cli import console
    from chaperone_cli.codec import rubric
    from chaperone_cli.reports.text import plain

    out = console.result()
    for known in [name] if name else rubric.shipped():
        found = rubric.load(known)
        out.print(f"{found.id} version {found.version}: {plain(found.title)}", markup=False)
        out.print(f"digest {found.digest}")
        if name:
            for label in found.labels:
                for text in (label.question, label.guidance):
                    out.print("\n" + "\n".join(map(plain, text.split("\n"))), markup=False)
