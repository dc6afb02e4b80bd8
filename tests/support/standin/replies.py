"""Messages as the API gives them, around an answer."""

import json
import random
from typing import Any

from tests.support.standin.ledger import Usage

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
_TEXTS = {
    "refused": ("", "refusal"),
    "refusal": ("", "refusal"),
    "no_text": ("", "end_turn"),
    "max_tokens": ("", "max_tokens"),
    "context_window": ("", "model_context_window_exceeded"),
    "gibberish": ("I would rather talk about the weather, maybe.", "end_turn"),
    "unreadable": ("I would rather talk about the weather, maybe.", "end_turn"),
    "error": ("", "end_turn"),
    "unsupported_language": ("?", "end_turn"),
}
_YES = ("yes", "true", "parasocial", "y")
_NO = ("no", "false", "not_parasocial", "n")
_QUOTED = 60


class Ids:
    """Ids that look like the API's, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def __call__(self, start: str) -> str:
        """Gives the next id that begins with `start`."""
        return f"{start}_01" + "".join(self._draw.choices(_LETTERS, k=22))


def answer(body: dict[str, Any], vote: str, said: str, *, plain: bool = False) -> tuple[str, str]:
    """Gives text and stop reason for `vote`, in the format that `body` asks for.

    Where a quote is asked for, it is the beginning of the turn, which `said`.
    """
    if vote in _TEXTS:
        return _TEXTS[vote]
    form = (body.get("output_config") or {}).get("format")
    if form is None or plain:
        return vote.capitalize() if plain else vote, "end_turn"
    return json.dumps(_filled(form["schema"], vote, said), ensure_ascii=False), "end_turn"


def message(id: str, model: str, text: str, stop_reason: str) -> dict[str, Any]:
    """Gives the message, without its usage."""
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "stop_details": _REFUSED if stop_reason == "refusal" else None,
    }


def usage_document(usage: Usage, *, tier: str = "standard", local: bool = False) -> dict[str, Any]:
    """Gives `usage` as a message states it; a local server's knows no cache."""
    if local:
        return {"input_tokens": usage.prompt, "output_tokens": usage.output}
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.write_5m + usage.write_1h,
        "cache_read_input_tokens": usage.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.write_5m,
            "ephemeral_1h_input_tokens": usage.write_1h,
        },
        "output_tokens": usage.output,
        "service_tier": tier,
        "inference_geo": "not_available",
    }


_REFUSED = {"type": "refusal", "category": "general_harms", "explanation": "Not for this model."}


def _filled(schema: dict[str, Any], vote: str, said: str) -> Any:
    if "enum" in schema:
        wanted = _YES if vote == "yes" else _NO
        fits = [one for one in schema["enum"] if str(one).lower() in wanted]
        return fits[0] if fits else schema["enum"][0]
    match schema.get("type"):
        case "boolean":
            return vote == "yes"
        case "object":
            parts = schema.get("properties", {}).items()
            return {
                name: said[:_QUOTED] if "quote" in name else _filled(part, vote, said)
                for name, part in parts
            }
        case "array":
            return [_filled(schema["items"], vote, said)]
        case "integer" | "number":
            return 1
        case _:
            return "The reply takes the place of a person."
