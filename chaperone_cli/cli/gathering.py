"""Gathers what an evidence folder says besides the reports: settings, and digests of the inputs."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

from chaperone_cli import reports
from chaperone_cli.cli.counting import counted
from chaperone_cli.cli.places import read_by
from chaperone_cli.codec.manifest import Digested, digest_file
from chaperone_cli.config import Settings, key_name
from chaperone_cli.domain.pseudonym import Names
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


def evidence(path: str, paths: Sequence[str], settings: Settings, names: Names) -> EvidenceReporter:
    """Gives the reporter of the evidence folder `path` of a run over `paths`."""
    folder = Path(path)
    files = [
        (name, reports.for_path(folder / name))
        for name in REPORTS
        if Path(name).suffix in reports.FILE_REPORTERS
    ]
    particulars = Particulars(
        _shaping(settings),
        lambda: list(_digests(paths, settings, names)),
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


def _digests(paths: Sequence[str], settings: Settings, names: Names) -> Iterator[Digested]:
    """Gives every input with its digest; what cannot be read is among the problems of the run."""
    for path in counted(read_by(paths, settings), "taking digests", "files"):
        shown = names.path(path)
        try:
            yield digest_file(Path(path), shown) if Path(path).is_file() else _stream(shown)
        except OSError:
            yield _stream(shown)


def _stream(shown: str) -> Digested:
    return Digested(shown, None, None)
