"""`chaperone verify`: an evidence folder against its manifest."""

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="FOLDER", help="A folder that chaperone audit -o FOLDER/ wrote.", show_default=False
    ),
]
Logs = Annotated[
    list[Path] | None,
    typer.Option(
        "--log",
        metavar="PATH",
        help="A log, or a folder of logs, that should be an input of the run. Repeatable.",
        show_default=False,
    ),
]


def verify(folder: Folder, log: Logs = None) -> None:
    """Check an evidence folder against its manifest; exit with 12 if anything does not fit.

    Every file that is missing, changed or extra is listed.
    """
    from chaperone_cli.auditing.evidence_folder import findings, log_findings, read_manifest
    from chaperone_cli.cli import console
    from chaperone_cli.cli.exit_codes import ExitCode
    from chaperone_cli.codec.manifest import NAME, digest_file
    from chaperone_cli.domain.run import Ending
    from chaperone_cli.reports.text import plain, plural

    manifest = read_manifest(folder)
    out = console.result()
    found = list(findings(folder, manifest))
    if log:
        found += log_findings(log, manifest)
    for line in found:
        out.print(plain(line), markup=False, soft_wrap=True)
    if manifest.ending is not Ending.COMPLETE:
        ending = manifest.ending.replace("_", " ")
        out.print(f"the run ended before the end of its input: {ending}", soft_wrap=True)
    inputs = f", {plural(len(manifest.inputs), 'input')}" if log else ""
    verb = "does" if len(found) == 1 else "do"
    verdict = f"{len(found)} {verb} not fit the manifest" if found else "all as in the manifest"
    out.print(f"{plural(len(manifest.files), 'file')}{inputs}: {verdict}", soft_wrap=True)
    out.print(f"SHA-256 of {NAME}: {digest_file(folder / NAME, NAME).sha256}", soft_wrap=True)
    raise typer.Exit(ExitCode.CRITERION if found else ExitCode.OK)
