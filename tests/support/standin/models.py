"""The models that the stand-in knows, with what each allows, costs and caches.

Prices are US dollars per million tokens as of November 2026; minimum lengths that the vendor does
not state are those of the model before.
"""

from dataclasses import dataclass
from typing import Any

EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True)
class Model:
    """One model."""

    id: str
    input: float
    """Price of a million input tokens."""
    output: float
    read: float
    """Price of a cached token, as a share of an input token's."""
    least_cached: int
    """The shortest prefix, in tokens, that is cached."""
    thinking: tuple[str, ...]
    """The forms of `thinking` that it takes."""
    thinks_by_default: bool
    lifecycle: str = "active"
    structured_outputs: bool = True
    max_input: int = 1_000_000
    max_output: int = 128_000
    dear_above: int | None = None
    """Prompts of more tokens cost `dear` times as much."""
    dear: float = 5.0

    def info(self) -> dict[str, Any]:
        """Gives what `GET /v1/models/{id}` says."""
        over = self.lifecycle != "active"
        return {
            "type": "model",
            "id": self.id,
            "display_name": self.id.replace("-", " ").title(),
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": self.lifecycle,
            "deprecated_at": "2026-06-05T00:00:00Z" if over else None,
            "retires_at": "2026-08-05T00:00:00Z" if over else None,
            "line": self.id.split("-")[1],
            "max_input_tokens": self.max_input,
            "max_tokens": self.max_output,
            "capabilities": self._capabilities(),
        }

    def _capabilities(self) -> dict[str, Any]:
        def supported(yes: bool) -> dict[str, bool]:
            return {"supported": yes}

        yes = supported(True)
        thinks = bool(self.thinking)
        forms = ("adaptive", "disabled", "between_tools", "enabled")
        return {
            "batch": yes,
            "citations": yes,
            "code_execution": yes,
            "context_management": {**yes, "clear_thinking_20251015": yes},
            "effort": {**supported(thinks), **{name: supported(thinks) for name in EFFORTS}},
            "image_input": yes,
            "pdf_input": yes,
            "server_tools": {**yes, "code_execution": yes, "web_fetch": yes, "web_search": yes},
            "structured_outputs": supported(self.structured_outputs),
            "thinking": {
                **supported(thinks),
                "types": {form: supported(form in self.thinking) for form in forms},
            },
        }


_ADAPTIVE = ("adaptive", "disabled")

MODELS = {
    model.id: model
    for model in (
        Model("claude-haiku-5-5", 0.10, 0.50, 0.10, 512, _ADAPTIVE, True, dear_above=100_000),
        Model("claude-sonnet-5-5", 2, 10, 0.05, 1024, ("adaptive", "between_tools"), True),
        Model("claude-opus-5-5", 4, 20, 0.05, 512, ("adaptive",), True),
        Model("claude-fable-5-2", 8, 40, 0.025, 512, ("adaptive",), True),
        Model("claude-opus-5", 5, 25, 0.10, 512, _ADAPTIVE, True),
        Model("claude-opus-4-8", 5, 25, 0.10, 1024, _ADAPTIVE, False),
        Model(
            *("claude-haiku-4-5-20251001", 1, 5, 0.10, 4096, ("enabled", "disabled"), False),
            max_input=200_000,
            max_output=64_000,
        ),
        Model(
            *("claude-opus-4-1-20250805", 15, 75, 0.10, 1024, ("enabled", "disabled"), False),
            lifecycle="retired",
            structured_outputs=False,
            max_input=200_000,
            max_output=32_000,
        ),
        Model(
            *("claude-sonnet-4-5-20250929", 3, 15, 0.10, 1024, ("enabled", "disabled"), False),
            lifecycle="deprecated",
            max_input=200_000,
            max_output=64_000,
        ),
    )
}
"""By id. Another id is an unknown model, unless the stand-in poses as a local server."""
