"""Settings and rubrics written as TOML, for people to read and for chaperone to read again."""

from collections.abc import Mapping

from chaperone_cli.codec.fields import dumps
from chaperone_cli.domain.rubric import Rubric


def settings(values: Mapping[str, object]) -> str:
    """Gives flat settings, a key a line."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in values.items())


def rubric(found: Rubric) -> str:
    """Gives a rubric file with the same digest."""
    lines = [
        f"id = {_value(found.id)}",
        f"version = {found.version}",
        f"title = {_value(found.title)}",
    ]
    for label in found.labels:
        lines += ["", "[[labels]]", f"id = {_value(label.id)}"]
        lines += [f"question = {_value(label.question)}", f"guidance = {_value(label.guidance)}"]
    return "\n".join([*lines, ""])


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case str():
            return _literal(value) if _legible(value) else _basic(value)
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            raise TypeError(f"{type(value).__name__} has no form in TOML")


def _legible(text: str) -> bool:
    """Says whether several lines can stand in the file just as they are."""
    printable = all(line.isprintable() for line in text.split("\n"))
    return "\n" in text and printable and "'''" not in text and not text.endswith("'")


def _literal(text: str) -> str:
    # The line end after the opening quotes is not part of the text.
    return f"'''\n{text}'''"


def _basic(text: str) -> str:
    # A JSON string is a basic string of TOML, but for DEL.
    return dumps(text).decode().replace("\x7f", "\\u007f")
