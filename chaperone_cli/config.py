"""Settings: built-in defaults, below a settings file, below CHAPERONE_* variables and options.

The file is `chaperone.toml` in the current folder, or the table `[tool.chaperone]` of a
`pyproject.toml` there. Its keys are the long options without their dashes: `until-block = true`.
Variables and options are read by the command line, which hands both over as overrides.
"""

import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from chaperone_cli.domain.branches import Branches
from chaperone_cli.domain.conversation import Sides
from chaperone_cli.domain.selection import moment
from chaperone_cli.errors import ConfigError

ENV_PREFIX = "CHAPERONE_"
HASH_KEY = f"{ENV_PREFIX}HASH_KEY"
"""The variable that holds the key for ids: a secret, and so neither an option nor a setting."""
MOST_PASSES = 99
Choice = TypeVar("Choice", bound=StrEnum)


class FailOn(StrEnum):
    """Which verdicts make the exit code say so."""

    UNDECIDED = "undecided"
    """Blocked and undecided turns."""
    BLOCK = "block"
    """Blocked turns only."""
    NEVER = "never"
    """Neither."""


class Latency(StrEnum):
    """What is saved where a block is likely."""

    NORMAL = "normal"
    """Calls: votes are asked for one by one, until the verdict is settled."""
    FAST = "fast"
    """Time: after a first yes, all that are left are asked for at once."""


@dataclass(frozen=True)
class Settings:
    """Everything that an audit can be told, besides the paths of its logs."""

    format: str | None = None
    """The logs' format; None to find it out from their content."""
    branches: Branches = Branches.LAST
    where: tuple[str, ...] = ()
    """Conditions that conversations must meet."""
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    evaluator: str = "local"
    recorded_votes: Path | None = None
    """The file of recorded votes; None for the one beside each log."""
    screen: str | None = None
    """Who says which turns are voted on; None or `none` to vote on all."""
    screen_level: float | None = None
    """The suspicion from which turns are passed on; None for what suits the screen."""
    screen_reach: int | None = None
    """Turns before and after that are passed on too; None for the usual number."""
    rubric: str = "parasocial"
    """A shipped rubric's id, or the path of a rubric file."""
    votes: int = 5
    """N, the votes a turn gets at most."""
    rule: str = "unanimous"
    sides: Sides = Sides.BOTH
    all_votes: bool = False
    until_block: bool = False
    concurrency: int | None = None
    """Conversations under way at the same time; None for what suits the evaluator."""
    model: str = "claude-haiku-5-5"
    """The model that the claude evaluator asks."""
    base_url: str | None = None
    """The server that it asks; None for ANTHROPIC_BASE_URL, or else the vendor's own."""
    timeout: float = 60.0
    """Seconds that a call may take before it is made again."""
    calls_at_once: int | None = None
    """Calls under way at the same time at most; None for what suits most servers."""
    latency: Latency = Latency.NORMAL
    """Whether time or calls are saved where a block is likely."""
    explain: bool = False
    """Have first blocks explained, by one call each."""
    dry_run: bool = False
    """Only say what the audit would take."""
    max_cost: float | None = None
    """US dollars that a run may cost."""
    max_cost_total: float | None = None
    """US dollars that all runs on one store may cost together."""
    max_calls: int | None = None
    """Calls that a run may make."""
    prices: Path | None = None
    """A price table whose models come before the shipped ones."""
    batch: bool = False
    """Ask for votes in message batches."""
    detach: bool = False
    """Leave once a batch is handed in."""
    output: tuple[str, ...] = ()
    """Files to write; the suffix chooses the format."""
    quote: bool = False
    """Let the reports hold the flagged spans."""
    rows: int = 40
    """Conversations that the terminal table shows at most."""
    fail_on: FailOn = FailOn.UNDECIDED
    hash_ids: bool = False
    """Show keyed hashes instead of conversation ids and file names."""
    hash_key_file: Path | None = None
    """The file with the key; None for the variable CHAPERONE_HASH_KEY."""
    baseline: Path | None = None
    """An earlier run's report; only what is new since then makes the exit code say so."""
    changes: tuple[str, ...] = ()
    """Files to write what changed since the baseline into."""
    store: Path | None = None
    """The vote store's file; None for the usual place of this system."""
    no_store: bool = False
    keep_abstentions: bool = False
    """Take abstentions of earlier runs as they are, also where asking again might heal them."""

    def with_overrides(self, overrides: Mapping[str, Any]) -> "Settings":
        """Gives these settings with every override that is not None."""
        given = {name: value for name, value in overrides.items() if value is not None}
        return replace(self, **given)


NAMES = tuple(field.name for field in fields(Settings))


def env_name(name: str) -> str:
    """Gives the environment variable of the setting `name`."""
    return ENV_PREFIX + name.upper()


def key_name(name: str) -> str:
    """Gives the settings-file key, which is also the long option, of the setting `name`."""
    return name.replace("_", "-")


def load(
    overrides: Mapping[str, Any],
    environ: Mapping[str, str],
    folder: Path,
    file: Path | None = None,
) -> Settings:
    """Gives the settings in force; raises ConfigError.

    `overrides` are the options and variables that the user gave, by setting; `environ` is searched
    for CHAPERONE_* names that mean nothing; `file` replaces the settings file of `folder`.
    """
    check_environment(environ)
    found = file or find(folder)
    settings = Settings()
    if found is not None:
        settings = settings.with_overrides(read(found))
    return settings.with_overrides(_checked(overrides))


