"""The signs that terminal output draws with: Unicode where the terminal can, else ASCII."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Glyphs:
    """One set of signs; each is one cell wide."""

    heights: str
    """What stands for a score, from none of N to all of N; empty to write scores as digits."""
    first_block: str
    undecided: str
    not_judged: str
    screened_out: str
    yes: str
    no: str
    abstain: str
    separator: str
    ellipsis: str
    times: str
    quote: tuple[str, str]
    mark: tuple[str, str]
    """What encloses the deciding span of a turn."""

    def height(self, score: int, passes: int) -> str:
        """Gives the sign for `score` yes votes of `passes`: lowest for 0, highest only for all."""
        signs = self.heights or "0123456789"[: passes + 1]
        top = len(signs) - 1
        if score >= passes:
            return signs[top]
        # Rounded up, so that one yes vote never looks like none.
        return signs[min(top - 1, -(-top * score // passes))]


UNICODE = Glyphs(
    heights="▁▂▃▄▅▆▇█",
    first_block="◆",
    undecided="?",
    not_judged="·",
    screened_out="╌",
    yes="●",
    no="○",
    abstain="?",
    separator=" · ",
    ellipsis="…",
    times="×",  # noqa: RUF001
    quote=("“", "”"),
    mark=("»", "«"),
)

ASCII = Glyphs(
    heights="",
    first_block="X",
    undecided="?",
    not_judged=".",
    screened_out="-",
    yes="1",
    no="0",
    abstain="?",
    separator=" | ",
    ellipsis="...",
    times="x",
    quote=('"', '"'),
    mark=(">>", "<<"),
)


def glyphs_for(encoding: str) -> Glyphs:
    """Gives the signs that `encoding` can write."""
    return UNICODE if encoding.lower().startswith("utf") else ASCII
