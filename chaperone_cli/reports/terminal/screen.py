"""Where terminal output is put: wrapped for people at a terminal, whole lines for a pipe."""

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from chaperone_cli.reports.sanitise import plain, prose
from chaperone_cli.reports.terminal.glyphs import glyphs_for

_PIPED_STRIP = 60
"""Cells of a strip where no terminal says how wide a line may be."""


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
        """Gives text from outside, such as an id, as it may be shown."""
        return plain(text, self.console.encoding)

    def prose(self, text: str) -> str:
        """Gives conversation text as one line of reading matter."""
        return prose(text, self.console.encoding)

    def quoted(self, text: str) -> str:
        """Gives conversation text between quotation marks."""
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


def plural(count: int, noun: str) -> str:
    """Gives a count with its noun: `1 turn`, `2,000 turns`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def percent(part: int, whole: int) -> str:
    """Gives a share as a whole percentage; 0 and 100 are said only where they are exact."""
    if 0 < 100 * part < whole:
        return "<1 %"
    if 99 * whole < 100 * part < 100 * whole:
        return ">99 %"
    return f"{round(100 * part / whole) if whole else 0} %"
