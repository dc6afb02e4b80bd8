"""The key that replaces ids by hashes: from CHAPERONE_HASH_KEY, or from a file."""

import os

from chaperone_cli.config import HASH_KEY, Settings
from chaperone_cli.domain.pseudonym import HashedNames, Names, PlainNames
from chaperone_cli.errors import UsageError

SHORTEST_KEY = 16
"""Bytes below which a key could be found by trying."""

_HINT = (
    f"set {HASH_KEY} or name a file with --hash-key-file; make a key once, for example with "
    "openssl rand -hex 32, and keep it: the same key gives the same hashes in the next run"
)


def key(settings: Settings) -> bytes:
    """Gives the key; empty where there is none.

    Raises UsageError where the key is too short or its file cannot be read.
    """
    if settings.hash_key_file is not None:
        place = str(settings.hash_key_file)
        try:
            found = settings.hash_key_file.read_bytes().strip()
        except OSError as exc:
            raise UsageError(
                f"{place}: the key cannot be read: {exc.strerror or exc}", hint=_HINT
            ) from exc
    else:
        place, found = HASH_KEY, os.fsencode(os.environ.get(HASH_KEY, "").strip())
    if found and len(found) < SHORTEST_KEY:
        raise UsageError(f"{place}: a key needs at least {SHORTEST_KEY} bytes", hint=_HINT)
    return found


def names(settings: Settings, found: bytes) -> Names:
    """Gives ids and paths as `settings` want them shown, with the key that was `found`.

    Raises UsageError without one.
    A key made up for one run would make every conversation look new in the next, so none is.
    """
    if not settings.hash_ids:
        return PlainNames()
    if not found:
        raise UsageError("--hash-ids needs a key, and there is none", hint=_HINT)
    return HashedNames(found)
