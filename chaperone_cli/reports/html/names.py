"""Numbers for names that many conversations share, so that the page spells each of them once."""

from chaperone_cli.reports.sanitise import plain

MOST = 4096
"""Names numbered at most; later ones are spelled where they stand, so that memory stays bounded."""


class Names:
    """A table of names in the order of their first use."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int | str:
        """Gives the number of `name`, from 0; in a full table the name itself, made harmless."""
        known = self._codes.get(name)
        if known is None:
            if len(self._codes) >= MOST:
                return plain(name)
            known = self._codes[name] = len(self._codes)
        return known

    def table(self) -> list[str]:
        """Gives the names by their numbers."""
        return [plain(name) for name in self._codes]


class Book:
    """The tables of one page."""

    def __init__(self) -> None:
        self.labels = Names()
        self.paths = Names()
        self.cues = Names()

    def tables(self) -> dict[str, list[str]]:
        """Gives all tables, as the page's script looks them up."""
        return {
            "labels": self.labels.table(),
            "paths": self.paths.table(),
            "cues": self.cues.table(),
        }