def _checked(overrides: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in overrides.items():
        if value is not None:
            # Paths are read from text in a file, and arrive as paths from an option.
            given = str(value) if isinstance(value, Path) else value
            try:
                values[name] = _READ[name](given)
            except ValueError as exc:
                place = f"--{key_name(name)} or {env_name(name)}"
                raise ConfigError(f"{place} must be {exc}; it is {_shown(given)}") from None
    return values


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in `given`, each read as from a file; raises UsageError naming one."""
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in NAMES:
            raise _unknown(f"unknown setting {name!r}", name, NAMES)
        if value is not None:
            try:
                values[name] = _READ[name](str(value) if isinstance(value, Path) else value)
            except ValueError as exc:
                raise ConfigError(f"{name} must be {exc}; it is {_shown(value)}") from None
    return values


def find(folder: Path) -> Path | None:
    """Gives the settings file that holds in `folder`; `chaperone.toml` comes first."""
    if (own := folder / "chaperone.toml").is_file():
        return own
    project = folder / "pyproject.toml"
    if project.is_file() and "chaperone" in _parse(project).get("tool", {}):
        return project
    return None


def read(path: Path) -> dict[str, Any]:
    """Reads a settings file into values by setting; raises ConfigError naming file and key."""
    document = _parse(path)
    if path.name == "pyproject.toml":
        document = document.get("tool", {}).get("chaperone", {})
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: [tool.chaperone] must be a table")
    values: dict[str, Any] = {}
    for key, value in document.items():
        name = key.replace("-", "_")
        if name not in NAMES:
            raise _unknown(f"{path}: unknown key {key!r}", key, map(key_name, NAMES))
        try:
            values[name] = _READ[name](value)
        except ValueError as exc:
            raise ConfigError(f"{path}: {key} must be {exc}; it is {_shown(value)}") from None
    return values


def check_environment(environ: Mapping[str, str]) -> None:
    """Raises ConfigError for the first CHAPERONE_* variable that no setting goes by."""
    known = {*map(env_name, NAMES), f"{ENV_PREFIX}CONFIG", f"{ENV_PREFIX}DEBUG", HASH_KEY}
    for name in sorted(environ):
        if name.startswith(ENV_PREFIX) and name not in known:
            raise _unknown(f"unknown environment variable {name}", name, known)


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as exc:
        raise ConfigError(f"{path}: there is no such settings file") from exc
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read: {exc.strerror}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path}: not a TOML file: {exc}") from exc


def _unknown(message: str, name: str, known: Iterable[str]) -> ConfigError:
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    return ConfigError(message, hint=hint)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("text")
    return value


def _time(value: object) -> str:
    text = value.isoformat() if isinstance(value, date) else _text(value)
    try:
        moment(text)
    except (ValueError, OverflowError):
        raise ValueError("a date or a time as in 2026-01-31T18:00:00Z") from None
    return text


def _rule(value: object) -> str:
    return str(value) if type(value) is int else _text(value)


def _path(value: object) -> Path:
    return Path(_text(value)).expanduser()


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _texts(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(one, str) and one for one in values):
        raise ValueError("text or a list of texts")
    return tuple(values)


def _whole(least: int, most: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return value

    return read


def _number(least: float, most: float) -> Callable[[object], float]:
    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("a number")
        if not least <= value <= most:
            raise ValueError(f"a number from {least:g} to {most:g}")
        return float(value)

    return read


def _one_of(choices: type[Choice]) -> Callable[[object], Choice]:
    def read(value: object) -> Choice:
        if not isinstance(value, str) or value not in tuple(choices):
            raise ValueError(f"one of {', '.join(choices)}")
        return choices(value)

    return read


_READ: dict[str, Callable[[object], Any]] = {
    "format": _text,
    "branches": _one_of(Branches),
    "where": _texts,
    "since": _time,
    "until": _time,
    "limit": _whole(0, 1_000_000_000),
    "sample": _whole(0, 1_000_000_000),
    "seed": _whole(0, 1_000_000_000),
    "evaluator": _text,
    "recorded_votes": _path,
    "screen": _text,
    "screen_level": _number(-1000, 1000),
    "screen_reach": _whole(0, 1_000_000),
    "rubric": _text,
    "votes": _whole(1, MOST_PASSES),
    "rule": _rule,
    "sides": _one_of(Sides),
    "all_votes": _flag,
    "until_block": _flag,
    "concurrency": _whole(1, 10_000),
    "model": _text,
    "base_url": _text,
    "timeout": _number(0.1, 3600),
    "calls_at_once": _whole(1, 10_000),
    "latency": _one_of(Latency),
    "explain": _flag,
    "dry_run": _flag,
    "max_cost": _number(0, 1e9),
    "max_cost_total": _number(0, 1e9),
    "max_calls": _whole(0, 1_000_000_000),
    "prices": _path,
    "batch": _flag,
    "detach": _flag,
    "output": _texts,
    "quote": _flag,
    "rows": _whole(0, 100_000),
    "fail_on": _one_of(FailOn),
    "hash_ids": _flag,
    "hash_key_file": _path,
    "baseline": _path,
    "changes": _texts,
    "store": _path,
    "no_store": _flag,
    "keep_abstentions": _flag,
}
