"""Times as exports write them, as ISO 8601 in UTC."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import isfinite

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_SECONDS = 1e11
"""Seconds until the year 5138; greater numbers count milliseconds or less."""
_NUMBER = re.compile(r"\d{9,19}(\.\d+)?")
_SPELLED = (
    "%B %d, %Y %I:%M%p",
    "%B %d, %Y %I:%M %p",
    "%Y-%m-%d@%Hh%Mm%Ss",
    "%Y-%m-%d @%Hh %Mm %Ss",
)
_MILLISECONDS = re.compile(r"\s*\d+ms$")
_LONGEST = 64


def utc(value: object) -> str | None:
    """Gives a time as ISO 8601: in UTC with `Z`, or without zone where `value` has none.

    Takes seconds, milliseconds, microseconds or nanoseconds since 1970 as number or digits, ISO
    8601, and SillyTavern's spelled dates; gives None for anything else.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _since_1970(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _since_1970(float(text))
    read = _iso(text) or _spelled(text)
    return None if read is None else _shown(read)


def instant(text: str) -> datetime | None:
    """Gives the moment that `text` names; one without zone is taken to be in UTC."""
    read = _iso(text)
    if read is not None and read.tzinfo is None:
        return read.replace(tzinfo=UTC)
    return read


def _since_1970(value: float) -> str | None:
    with suppress(OverflowError, ValueError):
        while isfinite(value) and abs(value) > _MAX_SECONDS:
            value /= 1000
        return _shown(_EPOCH + timedelta(seconds=value))
    return None


def _iso(text: str) -> datetime | None:
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(text)
    return None


def _spelled(text: str) -> datetime | None:
    text = _MILLISECONDS.sub("", text)
    for form in _SPELLED:
        with suppress(ValueError):
            return datetime.strptime(text, form)
    return None


def _shown(time: datetime) -> str | None:
    with suppress(OverflowError, ValueError):
        if time.tzinfo is not None:
            time = time.astimezone(UTC)
        return time.isoformat().replace("+00:00", "Z")
    return None
