"""Text from a log, made harmless inside Markdown tables and whatever renders them."""

from collections.abc import Iterable, Sequence

from chaperone_cli.reports.sanitise import plain, prose

LONGEST = 80
"""Characters of an id, a path or a label that are shown at most."""


def code(text: str, longest: int = LONGEST) -> str:
    """Gives `text` as a code span: no markup, mention, link or emoji comes to life in one.

    Back-ticks would end the span and pipes the table's cell, so that both are spelled as escapes.
    """
    spelled = plain(text).replace("`", "\\x60").replace("|", "\\x7c").strip()
    if not spelled:
        return "*(blank)*" if text else "*(empty)*"
    return f"`{shortened(spelled, longest)}`"


def quoted(text: str, longest: int) -> str:
    """Gives conversation text as a code span on one line."""
    return code(prose(text), longest)


def shortened(text: str, longest: int) -> str:
    """Cuts `text`, with an ellipsis where something went."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Gives the lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]
