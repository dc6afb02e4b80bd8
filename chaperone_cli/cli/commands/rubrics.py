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

    out = console.result()
    for known in [name] if name else rubric.shipped():
        found = rubric.load(known)
        out.print(f"{found.id} version {found.version}: {found.title}", markup=False)
        out.print(f"digest {found.digest}")
        if name:
            for label in found.labels:
                out.print(f"\n{label.question}\n\n{label.guidance}", markup=False)
