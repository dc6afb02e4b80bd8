"""Strategies as TOML files: the shipped ones by name, a user's own by path."""

import tomllib
from collections.abc import Collection
from importlib import resources
from pathlib import Path
from typing import Any

from chaperone_cli.domain.strategy import Offline, Step, Strategy, placeholders
from chaperone_cli.errors import UsageError

_SHIPPED = resources.files("chaperone_cli") / "data" / "strategies"
_HINT = "see the strategies that ship with chaperone for the form"
_KEYS: dict[str, type] = {
    "id": str,
    "version": int,
    "title": str,
    "steps": list,
    "offline": dict,
    "principles": list,
    "length": dict,
}
_OFFLINE: dict[str, type] = {
    "opening": str,
    "closing": str,
    "closing_only_if_needed": bool,
    "reply": str,
}

CONCERN = ("acknowledge", "practical", "people", "help")
"""What may be filled into offline texts: the reply to a concern, and lines of help."""


def shipped() -> tuple[str, ...]:
    """Names the strategies that come with the package."""
    return tuple(
        sorted(file.name[:-5] for file in _SHIPPED.iterdir() if file.name.endswith(".toml"))
    )


def load(name: str) -> Strategy:
    """Loads the shipped strategy `name`, or the one in the file of that path; raises UsageError."""
    if name in shipped():
        return decode((_SHIPPED / f"{name}.toml").read_text("utf-8"), name)
    path = Path(name)
    if path.suffix != ".toml":
        raise UsageError(
            f"there is no strategy named {name[:80]!r}",
            hint=f"use {', '.join(shipped())}, or the path of a .toml file",
        )
    try:
        return decode(path.read_text("utf-8"), name)
    except UnicodeDecodeError as exc:
        raise UsageError(f"{name}: the strategy cannot be read: it is not UTF-8 text") from exc
    except OSError as exc:
        raise UsageError(f"{name}: the strategy cannot be read: {exc.strerror}") from exc


def decode(text: str, name: str) -> Strategy:
    """Reads a strategy from TOML; `name` says where it comes from; raises UsageError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise UsageError(f"{name}: the strategy is not valid TOML: {exc}") from exc
    _check(document, _KEYS, ("id", "version", "title", "steps"), name)
    length = document.get("length", {})
    _check(length, {"least": int, "most": int}, (), f"{name}: length")
    principles = document.get("principles", [])
    if not all(isinstance(one, str) and one for one in principles):
        raise UsageError(f"{name}: principles must be texts", hint=_HINT)
    bounds = length.get("least", 3), length.get("most", 120)
    if not 0 < bounds[0] <= bounds[1]:
        raise UsageError(f"{name}: length: least must be from 1 to most", hint=_HINT)
    return Strategy(
        document["id"],
        document["version"],
        document["title"],
        _steps(document["steps"], name),
        _offline(document.get("offline"), f"{name}: offline"),
        tuple(principles),
        *bounds,
    )


def _steps(rows: list[Any], name: str) -> tuple[Step, ...]:
    if not rows:
        raise UsageError(f"{name}: there are no steps", hint="add a table [[steps]]")
    for number, row in enumerate(rows, start=1):
        where = f"{name}: step {number}"
        if not isinstance(row, dict):
            raise UsageError(f"{where}: must be a table", hint=_HINT)
        _check(row, {"id": str, "ask": str}, ("id", "ask"), where)
        if not (row["id"].isascii() and row["id"].isalpha() and row["id"].islower()):
            raise UsageError(f"{where}: id must be letters from a to z", hint=_HINT)
    steps = tuple(Step(row["id"], row["ask"]) for row in rows)
    if len({step.id for step in steps} - {"help", "principles"}) != len(steps):
        raise UsageError(f"{name}: every step needs an id of its own", hint=_HINT)
    known = ["help", "principles"]
    for number, step in enumerate(steps, start=1):
        _fillable(step.ask, known, f"{name}: step {number}: ask")
        known.append(step.id)
    return steps


def _fillable(text: str, known: Collection[str], where: str) -> None:
    """Refuses a placeholder that nothing fills, since users would read it as it stands."""
    for found in placeholders(text):
        if found not in known:
            raise UsageError(
                f"{where}: nothing fills {{{found[:40]}}}", hint=f"known are {', '.join(known)}"
            )


def _offline(row: dict[str, Any] | None, where: str) -> Offline | None:
    if row is None:
        return None
    _check(row, _OFFLINE, tuple(_OFFLINE), where)
    if not row["reply"].strip():
        raise UsageError(f"{where}: reply must not be empty", hint=_HINT)
    for key in ("opening", "closing", "reply"):
        _fillable(row[key], CONCERN, f"{where}: {key}")
    return Offline(**row)


def _check(
    row: dict[str, Any], kinds: dict[str, type], needed: tuple[str, ...], where: str
) -> None:
    for key, value in row.items():
        if key not in kinds:
            raise UsageError(f"{where}: unknown key {key!r}", hint=f"known are {', '.join(kinds)}")
        if type(value) is not kinds[key] or (value == "" and key in needed and kinds is _KEYS):
            raise UsageError(f"{where}: {key} must be {_NAMES[kinds[key]]}", hint=_HINT)
    for key in needed:
        if key not in row:
            raise UsageError(f"{where}: {key} is missing", hint=_HINT)


_NAMES: dict[type, str] = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}
