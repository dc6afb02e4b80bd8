"""What a model on a server accepts, and so what it is asked with.

The models endpoint says it, free of charge; the table in the package's data stands in where that
endpoint is silent. Servers that neither know get the plainest request there is.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

SHORT_REPLY = 64
"""Most tokens of a reply without thinking: the answer takes about ten."""
THINKING_REPLY = 4096
"""Most tokens where thinking cannot be turned off; its tokens count as output."""
LEAST_CACHED = 1024
"""Where the vendor does not say what the shortest prefix is that the cache keeps."""
PLAIN_REPLY = 2048
"""Most tokens on a server of unknown abilities, whose model may think aloud before it answers."""


@dataclass(frozen=True)
class Form:
    """The fields of a request that depend on the model and the server."""

    max_tokens: int = PLAIN_REPLY
    thinking: str | None = None
    """The value of `thinking.type`; None to leave the field out."""
    effort: str | None = None
    structured: bool = False
    """Hold the reply to a JSON schema."""
    caching: bool = False
    """Set cache breakpoints."""
    temperature: float | None = None
    """Only for servers whose default may make every vote the same; the vendor's API refuses it."""

    def fields(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Gives the fields of a request whose answer is an object of `schema`."""
        output: dict[str, Any] = {}
        if self.effort is not None:
            output["effort"] = self.effort
        if self.structured:
            output["format"] = {"type": "json_schema", "schema": schema}
        fields: dict[str, Any] = {"output_config": output} if output else {}
        if self.thinking is not None:
            fields["thinking"] = {"type": self.thinking}
        if self.temperature is not None:
            fields["temperature"] = self.temperature
        return fields


@dataclass(frozen=True)
class Listed:
    """What the package's table says of a model."""

    form: Form
    retired: date | None = None
    use: str | None = None
    least_cached: int = LEAST_CACHED
    """The shortest prefix, in tokens, that the cache keeps; known to the vendor alone in part."""
    most_input: int | None = None
    """The most tokens of a prompt."""


def plain(*, local: bool) -> Form:
    """Gives the form for a server of unknown abilities.

    On this machine or this network the temperature is sent too: there it is known to be understood,
    and a server that is set to 0 would cast the same vote N times.
    """
    return Form(temperature=1.0 if local else None)


def offered(capabilities: Mapping[str, Any]) -> Form:
    """Gives the form for a model whose `capabilities` the models endpoint lists."""
    thinking = capabilities.get("thinking") or {}
    types = thinking.get("types") or {}
    off = next(
        (kind for kind in ("disabled", "between_tools") if _supported(types.get(kind))), None
    )
    always = bool(thinking.get("supported")) and off is None
    effort = capabilities.get("effort") or {}
    return _form(
        thinking=off if thinking.get("supported") else None,
        always=always,
        structured=_supported(capabilities.get("structured_outputs")),
        low_effort=_supported(effort.get("low")),
    )


def listed(model: str) -> Listed | None:
    """Gives what the package's table says of `model`, if it lists it."""
    row = table().get(model) or table().get(_DATED.sub("", model))
    if row is None:
        return None
    kind = row["thinking"]
    form = _form(
        thinking=kind if kind in ("disabled", "between_tools") else None,
        always=kind == "always",
        structured=row["structured"],
        low_effort=row["effort"],
    )
    least = row.get("least_cached", LEAST_CACHED)
    return Listed(form, row.get("retired"), row.get("use"), least, row.get("most_input"))


@cache
def table() -> dict[str, dict[str, Any]]:
    """Loads the table of models that ships with the package."""
    file = resources.files("chaperone_cli") / "data" / "claude" / "models.toml"
    return tomllib.loads(file.read_text("utf-8"))


_DATED = re.compile(r"-\d{8}$")


def _form(*, thinking: str | None, always: bool, structured: bool, low_effort: bool) -> Form:
    return Form(
        max_tokens=THINKING_REPLY if always else SHORT_REPLY,
        thinking=thinking,
        # Effort is part of the cached prompt and shapes thinking; elsewhere the default stands.
        effort="low" if always and low_effort else None,
        structured=structured,
        caching=True,
    )


def schema(**properties: str) -> dict[str, Any]:
    """Gives the schema of an object with these properties, of these types, and no others."""
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _supported(capability: object) -> bool:
    return isinstance(capability, Mapping) and capability.get("supported") is True
