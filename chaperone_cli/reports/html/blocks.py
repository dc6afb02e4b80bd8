"""Rows as script elements that hold data only, set aside until the page has come to them."""

from collections.abc import Iterator
from pathlib import Path

from chaperone_cli.reports.aside import Aside
from chaperone_cli.reports.html.inline import inlined

EACH = 2000
"""Rows of one element, so that a browser never has to read them all as one document."""


class Blocks:
    """The rows of one kind for the page at `path`; raises OutputError where the disk is full."""

    def __init__(self, path: Path, kind: str) -> None:
        self._aside = Aside(path)
        self._kind = kind

    def add(self, row: object) -> None:
        """Adds one row."""
        place = self._aside.parts % EACH
        before = b",\n" if place else opening(self._kind) + b"[\n"
        after = b"\n]" + CLOSING if place == EACH - 1 else b""
        self._aside.add(before + inlined(row) + after)

    def chunks(self) -> Iterator[bytes]:
        """Gives the elements."""
        yield from self._aside.chunks()
        if self._aside.parts % EACH:
            yield b"\n]" + CLOSING

    def close(self) -> None:
        """Deletes what was kept."""
        self._aside.close()


CLOSING = b"</script>\n"


def opening(kind: str) -> bytes:
    """Gives the tag that begins an element of data, which no browser runs."""
    return b'<script type="application/json" class="%b">' % kind.encode()
