"""Byte streams under a log: counted as they are read from disk, and unpacked where gzipped."""

import io
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, cast

BUFFER_BYTES = 1 << 18
GZIP_MAGIC = b"\x1f\x8b"
UNPACKED_LIMIT = 64 << 20
"""Bytes up to which anything may be unpacked."""
UNPACKED_RATIO = 250
"""Chat logs shrink to a fifth, and to a hundredth where they repeat themselves; bombs far more."""
_GZIP_WINDOW = zlib.MAX_WBITS | 16
"""Makes zlib expect gzip's header and check its checksum and length."""


class DamagedStream(OSError):
    """A compressed stream ends early or contradicts its checksum; says so in a clause."""


class CountedStream(io.RawIOBase):
    """The bytes of `source` as they stand on disk; `count` is told how many were just read."""

    def __init__(self, source: BinaryIO, count: Callable[[int], None], *, close: bool) -> None:
        self._source = source
        self._count = count
        self._close_source = close
        # A pipe gives what it has: waiting for a full buffer would hold lines back. Streams without
        # a buffer do not know the method that says so, and never wait.
        self._readinto: Callable[[memoryview], int | None] = getattr(
            source, "readinto1", cast(io.RawIOBase, source).readinto
        )

    def readable(self) -> bool:  # noqa: D102
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # noqa: D102
        size = self._readinto(buffer) or 0
        self._count(size)
        return size

    def close(self) -> None:  # noqa: D102
        if self._close_source:
            self._source.close()
        super().close()


class GunzipStream(io.RawIOBase):
    """What a gzip stream holds, all its members in a row.

    Unlike `gzip.GzipFile` it hands out everything that could be unpacked before it raises
    DamagedStream.
    """

    def __init__(self, packed: io.BufferedReader) -> None:
        self._packed = packed
        self._member = zlib.decompressobj(_GZIP_WINDOW)
        self._untouched = True
        """No byte of the present member was read."""
        self._damage: DamagedStream | None = None

    def readable(self) -> bool:  # noqa: D102
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # noqa: D102
        while True:
            data = self._more(len(buffer))
            if data is None:
                return 0
            if data:
                buffer[: len(data)] = data
                return len(data)

    def _more(self, limit: int) -> bytes | None:
        """Gives further bytes, possibly none yet; None at the end."""
        if self._damage is not None:
            raise self._damage
        packed = self._next_packed()
        if not packed and self._untouched:
            return None
        self._untouched = False
        if not packed:
            self._damage = DamagedStream("its gzip data ends early")
            raise self._damage
        before = self._member.copy()
        try:
            return self._member.decompress(packed, limit)
        except zlib.error:
            self._damage = DamagedStream(
                "its gzip data is corrupt, possibly before that was noticed"
            )
            return _unpack_until_damage(before, packed)

    def _next_packed(self) -> bytes:
        if self._member.eof:
            rest = self._member.unused_data
            self._member = zlib.decompressobj(_GZIP_WINDOW)
            self._untouched = True
            # Tape and block devices pad with zeros, which gzip ignores.
            while not (rest := rest.lstrip(b"\0")):
                if not (rest := self._packed.read1(BUFFER_BYTES)):
                    return b""
            return rest
        return self._member.unconsumed_tail or self._packed.read1(BUFFER_BYTES)

    def close(self) -> None:  # noqa: D102
        self._packed.close()
        super().close()


def _unpack_until_damage(member: "zlib._Decompress", packed: bytes) -> bytes:
    """Unpacks byte by byte, since zlib gives nothing at all for a piece that holds the damage.

    It cannot give more than was asked for at once: zlib would have stopped there unharmed.
    """
    unpacked = []
    with suppress(zlib.error):
        for index in range(len(packed)):
            unpacked.append(member.decompress(packed[index : index + 1]))  # noqa: PERF401
    return b"".join(unpacked)


class Rejoined(io.RawIOBase):
    """A stream from its beginning, of which `start` was read already."""

    def __init__(self, start: bytes, rest: io.BufferedReader) -> None:
        self._start = memoryview(start)
        self._rest = rest

    def readable(self) -> bool:  # noqa: D102
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # noqa: D102
        if not self._start:
            return self._rest.readinto1(buffer)
        size = min(len(buffer), len(self._start))
        buffer[:size], self._start = self._start[:size], self._start[size:]
        return size


@dataclass
class Proportion:
    """How many bytes a file, with all members of an archive, took on disk and came to."""

    packed: int = 0
    unpacked: int = 0

    @property
    def is_absurd(self) -> bool:
        """Whether no chat log shrinks as much."""
        return self.unpacked > max(UNPACKED_LIMIT, UNPACKED_RATIO * self.packed)


class GuardedStream(io.RawIOBase):
    """What `unpacked` holds, unless it is out of all proportion to its packed size.

    Raises DamagedStream where more than UNPACKED_LIMIT bytes come of less than one UNPACKED_RATIO
    of them: such data was made to exhaust whoever unpacks it.
    """

    def __init__(self, unpacked: io.RawIOBase, proportion: Proportion) -> None:
        self._unpacked = unpacked
        self._proportion = proportion

    def readable(self) -> bool:  # noqa: D102
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # noqa: D102
        size = self._unpacked.readinto(buffer) or 0
        self._proportion.unpacked += size
        if self._proportion.is_absurd:
            raise DamagedStream(
                f"it unpacks to more than {UNPACKED_RATIO} times its size, as no chat log does"
            )
        return size

    def close(self) -> None:  # noqa: D102
        self._unpacked.close()
        super().close()


def open_stream(
    source: BinaryIO, count: Callable[[int], None], *, close: bool
) -> io.BufferedReader:
    """Gives the bytes of `source`, unpacked where its first bytes say that it is gzipped."""
    proportion = Proportion()

    def counted(size: int) -> None:
        proportion.packed += size
        count(size)

    plain: io.BufferedReader = io.BufferedReader(
        CountedStream(source, counted, close=close), BUFFER_BYTES
    )
    try:
        if plain.peek(2)[:2] != GZIP_MAGIC:
            return plain
        guarded = GuardedStream(GunzipStream(plain), proportion)
        return io.BufferedReader(guarded, BUFFER_BYTES)
    except OSError:
        with suppress(OSError):
            plain.close()
        raise
