"""What models cost, as TOML: the dated table that ships with the package, and a user's own."""

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from chaperone_cli.domain.cost import Price, Rates
from chaperone_cli.errors import UsageError

DEFAULTS = {"write_5m": 1.25, "write_1h": 2.0, "read": 0.1}
"""Kinds that a table may leave out, as multiples of the price of input."""

_RATES = {"input", "output", *DEFAULTS}
_DATED = re.compile(r"-\d{8}$")


@dataclass(frozen=True)
class PriceTable:
    """Prices by model, as they stood on a day."""

    as_of: date
    models: dict[str, Price]

    def of(self, model: str) -> Price | None:
        """Gives the price of `model`, or of its undated form; None where neither is listed."""
        return self.models.get(model) or self.models.get(_DATED.sub("", model))


@cache
def shipped() -> PriceTable:
    """Loads the table that ships with the package."""
    file = resources.files("chaperone_cli") / "data" / "prices.toml"
    return decode(file.read_text("utf-8"), "prices.toml")


def load(path: Path | None = None) -> PriceTable:
    """Loads the shipped table, overridden by the one at `path`; raises UsageError."""
    if path is None:
        return shipped()
    try:
        own = decode(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError as exc:
        raise UsageError(f"{path}: the price table is not UTF-8 text") from exc
    except OSError as exc:
        raise UsageError(f"{path}: the price table cannot be read: {exc.strerror}") from exc
    return PriceTable(own.as_of, {**shipped().models, **own.models})


def decode(text: str, name: str) -> PriceTable:
    """Reads a price table; `name` says where it comes from; raises UsageError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise UsageError(f"{name}: the price table is not valid TOML: {exc}") from exc
    _only(document, {"as_of", "models"}, name)
    as_of, models = document.get("as_of"), document.get("models")
    if type(as_of) is not date:
        raise UsageError(f"{name}: as_of must be a date", hint="for example as_of = 2026-11-21")
    if not isinstance(models, dict) or not models:
        raise UsageError(f"{name}: there is no model", hint="add a table [models.ID]")
    prices = {model: _price(row, f"{name}: {model}") for model, row in models.items()}
    return PriceTable(as_of, prices)


def _price(row: Any, where: str) -> Price:
    if not isinstance(row, dict):
        raise UsageError(f"{where}: must be a table")
    _only(row, _RATES | {"batch", "long_from", "long"}, where)
    long = row.get("long")
    if (long is None) != ("long_from" not in row):
        raise UsageError(f"{where}: long and long_from go together")
    if long is None:
        return Price(_rates(row, where), batch=_number(row, "batch", where, 0.5))
    if not isinstance(long, dict):
        raise UsageError(f"{where}: long must be a table")
    _only(long, _RATES, f"{where}: long")
    return Price(
        _rates(row, where),
        int(_number(row, "long_from", where)),
        _rates(long, f"{where}: long"),
        _number(row, "batch", where, 0.5),
    )


def _rates(row: dict[str, Any], where: str) -> Rates:
    base = _number(row, "input", where)
    # Rounded where a multiple would show the last digit of a float.
    more = {
        kind: _number(row, kind, where, round(base * times, 9)) for kind, times in DEFAULTS.items()
    }
    return Rates(input=base, output=_number(row, "output", where), **more)


def _number(row: dict[str, Any], key: str, where: str, default: float | None = None) -> float:
    value = row.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise UsageError(f"{where}: {key} must be a number from 0 on")
    return float(value)


def _only(document: dict[str, Any], known: set[str], where: str) -> None:
    for key in document:
        if key not in known:
            raise UsageError(
                f"{where}: unknown key {key!r}", hint=f"known are {', '.join(sorted(known))}"
            )
