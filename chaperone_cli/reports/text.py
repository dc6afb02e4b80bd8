"""Text made harmless for terminals and tables, and how numbers are written.

A conversation's id, a path or a quote comes from whoever wrote the log. Escape sequences could
rewrite what a terminal shows, bidirectional overrides could turn a line around, and characters
without width could make two ids look the same.
"""

import re
import unicodedata

_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Controls, formats (bidirectional, zero-width, tags), lone surrogates, line separators."""

_JOINERS = re.compile("[\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}]")
_SPACE = re.compile(r"\s+")

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def plain(text: str, encoding: str = "utf-8") -> str:
    """`text` on one line, with every character that cannot be seen spelled as an escape.

    So is what `encoding` cannot write.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_spelled, text))
    return text.encode(encoding, "backslashreplace").decode(encoding)


def prose(text: str, encoding: str = "utf-8") -> str:
    """`text` as reading matter on one line: white space as single spaces, no joiners.

    Joiners are common and harmless inside words of several scripts and inside emoji; anything else
    that cannot be seen is spelled as in `plain`.
    """
    return plain(_SPACE.sub(" ", _JOINERS.sub("", text)), encoding)


def _spelled(char: str) -> str:
    if unicodedata.category(char) not in _INVISIBLE:
        return char
    return _ESCAPES.get(char) or char.encode("unicode_escape", "surrogatepass").decode("ascii")


def valid(text: str) -> str:
    """`text` in a form that UTF-8 has: lone surrogates are spelled as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 turn`, `2,000 turns`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def percent(part: int, whole: int) -> str:
    """A share as a whole percentage; 0 and 100 are said only where they are exact."""
    if 0 < 100 * part < whole:
        return "<1 %"
    if 99 * whole < 100 * part < 100 * whole:
        return ">99 %"
    return f"{round(100 * part / whole) if whole else 0} %"
