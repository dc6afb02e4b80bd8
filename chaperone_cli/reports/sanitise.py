"""Text from a log, made harmless for terminals and tables.

A conversation's id, a path or a quote comes from whoever wrote the log. Escape sequences could
rewrite what a terminal shows, bidirectional overrides could turn a line around, and characters
without width could make two ids look the same.
"""

import re
import unicodedata

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Controls, formats (bidirectional, zero-width, tags), lone surrogates, line separators."""

_JOINERS = re.compile("[\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}]")
_SPACE = re.compile(r"\s+")

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def plain(text: str, encoding: str = "utf-8") -> str:
    """Gives `text` on one line, with every character that cannot be seen spelled as an escape.

    So is what `encoding` cannot write.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(_spelled(char) if _unseen(char) else char for char in text)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def prose(text: str, encoding: str = "utf-8") -> str:
    """Gives `text` as reading matter on one line: white space as single spaces, no joiners.

    Joiners are common and harmless inside words of several scripts and inside emoji; anything else
    that cannot be seen is spelled as in `plain`.
    """
    return plain(_SPACE.sub(" ", _JOINERS.sub("", text)), encoding)


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in _UNSEEN


def _spelled(char: str) -> str:
    return _SHORT.get(char) or char.encode("unicode_escape", "surrogatepass").decode("ascii")
