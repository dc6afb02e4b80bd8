"""Writes one message of a log so that nothing in it can pass for anything else in the request.

An entry is one line: the run's marker, who speaks, and the text as a JSON string. A log was written
before the run drew its marker, and a JSON string holds no line break and no bare quotation mark, so
that a text can neither end its own entry nor begin another one, whatever it contains. Reading the
string back as JSON gives the text, character for character.
"""

import re
from json import dumps

from chaperone_cli.domain.conversation import Message, Role

ENCODING = 1
"""Raised when entries are written differently, which may change votes."""

_SPEAKERS = {
    Role.USER: "user",
    Role.ASSISTANT: "chatbot",
    Role.SYSTEM: "system",
    Role.TOOL: "tool",
    Role.EVENT: "event",
}

_UNSEEN = (
    r"\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\uffff\ufdd0-\ufdef"
    r"\ud800-\udfff\ue000-\uf8ff\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
)
"""What a reader does not see but a model may: controls, formats, directions, tags, private use.

The joiners U+200C and U+200D and the emoji selector U+FE0F stay: several scripts and most emoji
are written with them.
"""

# Servers that render a chat template before they tokenize take these for the template's own tokens,
# such as <|im_end|>, </s>, <<SYS>> and [INST].
_CONTROL_TOKENS = r"<(?=[|/!?<\w\uff5c])|\[(?=/?[A-Z][A-Z_]+\])"

_ESCAPED = re.compile(f"[{_UNSEEN}]|{_CONTROL_TOKENS}")


def quoted(text: str) -> str:
    """Gives `text` as a JSON string on one line, with everything unseen spelled as an escape."""
    return _ESCAPED.sub(_escape, dumps(text, ensure_ascii=False))


def entry(marker: str, message: Message, number: int | None) -> str:
    """Gives the line of `message`; `number` is its turn's, None for context."""
    speaker = _SPEAKERS[message.role]
    kind = f"context {speaker}" if number is None else f"turn {number} {speaker}"
    name = f" (named {quoted(message.name)})" if message.name else ""
    return f"{marker} {kind}{name}: {quoted(message.text)}\n"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code > 0xFFFF:
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{code:04x}"
