"""The JSON Schemas (2020-12) of the contracts, as they ship with the package."""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

CONTRACTS = (
    "conversation.v1",
    "vote.v1",
    "rubric.v1",
    "verdict.v1",
    "report.v1",
    "evaluation.v1",
    "comparison.v1",
    "manifest.v1",
    "rephrase.v1",
    "calibration.v1",
)

_SUFFIX = ".schema.json"


def schema(contract: str) -> dict[str, Any]:
    """Gives the schema of `contract`, for example `report.v1`."""
    name = contract + _SUFFIX
    shipped = resources.files("chaperone_cli") / "schemas" / name
    if shipped.is_file():
        loaded: dict[str, Any] = orjson.loads(shipped.read_bytes())
        return loaded
    # In a checkout the schemas stand beside the package; the wheel carries them inside it.
    checkout = Path(__file__).parents[2] / "schemas" / name
    loaded = orjson.loads(checkout.read_bytes())
    return loaded


@cache
def validator(contract: str) -> "Draft202012Validator":
    """Gives a validator for documents of `contract`; its references reach the other contracts."""
    # jsonschema takes longer to import than most commands take to start.
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(schema(uri.removesuffix(_SUFFIX)))

    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    return Draft202012Validator(schema(contract), registry=registry)
