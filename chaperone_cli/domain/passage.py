"""A response as pieces: sentences, list items and code, each with the white space before it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

_BLOCK = re.compile(r"```.*?(?:```|\Z)|[^\n]+", re.DOTALL)
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+\S|\s*[|#>]|\s{4,}\S")
_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]*_]*\s+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|approx|no|e\.g|i\.e|a\.m|p\.m)|\b[A-Z]|(?:^|\s)\d{1,2})\.\s+\Z",
    re.IGNORECASE,
)
_SET_APART = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|\"[^\"\n]{1,400}\"|\u201c[^\u201d\n]{1,400}\u201d", re.DOTALL
)
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence, list item or stretch of code."""

    text: str
    before: str
    """The white space between it and what stands before it."""
    start: int
    """Its first character in the response, from 0."""
    prose: bool = True
    """False for code, tables and list items, which are kept or left out whole."""

    @property
    def end(self) -> int:
        """One past its last character in the response."""
        return self.start + len(self.text)

    def saying(self, text: str) -> "Piece":
        """The piece with another text in its place."""
        return replace(self, text=text)


def pieces(text: str) -> tuple[Piece, ...]:
    """Divides `text`; joining the pieces gives it back, but for white space around it."""
    found: list[Piece] = []
    done = 0
    for block in _BLOCK.finditer(text):
        prose = not block[0].startswith("```") and _ITEM.match(block[0]) is None
        for start, end in _sentences(block[0]) if prose else [(0, len(block[0]))]:
            said = block[0][start:end].strip()
            if not said:
                continue
            place = block.start() + start + block[0][start:end].index(said)
            found.append(Piece(said, text[done:place] if found else "", place, prose))
            done = place + len(said)
    return tuple(found)


def joined(kept: Iterable[Piece], whole: Iterable[Piece] = ()) -> str:
    """Puts `kept` together again; between two, the widest break that stood between them."""
    kept = tuple(kept)
    breaks = [(piece.start, piece.before) for piece in whole or kept]
    said = ""
    done = -1
    for piece in kept:
        if said:
            between = [gap for start, gap in breaks if done < start <= piece.start]
            widest = max(between, key=lambda gap: (gap.count("\n"), len(gap)), default=" ")
            # Neighbours stand as they stood; where something is gone, words must not run together.
            said += widest if len(between) == 1 else widest or " "
        said += piece.text
        done = piece.start
    return said


def own_words(text: str) -> str:
    """`text` with code and quotations blanked out, every other character in its place.

    What stands between quotation marks is a draft, a card or somebody else's words.
    """
    return _SET_APART.sub(lambda found: " " * len(found[0]), text)


def words(text: str) -> list[str]:
    """The words of `text`, in lower case."""
    return [word.replace("\u2019", "'").lower() for word in _WORD.findall(text)]


def _sentences(line: str) -> list[tuple[int, int]]:
    cuts = [0]
    for found in _END.finditer(line):
        if _ABBREVIATION.search(line[cuts[-1] : found.end()]) is None:
            cuts.append(found.end())
    return list(zip(cuts, [*cuts[1:], len(line)], strict=True))
