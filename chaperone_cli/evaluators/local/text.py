"""Splits an utterance into tokens, without knowing any of them."""

import re

TOKEN = re.compile(r"[^\W\d_]{1,32}(?:['\u2019][^\W\d_]{1,32})?|\d{1,32}|_{1,32}|\n|[^\w\s]")
"""A word with its apostrophe, a number, a line end, or one other visible character.

Every repetition is bounded, so that the work is linear in the text and no token is long.
"""

ENDS = frozenset(".!?;\n\u2026\u3002\uff01\uff1f")
"""Tokens that end a sentence."""

MAX_SENTENCE = 48
"""Tokens after which a sentence is cut; text without punctuation stays comparable with the rest."""

_REPEATED = re.compile(r"(.)\1{2,}")


def tokens(text: str) -> list[str]:
    """Gives the tokens of `text` in order, as they are spelled."""
    return TOKEN.findall(text)


def spellings(token: str) -> tuple[str, ...]:
    """Gives the forms under which `token` may stand in a vocabulary, the most faithful first."""
    if token[0].isdigit():
        return ("0",)
    plain = token.lower().replace("\u2019", "'")
    if len(plain) > 2 and _REPEATED.search(plain):
        return (plain, _REPEATED.sub(r"\1\1", plain), _REPEATED.sub(r"\1", plain))
    return (plain,)


def grams(token: str) -> list[str]:
    """Gives the pieces of 3 to 5 characters of `token`, with its borders marked."""
    padded = f"<{spellings(token)[-1]}>"
    return [padded[i : i + n] for n in (3, 4, 5) for i in range(len(padded) - n + 1)]
