"""Logs of one JSON object a line: the objects, and what is wrong with the other lines."""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from chaperone_cli.codec.message import json_name
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.log import Log

_NOT_JSON_NUMBER = re.compile(r"-?(NaN|Infinity)")
_EXPECTED = "expected one JSON object a line"


Row = tuple[int, dict[str, Any], int | None]
"""One object of a log: its line, itself, and its number, from 1, where it is the item of a list."""


def json_objects(log: Log) -> Iterator[Row | Problem]:
    """Gives the object of every line that holds one; blank lines are nothing, others Problems."""
    loads = orjson.loads
    for line in log.lines():
        if isinstance(line, Problem):
            yield line
            continue
        number, data = line
        try:
            document = loads(data)
        except orjson.JSONDecodeError:
            if data.strip():
                yield _malformed(log, number, data)
            continue
        if isinstance(document, dict):
            yield number, document, None
        else:
            yield log.problem(f"this line holds {json_name(document)}; {_EXPECTED}", number)


def _malformed(log: Log, number: int, data: bytes) -> Problem:
    defect = json_defect(data, "column", "of the line")
    return log.problem(f"{defect}; {_EXPECTED}" if "JSON" in defect else defect, number)


def json_defect(data: bytes, unit: str = "character", of: str = "of it") -> str:
    """Says why `data` is no JSON, as a clause that holds nothing of it."""
    data = data.rstrip(b" \t\r\n")
    try:
        text = data.decode()
        orjson.loads(text)
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode()) + 1
        where = f"{unit} {column} (byte {error.start + 1} {of})"
        return f"is not UTF-8 at {where}; export the log as UTF-8"
    except orjson.JSONDecodeError as error:
        # orjson counts characters, and its message holds nothing of the line.
        return f"is not valid JSON at {unit} {error.pos + 1}: {_advice(text, error)}"
    raise AssertionError("the data is JSON")


def _advice(text: str, error: orjson.JSONDecodeError) -> str:
    if _NOT_JSON_NUMBER.match(text, error.pos):
        return "NaN and Infinity are not JSON"
    if "surrogate" in error.msg:
        return "half of a character's two \\u escapes stands alone"
    return error.msg
