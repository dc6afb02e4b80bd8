"""What calls took, as `report.v1` writes it."""

from typing import Any

from chaperone_cli.codec.fields import Node
from chaperone_cli.domain.cost import Spend, Tokens

_KINDS = {
    "input": "input",
    "write_5m": "cache_write_5m",
    "write_1h": "cache_write_1h",
    "read": "cache_read",
    "output": "output",
}


def encode_spend(spend: Spend) -> dict[str, Any]:
    """Gives the `spend` of a report's usage; dollars to a millionth."""
    document: dict[str, Any] = {
        "calls": spend.calls,
        "failed": spend.failed,
        "unaccounted": spend.unaccounted,
        "tokens": {name: getattr(spend.tokens, kind) for kind, name in _KINDS.items()},
        "dollars": None if spend.dollars is None else round(spend.dollars, 6),
    }
    if spend.written_off:
        document["written_off"] = round(spend.written_off, 6)
    if spend.estimated:
        document["estimated"] = spend.estimated
    if spend.all_runs is not None:
        document["all_runs"] = round(spend.all_runs, 6)
    return document


def decode_spend(node: Node) -> Spend:
    """Reads the `spend` of a report's usage."""
    node.only(
        *("calls", "failed", "unaccounted", "tokens", "dollars"),
        *("written_off", "estimated", "all_runs"),
    )
    written_off, estimated = node.maybe("written_off"), node.maybe("estimated")
    all_runs = node.maybe("all_runs")
    tokens, dollars = node.get("tokens"), node.get("dollars").nullable()
    return Spend(
        node.get("calls").integer(),
        node.get("failed").integer(),
        node.get("unaccounted").integer(),
        Tokens(**{kind: tokens.get(name).integer() for kind, name in _KINDS.items()}),
        None if dollars is None else dollars.number(),
        0.0 if written_off is None else written_off.number(),
        0 if estimated is None else estimated.integer(),
        None if all_runs is None else all_runs.number(),
    )
