"""Gives a text as those may read it to whom it is addressed: without disguises."""

import binascii
import codecs
import re
import unicodedata
from base64 import b64decode
from collections.abc import Iterator

MOST = 20_000
"""Characters of a text in which disguises are looked for."""

_MARKS = "".join(
    re.escape(chr(code))
    for code in range(0x300, 0x3100)
    if unicodedata.category(chr(code)).startswith("M")
)
_DROPPED = re.compile(
    rf"[{_MARKS}\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+"
)
_UNCOMMON = re.compile(r"[^\x00-\x7f\u2010-\u2022]")
"""Anything but ASCII and the dashes and quotation marks of printed text."""
_LETTERS = {
    "\xdf": "ss",
    "\u03c2": "\u03c3",
    "\u2019": "'",
    "\u0131": "i",
    "\u0142": "l",
    "\xf8": "o",
    "\u0111": "d",
    "\u0640": "",
}

_NOT_LATIN = re.compile(r"[\u0370-\u052f]")
_MIXED = re.compile(r"[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]", re.IGNORECASE)
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u043a\u043c\u0442\u043d"
    "\u0432\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0405\u0423"
    "\u03b1\u03bf\u03c1\u03b5\u03b9\u03bd\u03c5\u03ba\u03c4\u0391\u0392\u0395\u0397\u0399\u039a"
    "\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u0501\u051b\u051d\u0261\u217c",
    "aeopcyxijshkmthbABEKMHOPCTXISYaopeivuktABEHIKMNOPTYXdqwgl",
)
_LEET_WORD = re.compile(r"[013457@$](?=[A-Za-z@$\d])(?<=[A-Za-z].)")
_LEET = str.maketrans("013457@$", "oieastas")
_SPREAD = re.compile(r"[ .\-_*|/]\w[ .\-_*|/]\w[ .\-_*|/]\w[ .\-_*|/]\w[ .\-_*|/]")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .\-_*|/]{1,3}){6,}\w(?!\w)")
_GAP = re.compile(r"(?<=\w)[ .\-_*|/](?=\w(?!\w))")
SHORTEST_RUN = 20
"""Characters from which on a run is tried as base64."""
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{SHORTEST_RUN},}}={{0,2}}")
_TELLTALE = ("ignor", "forget", "disregard", "answer", "parasocial")
_ROT13 = tuple(codecs.encode(word, "rot13") for word in _TELLTALE)
_REVERSED = tuple(word[::-1] for word in _TELLTALE)
_ESCAPED = re.compile(
    r"\\+u([0-9a-fA-F]{4})|\\+x([0-9a-fA-F]{2})|\\+([\"'/n])|&(lt|gt|quot);|%([2357][0-9a-fA-F])"
)
_NAMED = {"lt": "<", "gt": ">", "quot": '"', "n": "\n"}


def folded(text: str) -> str:
    """Gives `text` in compatible letters, without accents and without what cannot be seen."""
    if text.isascii():
        return text
    if not _UNCOMMON.search(text):
        return text.replace("\u2019", "'")
    text = _DROPPED.sub("", unicodedata.normalize("NFKD", text))
    for letter, plain in _LETTERS.items():
        text = text.replace(letter, plain)
    return text


def uncovered(text: str, plain: str) -> Iterator[str]:
    """Gives what `text` says under each disguise that it seems to wear; `plain` is it folded."""
    text, plain = text[:MOST], plain[:MOST]
    if not plain.isascii() and _NOT_LATIN.search(plain) and _MIXED.search(plain):
        yield plain.translate(_LOOKALIKES)
    if _LEET_WORD.search(plain):
        yield plain.translate(_LEET)
    if _SPREAD.search(plain) and (found := _SPACED.search(plain)):
        run = re.sub(r"[.\-_*|/](?=\w)", "", found[0])
        yield re.sub(r"\s+", " ", _GAP.sub("", run))
        yield _GAP.sub("", re.sub(r"\s{2,}", "\n", run)).replace("\n", " ")
    if ("\\" in text or "&" in text or "%" in text) and _ESCAPED.search(text):
        yield _ESCAPED.sub(_unescaped, _ESCAPED.sub(_unescaped, text))
    if max(map(len, text.split()), default=0) >= SHORTEST_RUN:
        yield from filter(None, map(_decoded, _BASE64.findall(text)))
    lower = plain.lower()
    if any(word in lower for word in _ROT13):
        yield codecs.encode(plain, "rot13")
    if any(word in lower for word in _REVERSED):
        yield plain[::-1]


def _unescaped(found: re.Match[str]) -> str:
    if code := found[1] or found[2] or found[5]:
        return chr(int(code, 16))
    return _NAMED.get(found[3] or found[4], found[3] or "")


def _decoded(run: str) -> str | None:
    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        decoded = b64decode(run + "=" * (-len(run) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return folded(decoded) if decoded.isprintable() or "\n" in decoded else None
