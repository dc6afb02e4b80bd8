"""Values of documents that may hold anything at all: what they are expected to be, or nothing."""

from typing import Any


def as_dict(value: object) -> dict[str, Any]:
    """Gives `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Gives `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    """Gives `value` if it is a string that is not empty."""
    return value if isinstance(value, str) and value else None


def first_text(document: dict[str, Any], *keys: str) -> str | None:
    """Gives the first string that is not empty under `keys`."""
    return next((text for key in keys if (text := as_text(document.get(key)))), None)


def dicts(value: object) -> list[dict[str, Any]]:
    """Gives the objects in `value`, if it is a list."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def begins(document: dict[str, Any], key: str) -> dict[str, Any]:
    """Gives the first object of the list under `key`, else an empty one."""
    return next(iter(dicts(document.get(key))), {})


def is_text(value: str) -> bool:
    """Says whether UTF-8 can hold `value`: it has no half of a surrogate pair."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
