"""The ids of all conversations read so far, in bounded memory however many they are."""

from collections.abc import Callable

from chaperone_cli.domain.conversation import Source
from chaperone_cli.readers.id_places import IdPlaces

_FEW = 1 << 14
"""Ids that are kept as they are, in about 4 MB, without anything on disk."""
_MANY = 1 << 23
"""Ids of which a mark is kept in memory, in about 80 MB."""
_BUCKET_BITS = 16
_MARK_BYTES = 4
_MARK_MASK = (1 << (8 * _MARK_BYTES)) - 1
_ENTRY_BYTES = 2 * _MARK_BYTES
"""A mark and the number of the id that it stands for."""


class KnownIds:
    """An exact set of ids, each with the place where it stood first.

    The first `few` are kept in a dictionary. Of the next `many`, memory holds a mark each, which is
    six bytes of the id's hash, and the disk holds the id with its place. Two ids may share a mark:
    where one is met again, what the disk holds decides. Whatever comes behind them is looked up on
    disk each time. `hashed` spreads ids over 64 bits.
    """

    def __init__(
        self, few: int = _FEW, many: int = _MANY, hashed: Callable[[str], int] = hash
    ) -> None:
        self._room = few
        self._few: dict[str, Source] = {}
        self._start_many: Callable[[], _MarkedIds] = lambda: _MarkedIds(many, hashed)
        self._many: _MarkedIds | None = None

    def add(self, id: str, source: Source) -> Source | None:
        """Remembers that `id` stands at `source`; gives where it stood before, if it did.

        Raises InputError where the temporary folder is full.
        """
        first = self._few.get(id)
        if first is not None:
            return first
        if len(self._few) < self._room:
            self._few[id] = source
            return None
        if self._many is None:
            self._many = self._start_many()
        return self._many.add(id, source)

    def close(self) -> None:
        """Deletes the set."""
        if self._many is not None:
            self._many.close()


class _MarkedIds:
    def __init__(self, most: int, hashed: Callable[[str], int]) -> None:
        self._most = most
        self._hashed = hashed
        self._places = IdPlaces()
        # Bytes and no objects: a dictionary of as many ids takes ten times the memory.
        self._buckets = [b""] * (1 << _BUCKET_BITS)

    def add(self, id: str, source: Source) -> Source | None:
        hashed = self._hashed(id)
        index = hashed & ((1 << _BUCKET_BITS) - 1)
        mark = (hashed >> _BUCKET_BITS & _MARK_MASK).to_bytes(_MARK_BYTES, "little")
        bucket = self._buckets[index]
        if mark in bucket and (first := self._find(mark, bucket, id)):
            return first
        number = self._places.count
        if number >= self._most:
            return self._places.add_late(id, source)
        self._places.add(id, source)
        self._buckets[index] = bucket + mark + number.to_bytes(_MARK_BYTES, "little")
        return None

    def _find(self, mark: bytes, bucket: bytes, id: str) -> Source | None:
        for at in range(0, len(bucket), _ENTRY_BYTES):
            if bucket.startswith(mark, at):
                number = bucket[at + _MARK_BYTES : at + _ENTRY_BYTES]
                known, source = self._places[int.from_bytes(number, "little")]
                if known == id:
                    return source
        return None

    def close(self) -> None:
        self._places.close()
