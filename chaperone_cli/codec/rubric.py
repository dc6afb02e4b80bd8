"""Rubrics as TOML files: the shipped ones by name, a user's own by path."""

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from chaperone_cli.codec.schemas import validator
from chaperone_cli.domain.rubric import Label, Rubric
from chaperone_cli.errors import UsageError

_SHIPPED = resources.files("chaperone_cli") / "data" / "rubrics"


def shipped() -> tuple[str, ...]:
    """Names the rubrics that come with the package."""
    return tuple(
        sorted(file.name[:-5] for file in _SHIPPED.iterdir() if file.name.endswith(".toml"))
    )


def load(name: str) -> Rubric:
    """Loads the shipped rubric `name`, or the one in the file of that path; raises UsageError."""
    if name in shipped():
        # Validated in tests: importing the validator would slow the start of every audit.
        return _rubric(tomllib.loads((_SHIPPED / f"{name}.toml").read_text("utf-8")))
    path = Path(name)
    if path.suffix != ".toml":
        raise UsageError(
            f"there is no rubric named {name!r}",
            hint=f"use {', '.join(shipped())}, or the path of a .toml file",
        )
    try:
        return decode(path.read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageError(f"{name}: the rubric cannot be read: {_reason(exc)}") from exc


def decode(text: str, name: str) -> Rubric:
    """Reads a rubric from TOML; `name` says where it comes from; raises UsageError."""
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise UsageError(f"{name}: the rubric is not valid TOML: {exc}") from exc
    _check(document, name)
    return _rubric(document)


def _rubric(document: dict[str, Any]) -> Rubric:
    return Rubric(
        document["id"],
        document["version"],
        document["title"],
        tuple(Label(row["id"], row["question"], row["guidance"]) for row in document["labels"]),
    )


def _check(document: dict[str, Any], name: str) -> None:
    """Raises UsageError for the first point where `document` departs from `rubric.v1`."""
    for error in sorted(validator("rubric.v1").iter_errors(document), key=lambda e: list(e.path)):
        where = ".".join(str(step) for step in error.path) or "the file"
        raise UsageError(
            f"{name}: {where}: {error.message}", hint="see schemas/rubric.v1.schema.json"
        )


def _reason(exc: OSError | UnicodeDecodeError) -> str:
    if isinstance(exc, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return exc.strerror or str(exc)
