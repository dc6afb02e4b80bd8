"""Logs of one JSON object a line: the objects, and what is wrong with the other lines."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from chaperone_cli.codec.message import json_name
from chaperone_cli.domain.problem import Problem
from chaperone_cli.readers.log import Line, Log

_NOT_JSON_NUMBER = re.compile(r"-?(NaN|Infinity)")
_EXPECTED = "expected one JSON object a line"


class Row(NamedTuple):
    """One line's object."""

    line: int
    document: dict[str, Any]


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
                yield _malformed(log, line)
            continue
        if isinstance(document, dict):
            yield Row(number, document)
        else:
            yield log.problem(f"this line holds {json_name(document)}; {_EXPECTED}", number)


def _malformed(log: Log, line: Line) -> Problem:
    data = line.data.rstrip(b" \t\r\n")
    try:
        text = data.decode()
        orjson.loads(text)
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode()) + 1
        message = f"is not UTF-8 at column {column} (byte {error.start + 1} of the line)"
        return log.problem(f"{message}; export the log as UTF-8", line.number)
    except orjson.JSONDecodeError as error:
        # orjson counts characters, and its message holds nothing of the line.
        message = f"is not valid JSON at column {error.pos + 1}: {_advice(text, error)}"
    return log.problem(f"{message}; {_EXPECTED}", line.number)


def _advice(text: str, error: orjson.JSONDecodeError) -> str:
    if _NOT_JSON_NUMBER.match(text, error.pos):
        return "NaN and Infinity are not JSON"
    if "surrogate" in error.msg:
        return "half of a character's two \\u escapes stands alone"
    return error.msg
