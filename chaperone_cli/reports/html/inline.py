"""JSON that may stand inside a script element of a page."""

from chaperone_cli.codec.fields import dumps

_HARMLESS = {
    b"<": b"\\u003c",
    b">": b"\\u003e",
    b"&": b"\\u0026",
}
"""In JSON these stand inside strings only, so an escape means the same there."""


def inlined(document: object) -> bytes:
    """Gives `document` as one line of JSON that cannot end, or open, an element or a comment."""
    data = dumps(document)
    for char, escape in _HARMLESS.items():
        data = data.replace(char, escape)
    return data
