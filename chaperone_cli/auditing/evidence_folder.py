"""Evidence folders: what one says besides its reports, and whether it is as it was written."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

from chaperone_cli import reports
from chaperone_cli.auditing.build import files_read
from chaperone_cli.auditing.host import Host
from chaperone_cli.codec import manifest as codec
from chaperone_cli.codec import rubric
from chaperone_cli.codec.fields import Node
from chaperone_cli.codec.manifest import Digested, Manifest, digest_file
from chaperone_cli.config import Settings, key_name
from chaperone_cli.domain.pseudonym import Names
from chaperone_cli.errors import InputError, UsageError
from chaperone_cli.reports.evidence_folder import REPORTS, RUBRIC, EvidenceReporter, Particulars

_LEFT_OUT = frozenset(
    {
        *("output", "changes", "baseline", "rows", "fail_on", "hash_ids", "dry_run"),
        *(
            "concurrency",
            "timeout",
            "calls_at_once",
            "latency",
            "batch",
            "detach",
            "max_cost",
            "max_calls",
        ),
        *("store", "no_store", "keep_abstentions", "max_cost_total", "base_url"),
    }
)
"""Settings that shape no verdict, or belong to one machine."""

_NAMING = frozenset({"where"})
"""Settings that may name somebody."""


def evidence(
    path: str, paths: Sequence[str], settings: Settings, names: Names, host: Host
) -> EvidenceReporter:
    """Gives the reporter of the evidence folder `path` of a run over `paths`."""
    folder = Path(path)
    files = [
        (name, reports.for_path(folder / name))
        for name in REPORTS
        if Path(name).suffix in reports.FILE_REPORTERS
    ]
    particulars = Particulars(
        _shaping(settings),
        lambda: list(_digests(paths, settings, names, host)),
        settings.quote,
        settings.hash_ids,
    )
    return EvidenceReporter(folder, files, particulars)


def _shaping(settings: Settings) -> dict[str, object]:
    """Gives the settings that shape verdicts; none of them is a path of this machine."""
    values: dict[str, object] = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        hidden = field.name in _NAMING and settings.hash_ids
        if field.name in _LEFT_OUT or hidden or value is None or isinstance(value, Path):
            continue
        values[key_name(field.name)] = value.value if isinstance(value, StrEnum) else value
    return values | {"rubric": RUBRIC}


def _digests(
    paths: Sequence[str], settings: Settings, names: Names, host: Host
) -> Iterator[Digested]:
    """Gives every input with its digest; what cannot be read is among the problems of the run."""
    for path in host.counting(files_read(paths, settings), "taking digests", "files"):
        shown = names.path(path)
        try:
            yield digest_file(Path(path), shown) if Path(path).is_file() else _stream(shown)
        except OSError:
            yield _stream(shown)


def _stream(shown: str) -> Digested:
    return Digested(shown, None, None)


def read_manifest(folder: Path) -> Manifest:
    """Reads the manifest of `folder`; raises InputError where there is none that can be read."""
    path = folder / codec.NAME
    try:
        return codec.decode(Node.parse(path.read_bytes(), str(path)))
    except OSError as exc:
        raise InputError(
            f"{path}: the manifest cannot be read: {exc.strerror or exc}",
            hint="name a folder that chaperone audit wrote with -o FOLDER/; without its manifest "
            "nothing in it can be checked",
        ) from exc


def findings(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Says of each file that is missing, changed or extra that it is; nothing if all is well."""
    for listed in manifest.files:
        yield from _check_file(folder, listed)
    yield from _check_rubric(folder / RUBRIC, manifest)
    known = {codec.NAME, *(listed.path for listed in manifest.files)}
    for path in _all_files(folder):
        name = path.relative_to(folder).as_posix()
        if name not in known:
            yield f"extra    {name}: not in the manifest"


def _check_file(folder: Path, listed: Digested) -> Iterator[str]:
    path = folder / listed.path
    if not path.is_file():
        yield f"missing  {listed.path}: in the manifest, but no such file in the folder"
        return
    try:
        found = digest_file(path, listed.path)
    except OSError as exc:
        yield f"unread   {listed.path}: {exc.strerror or exc}"
    else:
        if found.bytes != listed.bytes:
            yield f"changed  {listed.path}: {found.bytes} bytes, in the manifest {listed.bytes}"
        elif found.sha256 != listed.sha256:
            yield f"changed  {listed.path}: its SHA-256 is not the one in the manifest"


def _check_rubric(path: Path, manifest: Manifest) -> Iterator[str]:
    """Compares the rubric's text with the digest that the run was made with."""
    try:
        found = rubric.decode(path.read_text("utf-8"), path.name).digest
    except (OSError, UnicodeDecodeError, UsageError):
        found = ""
    if found != manifest.rubric_digest and path.is_file():
        yield f"changed  {path.name}: its text is not that of the rubric the run was made with"


def log_findings(logs: Sequence[Path], manifest: Manifest) -> Iterator[str]:
    """Says of each input of the run that none of `logs` is it; raises InputError."""
    found = {_digest_log(path).sha256 for log in logs for path in _logs(log)}
    for listed in manifest.inputs:
        if listed.sha256 is None:
            yield f"no digest {listed.path}: it was a stream, or could not be read"
        elif listed.sha256 not in found:
            yield f"no input {listed.path}: no given log has its SHA-256"


def _digest_log(path: Path) -> Digested:
    try:
        return digest_file(path, str(path))
    except OSError as exc:
        raise InputError(
            f"{path}: the log cannot be read: {exc.strerror or exc}",
            hint="name the logs that were audited with --log",
        ) from exc


def _logs(path: Path) -> Iterator[Path]:
    # Whoever reads a pipe or a device in a folder may wait for ever.
    return filter(Path.is_file, _all_files(path)) if path.is_dir() else iter((path,))


def _all_files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names))
