"""Where terminal output is put: wrapped for people at a terminal, whole lines for a pipe."""

from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from chaperone_cli.reports.text import plain, prose

_PIPED_STRIP = 60
"""Cells of a strip where no terminal says how wide a line may be."""


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
        """The sign for `score` yes votes of `passes`: lowest for 0, highest only for all."""
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
    """The signs that `encoding` can write."""
    return UNICODE if encoding.lower().startswith("utf") else ASCII


class Screen:
    """A console, with what its encoding can show and how it breaks lines."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.glyphs = glyphs_for(console.encoding)
        self.wraps = console.is_terminal
        """Whether lines are broken; in a pipe each stays whole for grep and awk."""
        self.strip_width = _PIPED_STRIP

    @property
    def width(self) -> int:
        """Columns of the console."""
        return self.console.width

    def plain(self, text: str) -> str:
        """Text from outside, such as an id, as it may be shown."""
        return plain(text, self.console.encoding)

    def prose(self, text: str) -> str:
        """Conversation text as one line of reading matter."""
        return prose(text, self.console.encoding)

    def quoted(self, text: str) -> str:
        """Conversation text between quotation marks."""
        opening, closing = self.glyphs.quote
        cut = self.glyphs.ellipsis if text.endswith("…") else ""
        return f"{opening}{self.prose(text.removesuffix('…')).strip()}{cut}{closing}"

    def put_parts(self, *parts: str, separator: str | None = None, style: str = "") -> None:
        """Prints `parts` with separators between them, breaking lines at separators only."""
        separator, line = separator or self.glyphs.separator, ""
        for part in filter(None, parts):
            longer = f"{line}{separator}{part}" if line else part
            if line and self.wraps and cell_len(longer) > self.width:
                self.put(line, style=style)
                longer = part
            line = longer
        self.put(line, style=style)

    def put(self, body: Text | str = "", *, lead: Text | str = "", style: str = "") -> None:
        """Prints `body` after `lead`; further lines are indented to where the body began."""
        lead, body = Text.assemble(lead), Text.assemble(body)
        if style:
            lead.stylize(style)
            body.stylize(style)
        for number, part in enumerate(self._broken(body, lead.cell_len)):
            line = Text.assemble(lead if number == 0 else " " * lead.cell_len, part)
            line.rstrip()
            self.console.print(line, soft_wrap=True)

    def _broken(self, body: Text, indent: int) -> list[Text]:
        if not self.wraps:
            return [body]
        # A terminal so narrow that nothing fits is left to break lines itself.
        room = max(self.width - indent, 10)
        return list(body.wrap(self.console, room, overflow="fold")) or [body]
