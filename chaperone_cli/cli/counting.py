"""How far long work on saved runs and files has come, on stderr, while somebody watches."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from chaperone_cli.cli import console

if TYPE_CHECKING:
    from rich.text import Text

T = TypeVar("T")


def counted(items: Iterable[T], doing: str, what: str = "conversations") -> Iterator[T]:
    """Yields `items`, and draws how many have gone by if stderr is a terminal."""
    talk = console.talk()
    if not talk.is_terminal:
        yield from items
        return
    from rich.live import Live
    from rich.text import Text

    done = 0

    def line() -> "Text":
        return Text(f"{doing}: {done:,} {what}", "dim")

    with Live(get_renderable=line, console=talk, refresh_per_second=4, transient=True):
        for item in items:
            yield item
            done += 1
